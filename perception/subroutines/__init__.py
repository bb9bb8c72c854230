"""Subroutines: a task recorded once becomes a tool that runs inside the page.

All of this room is pure: no socket, no browser, no clock, no files. A recording goes in, a plan and a script come out.
"""

"""Subroutines: a task that was recorded once becomes a tool that runs inside the page.

This package is pure: no socket, no browser, no clock, no files. It turns a recording into a plan and a script.
"""

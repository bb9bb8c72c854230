"""Chromium as a process: launch, sandbox, memory, and clean-up after it."""

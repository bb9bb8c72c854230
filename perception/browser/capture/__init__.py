"""Capture: facts and pixels of a tab, without changing it."""

"""Chromium: launch it, capture its pages over our own CDP link, send input to them through Playwright.

Rule 1: a capture never changes the page. The walker runs in an isolated world and writes nothing.
Rule 2: every await is bounded by the caller's `Deadline`.
"""

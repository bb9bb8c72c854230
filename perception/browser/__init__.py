"""Chromium: launch it, look at its pages over our own CDP link, act on them through Playwright.

Rule 1: looking never changes the page. The walker runs in an isolated world and writes nothing.
Rule 2: every await is bounded by the caller's `Budget`.
"""

"""Suites that judge lists of elements: their runs, scores and reports."""

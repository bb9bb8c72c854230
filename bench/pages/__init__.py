"""The pages that suites visit, a browser shared with Playwright, and probes in pages."""

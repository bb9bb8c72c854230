"""Ground truth of a page from Chromium itself, without our walker, fusion or detectors."""

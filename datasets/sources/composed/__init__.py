"""Composed pages: applications put together at random out of style sheets, icon sets and words, to train detectors on."""

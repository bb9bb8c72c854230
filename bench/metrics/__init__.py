"""How well detectors see: boxes against boxes, lines of text against lines of text.

Rule 1: counts of one image are small frozen values that add up, so that a run over any number of images streams.
Rule 2: what does not apply is absent or None, never NaN and never a made-up 0 or 1.
"""

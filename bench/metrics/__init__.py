"""How well detectors work: boxes against boxes, lines of text against lines of text.

Rule 1: the counts of one image are small frozen values that add up, so that a run over any number of images can stream.
Rule 2: what does not apply is absent or None, never NaN and never an invented 0 or 1.
"""

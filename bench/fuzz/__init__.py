"""A fuzz campaign: requests, bytes, images, DevTools messages and files that nobody would send, and what came of them.

    python -m perception.bench.fuzz [--cases N] [--part messages|bytes|images|cdp|parsers] [--seed S]

Rule 1: a case is known by its part, the seed and its number: the same three make the same bytes again.
Rule 2: every case has a verdict; one that fails is shrunk where that can be done, and printed as it can be sent again.
"""

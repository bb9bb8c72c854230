"""The timeline: what a session's client did, in words that people may see."""

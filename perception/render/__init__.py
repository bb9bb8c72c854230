"""Renders elements: text for a language model, an annotated image for a person, and diffs."""

"""Real input: what a target means on the page now, and mouse and keyboard events for it."""

"""Files of a session by their bytes."""

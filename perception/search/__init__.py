"""Finding elements by what they are called, what they are and where they are. Pure."""

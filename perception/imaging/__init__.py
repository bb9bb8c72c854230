"""Image files and pixels: decodes, encodes, compares and masks. Pure."""

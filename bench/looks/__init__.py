"""Lists of elements: what a look outputs and peers show, as they are stored, and how a list is scored."""

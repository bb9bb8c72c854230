"""What pages write to their consoles, and the errors that they do not catch."""

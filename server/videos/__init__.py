"""Videos of tabs: those that are being made, and those that are kept."""

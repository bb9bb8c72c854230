"""One tab: frames, navigation, settling, dialogs, downloads, files."""

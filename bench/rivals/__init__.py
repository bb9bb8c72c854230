"""Other projects' rules to match detections with elements, as variants to compare ours with."""

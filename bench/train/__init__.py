"""Trains the detector of controls in pixels. Needs `pip install 'perception-service[train]'`."""

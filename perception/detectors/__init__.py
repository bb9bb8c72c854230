"""Detectors of text and boxes in pixels: the protocol, the registry of plug-ins, and the pool that runs them."""

import os

# ONNX Runtime 1.31 sends telemetry about machine and models to Microsoft unless this is set before its import (see its
# Privacy.md). Set the variable to 0 to allow it.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

"""What looks at pixels: the detector protocol, the registry of plug-ins, and the pool that runs them."""

import os

# ONNX Runtime 1.31 tells Microsoft of machines and models unless it is told not to before it is imported, see its
# Privacy.md. Whoever wants that sets it to 0.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

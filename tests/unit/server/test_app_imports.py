"""What the service loads before it listens: what its first call needs."""

from __future__ import annotations

import subprocess
import sys

LATER = ("onnxruntime", "rapidocr", "scipy.ndimage", "scipy.optimize", "scipy.sparse")
"""Of a second and more, together: loaded when they are first used."""


def test_the_service_starts_without_what_vision_needs() -> None:
    code = "import sys, perception.server.app; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(LATER) & set(done.stdout.split())

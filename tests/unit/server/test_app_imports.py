"""What the service loads before it listens: what its first call needs."""

from __future__ import annotations

import subprocess
import sys

LATER = ("onnxruntime", "rapidocr", "scipy.ndimage", "scipy.optimize", "scipy.sparse", "cryptography")
"""Of a second and more, together: loaded when they are first used, or by nothing that the service does."""


def test_the_service_starts_without_what_its_first_call_does_not_need() -> None:
    code = "import sys, perception.server.app; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(LATER) & set(done.stdout.split())


PARSED = """
import asyncio, sys
import cv2, numpy as np
from perception.deadline import Deadline
from perception.detectors.pool import DetectorPool
from perception.detectors.registry import Registry
from perception.engine.parse import parse
from perception.testing.scripted_detector import ScriptedDetection, ScriptedDetector

async def main():
    boxer = ScriptedDetector("boxer", [ScriptedDetection((10, 20, 60, 40), label="button")])
    pool = DetectorPool(Registry.of(boxer=boxer.plugin()), in_threads=True)
    lined = np.zeros((400, 600, 3), np.uint8)
    lined[::40] = lined[:, ::60] = 255
    await parse(lined, 1.0, ("boxer",), pool, Deadline.of(60))
    pool.close()

asyncio.run(main())
print(*sys.modules)
"""


def test_an_image_is_parsed_without_the_large_parts_of_scipy() -> None:
    done = subprocess.run([sys.executable, "-c", PARSED], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert "perception.imaging.grid_lines" in loaded
    assert not {each for each in LATER if each.startswith("scipy")} & set(loaded)

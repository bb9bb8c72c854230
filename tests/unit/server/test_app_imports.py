"""What the service loads before it listens: what its first call needs."""

from __future__ import annotations

import subprocess
import sys

LATER = ("onnxruntime", "rapidocr", "scipy.ndimage", "scipy.optimize", "scipy.sparse", "cryptography")
"""Of a second and more, together: loaded when they are first used. `cryptography` is for TLS, profiles and clusters."""


def test_the_service_starts_without_what_its_first_call_does_not_need() -> None:
    code = "import sys, perception.server.app; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(LATER) & set(done.stdout.split())


PARSED_FIRST = """
import asyncio, sys, threading
import numpy as np

class Watch:
    def find_spec(self, name, *_):
        if name == "scipy.ndimage":
            print("in a thread" if threading.current_thread() is not threading.main_thread() else "on the event loop")

sys.meta_path.insert(0, Watch())
from perception.deadline import Deadline
from perception.detectors.pool import DetectorPool
from perception.detectors.registry import Registry
from perception.engine.parse import parse
from perception.testing.scripted_detector import ScriptedDetection, ScriptedDetector

async def main():
    boxer = ScriptedDetector("boxer", [ScriptedDetection((10, 20, 60, 40), label="button")])
    pool = DetectorPool(Registry.of(boxer=boxer.plugin()), in_threads=True)
    await parse(np.zeros((200, 300, 3), np.uint8), 1.0, ("boxer",), pool, Deadline.of(60))
    pool.close()

asyncio.run(main())
"""


def test_other_calls_go_on_while_the_first_image_has_scipy_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", PARSED_FIRST], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "in a thread"

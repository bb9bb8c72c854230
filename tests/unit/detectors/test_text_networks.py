"""The memory of networks, with a real model, in a process whose memory nothing else has used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytest.importorskip("resource", reason="this system does not count page faults")

MEASURE = """
import json, resource
import numpy as np
import psutil
from perception.detectors.bundled_models import bundled_model
from perception.detectors.ppocr import PPOCR_MODELS, SMALLEST
from perception.detectors.text_networks import TextNetwork

network = TextNetwork(bundled_model(PPOCR_MODELS[0]), SMALLEST[0])
image = np.zeros((1, 3, 640, 640), np.float32)
held = psutil.Process().memory_info().rss

def page_faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    network.run(image)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

first, again = page_faults(), page_faults()
used = psutil.Process().memory_info().rss - held
network.free_memory()
print(json.dumps([first, again, used, psutil.Process().memory_info().rss - held]))
"""


def test_a_second_image_uses_the_memory_of_the_first_until_it_is_freed() -> None:
    said = subprocess.run([sys.executable, "-c", MEASURE], check=True, capture_output=True, text=True, timeout=120)
    first, again, used, left = json.loads(said.stdout)
    assert again < first / 10
    assert left < used / 2

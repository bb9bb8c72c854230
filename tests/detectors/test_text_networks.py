"""The memory of networks, with a real model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import psutil
import pytest

from perception.detectors.bundled_models import bundled_model
from perception.detectors.ppocr import PPOCR_MODELS, SMALLEST
from perception.detectors.text_networks import TextNetwork

resource = pytest.importorskip("resource", reason="this system does not count page faults")


@pytest.fixture(scope="module")
def network() -> TextNetwork:
    path = bundled_model(PPOCR_MODELS[0])
    assert path is not None
    return TextNetwork(path, SMALLEST[0])


def page_faults(work: Callable[[], object]) -> int:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    work()
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)


def test_a_second_image_uses_the_memory_of_the_first_until_it_is_freed(network: TextNetwork) -> None:
    image = np.zeros((1, 3, 640, 640), np.float32)
    held = psutil.Process().memory_info().rss
    first, again = page_faults(lambda: network.run(image)), page_faults(lambda: network.run(image))
    assert again < first / 10
    used = psutil.Process().memory_info().rss - held
    network.free_memory()
    assert psutil.Process().memory_info().rss - held < used / 2

"""The names `ray:…`, and the cluster that they are on. Needs no Ray."""

from __future__ import annotations

import numpy as np
import pytest

from perception.deadline import Deadline
from perception.detectors.pool import CropCache, DetectorPool
from perception.detectors.ray_serve import plugin
from perception.detectors.ray_serve.serve_cluster import BY_OPTION, BY_VARIABLE, named_cluster
from perception.detectors.registry import Registry
from perception.errors import UnknownDetectorError


@pytest.mark.parametrize(
    ("asked", "environment", "named"),
    [
        pytest.param("h:1", {"PERCEPTION_RAY_ADDRESS": "h:2"}, "h:1", id="asked"),
        pytest.param("auto", {"PERCEPTION_RAY_ADDRESS": "h:2"}, "auto", id="asked for the one of this machine"),
        pytest.param("", {"PERCEPTION_RAY_ADDRESS": "h:2", "RAY_ADDRESS": "h:3"}, "h:2", id="ours"),
        pytest.param("", {"PERCEPTION_RAY_ADDRESS": "", "RAY_ADDRESS": "h:3"}, "auto", id="nothing"),
    ],
)
def test_the_cluster_is_what_was_asked_for_first(asked: str, environment: dict[str, str], named: str) -> None:
    assert named_cluster(asked, environment) == (named, BY_OPTION if asked else BY_VARIABLE)


def test_a_name_on_ray_says_what_the_detector_of_this_machine_finds() -> None:
    registry = Registry.load()
    here, on_ray = registry.describe("ppocr").info, registry.describe("ray:ppocr").info
    assert (on_ray.name, on_ray.kinds, on_ray.at_css_scale) == ("ray:ppocr", here.kinds, here.at_css_scale)
    assert (on_ray.default_enabled, here.default_enabled) == (False, True)
    assert "ray:ppocr" not in registry.names()
    assert registry.describe_all(["ray:ppocr", "ray:nosuch", "ppocr"])[-1].info.name == "ray:ppocr"


@pytest.mark.parametrize("name", ["ray:nosuch", "ray:", "ray:ray:ppocr"])
def test_an_unknown_name_on_ray_is_refused(name: str) -> None:
    with pytest.raises(UnknownDetectorError, match="no detector is called"):
        Registry.load().get(name)


async def test_without_ray_a_look_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin, "find_spec", lambda _: None)
    pool = DetectorPool(Registry.load())
    image = np.zeros((4, 4, 3), np.uint8)
    run = await pool.detect(["ray:ppocr"], [image], Deadline.of(5), CropCache(), reserve_s=0)
    (skipped,) = run.skipped
    assert skipped.name == "ray:ppocr"
    assert skipped.reason == (
        "detector ray:ppocr cannot be used here: Ray is not installed: pip install 'perception-service[ray]'"
    )
    pool.close()

"""Which detectors there are."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from perception.detectors import registry as registry_module
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.detectors.registry import Registry
from perception.errors import DetectorMissingError, UnknownDetectorError
from perception.testing.scripted_detector import ScriptedDetector


def broken() -> Plugin:
    raise ImportError("No module named 'torch'")


def test_the_built_ins_come_in_by_entry_points_and_work_here() -> None:
    registry = Registry.load()
    assert {"controls", "icons", "ppocr", "rapidocr"} <= set(registry.names())
    built_in = {status.info.name: status for status in registry.describe_all()}
    for name in ("controls", "ppocr", "rapidocr"):
        status = built_in[name]
        assert status.installed, status.missing
        assert status.info.licence == "Apache-2.0"
        assert status.info.version
        assert status.info.limits
    assert registry.defaults() == ("controls", "icons", "ppocr")
    assert built_in["ppocr"].info.model_bytes > 10_000_000
    assert "ko" not in built_in["ppocr"].info.languages
    assert any("Korean" in limit for limit in built_in["ppocr"].info.limits)


def test_describing_detectors_loads_no_model() -> None:
    code = (
        "import sys; from perception.detectors.registry import Registry; Registry.load().describe_all();"
        "sys.exit(any(name in sys.modules for name in "
        "('faster_paddle', 'onnxruntime', 'paddle', 'paddleocr', 'paddlex', 'rapidocr')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    registry = Registry.of(a=ScriptedDetector("a").plugin(), b=ScriptedDetector("b").plugin())
    with pytest.raises(UnknownDetectorError, match="no detector is called omni; known are: a, b") as caught:
        registry.get("omni")
    assert caught.value.field == "detectors"


def test_a_missing_detector_says_how_to_get_it() -> None:
    registry = Registry.of(a=ScriptedDetector("a").plugin(missing="pip install a-weights"))
    assert [status.installed for status in registry.describe_all()] == [False]
    with pytest.raises(DetectorMissingError, match="pip install a-weights"):
        registry.get("a")


def test_a_plugin_that_fails_to_import_is_missing_and_breaks_nothing() -> None:
    good = ScriptedDetector("good").plugin(default_enabled=True)
    registry = Registry({"bad": broken, "good": lambda: good})
    bad, fine = registry.describe_all()
    assert "No module named 'torch'" in bad.missing
    assert fine.installed
    assert registry.defaults() == ("good",)
    assert registry.get("good") is good
    with pytest.raises(DetectorMissingError, match="torch"):
        registry.get("bad")


def test_an_entry_point_that_is_no_plugin_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [EntryPoint("odd", "json:dumps", registry_module.ENTRY_POINT_GROUP), EntryPoint("gone", "no_such:X", "g")]
    monkeypatch.setattr(registry_module, "entry_points", lambda group: points)
    reasons = {status.info.name: status.missing for status in Registry.load().describe_all()}
    assert "not a perception.detectors.protocol.Plugin" in reasons["odd"]
    assert "no_such" in reasons["gone"]


def test_a_missing_default_is_still_a_default() -> None:
    registry = Registry.of(a=ScriptedDetector("a").plugin(default_enabled=True, missing="no weights"))
    assert registry.defaults() == ("a",)


def test_looks_do_not_ask_a_plugin_for_its_facts_again() -> None:
    """They take as long as a look at a page that has not changed."""
    asked: list[str] = []
    plugin = ScriptedDetector("a").plugin(default_enabled=True)

    def describe() -> DetectorInfo:
        asked.append("a")
        return plugin.describe()

    registry = Registry.of(a=replace(plugin, describe=describe))
    for _ in range(3):
        assert registry.defaults() == ("a",)
        registry.get("a")
    assert asked == ["a"]


def test_a_plugin_that_loads_later_is_a_default_from_then_on() -> None:
    good, tries = ScriptedDetector("late").plugin(default_enabled=True), iter([False, True])

    def load() -> Plugin:
        return good if next(tries) else broken()

    registry = Registry({"late": load})
    assert [registry.defaults(), registry.defaults()] == [(), ("late",)]

"""Presets of devices by name: the list of Playwright, in `device_presets.json`."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from perception.browser.page.emulation import Screen
from perception.types import Viewport

_MAX_NEAR = 5


@dataclass(frozen=True, slots=True)
class DevicePreset:
    """A device.

    Attributes:
        name: `iPhone 15`.
        screen: its screen, as a page sees it between the bars of the device's browser.
        user_agent: what its browser calls itself.
        engine: of its browser: chromium, webkit or firefox. Pages are shown by Chromium in any case.
    """

    name: str
    screen: Screen
    user_agent: str
    engine: str


@cache
def device_presets() -> Mapping[str, DevicePreset]:
    """All presets by name, in Playwright's order."""
    rows = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    return {name: _preset(name, row) for name, row in rows.items()}


def find_device(name: str) -> DevicePreset | None:
    """A preset by its name, in any case; None where there is none."""
    presets = device_presets()
    return presets.get(name) or {each.lower(): preset for each, preset in presets.items()}.get(name.strip().lower())


def devices_near(name: str) -> list[str]:
    """Names that somebody may have meant."""
    names = {each.lower(): each for each in device_presets()}
    lower = name.strip().lower()
    close = difflib.get_close_matches(lower, names, n=_MAX_NEAR, cutoff=0.5)
    holding = [each for each in names if len(lower) > 1 and lower in each]
    return [names[each] for each in dict.fromkeys((*holding, *close))][:_MAX_NEAR]


def _preset(name: str, row: Mapping[str, object]) -> DevicePreset:
    def number(key: str) -> float:
        value = row[key]
        assert isinstance(value, int | float)
        return value

    viewport = Viewport(int(number("width")), int(number("height")), float(number("scale")))
    screen = Screen(viewport, mobile=bool(row["mobile"]), touch=bool(row["touch"]))
    return DevicePreset(name, screen, str(row["user_agent"]), str(row["engine"]))

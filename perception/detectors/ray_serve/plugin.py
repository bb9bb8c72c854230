"""The plug-in of a detector that runs on Ray. What it finds is known from the detector of that name in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec

from perception.detectors.protocol import DetectorInfo, Plugin
from perception.detectors.ray_serve.ray_detector import RayDetector
from perception.ray_cluster.address import INSTALL


def ray_plugin(name: str, local: Callable[[], Plugin]) -> Plugin:
    """The plug-in of `ray:NAME`.

    Args:
        name: name of the detector on Ray.
        local: imports the plug-in of the same detector here. Its packages and models need not be.
    """
    return Plugin(lambda: _describe(name, local().describe()), _missing, lambda: RayDetector(name))


def _describe(name: str, info: DetectorInfo) -> DetectorInfo:
    return replace(
        info,
        name=f"ray:{name}",
        description=f"`{name}` on a Ray cluster. {info.description}".strip(),
        model_bytes=0,
        default_enabled=False,
    )


def _missing() -> str:
    return "" if find_spec("ray") else f"Ray is not installed: {INSTALL}"

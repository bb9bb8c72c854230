"""Which detectors there are. Built-ins and plug-ins of other packages come in by the same door: entry points.

Rule 1: reading the registry loads no model; a plug-in's module is imported when something is asked of it.
Rule 2: a plug-in that is broken is listed as missing, with its reason; it never takes the others down.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint, entry_points

from perception.detectors.protocol import DetectorInfo, Plugin
from perception.errors import DetectorMissingError, UnknownDetectorError

GROUP = "perception.detectors"


@dataclass(frozen=True, slots=True)
class DetectorStatus:
    """What is known of one detector here. `missing` is why it cannot be used and how to change that, or ""."""

    info: DetectorInfo
    missing: str = ""

    @property
    def installed(self) -> bool:
        return not self.missing


class Registry:
    """Detectors by name.

    Args:
        loaders: for each name, what imports and returns its plug-in; called when that is first needed.
        origins: of those that another process can import, `module:attribute`.
    """

    def __init__(self, loaders: Mapping[str, Callable[[], Plugin]], origins: Mapping[str, str] | None = None) -> None:
        self._loaders = dict(sorted(loaders.items()))
        self._origins = dict(origins or {})
        self._plugins: dict[str, Plugin] = {}

    @classmethod
    def load(cls, **more: Plugin) -> Registry:
        """All detectors that installed packages offer, and some more. Imports none of them."""
        points = entry_points(group=GROUP)
        offered = {point.name: partial(_load_plugin, point) for point in points}
        origins = {point.name: point.value for point in points if point.name not in more}
        return cls(offered | {name: partial(_itself, plugin) for name, plugin in more.items()}, origins)

    @classmethod
    def of(cls, **plugins: Plugin) -> Registry:
        """Exactly these, for tests and for embedding."""
        return cls({name: partial(_itself, plugin) for name, plugin in plugins.items()})

    def names(self) -> tuple[str, ...]:
        """Every known name, installed or not, sorted."""
        return tuple(self._loaders)

    def origin(self, name: str) -> str:
        """Where another process finds the plug-in, `module:attribute`; empty for one that is an object of this one."""
        return self._origins.get(name, "")

    def get(self, name: str) -> Plugin:
        """The plug-in of that name, ready to be made.

        Raises:
            UnknownDetectorError: no package offers that name.
            DetectorMissingError: it is offered, but cannot be used here.
        """
        status, plugin = self._look_at(name)
        if plugin is None or status.missing:
            raise DetectorMissingError(f"detector {name} cannot be used here: {status.missing}", detector=name)
        return plugin

    def describe(self, name: str) -> DetectorStatus:
        """Raises UnknownDetectorError: no package offers that name."""
        return self._look_at(name)[0]

    def describe_all(self) -> tuple[DetectorStatus, ...]:
        """All of them in the order of their names."""
        return tuple(self.describe(name) for name in self._loaders)

    def defaults(self) -> tuple[str, ...]:
        """Names of what is used when a request names none: installed or not, so that a missing one is reported."""
        return tuple(status.info.name for status in self.describe_all() if status.info.default_enabled)

    def _look_at(self, name: str) -> tuple[DetectorStatus, Plugin | None]:
        if name not in self._loaders:
            known = ", ".join(self._loaders) or "none"
            raise UnknownDetectorError(f"no detector is called {name}; known are: {known}", field="detectors")
        try:
            if name not in self._plugins:
                self._plugins[name] = self._loaders[name]()
            plugin = self._plugins[name]
            return DetectorStatus(plugin.describe(), plugin.missing()), plugin
        except Exception as exc:  # a stranger's import can raise anything; the reason is what the user needs
            unknown = DetectorInfo(name=name, description="", licence="", kinds=())
            reason = f"its package fails to load ({type(exc).__name__}: {exc}): reinstall or remove it"
            return DetectorStatus(unknown, reason), None


def _load_plugin(point: EntryPoint) -> Plugin:
    plugin = point.load()
    if not isinstance(plugin, Plugin):
        raise TypeError(f"{point.value} is a {type(plugin).__name__}, not a perception.detectors.protocol.Plugin")
    return plugin


def _itself(plugin: Plugin) -> Plugin:
    return plugin

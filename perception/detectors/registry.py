"""The registry of detectors. Built-in detectors and plug-ins of other packages are both found by entry points.

Rule 1: reading the registry loads no model; a plug-in's module is imported on first use.
Rule 2: a broken plug-in is listed as missing, with the reason; the other detectors are not affected.
Rule 3: no look asks a plug-in for its facts, which takes 0.4 ms each: many read the facts of their packages. What a
look needs of them is asked once.
Rule 4: `ray:NAME` is NAME on a Ray cluster. Such names are found wherever NAME is, and listed nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint, entry_points

from perception.detectors.protocol import DetectorInfo, Plugin
from perception.errors import DetectorMissingError, UnknownDetectorError

ENTRY_POINT_GROUP = "perception.detectors"

ON_RAY = "ray:"


def name_on_ray(name: str) -> str:
    """`ppocr` for `ray:ppocr`, the name that a detector has on Ray; "" for a detector of this machine."""
    return name.removeprefix(ON_RAY) if name.startswith(ON_RAY) else ""


@dataclass(frozen=True, slots=True)
class DetectorStatus:
    """State of one detector on this machine.

    Attributes:
        info: facts of the plug-in; only the name if the plug-in fails to load.
        missing: why the detector cannot be used and how to fix it; "" if it can be used.
    """

    info: DetectorInfo
    missing: str = ""

    @property
    def installed(self) -> bool:
        return not self.missing


class Registry:
    """Detectors by name.

    Args:
        loaders: for each name, a function that imports and returns its plug-in; called on first use.
        origins: `module:attribute` of the plug-ins that another process can import.
    """

    def __init__(self, loaders: Mapping[str, Callable[[], Plugin]], origins: Mapping[str, str] | None = None) -> None:
        self._loaders = dict(sorted(loaders.items()))
        self._origins = dict(origins or {})
        self._plugins: dict[str, Plugin] = {}
        self._are_defaults: dict[str, bool] = {}

    @classmethod
    def load(cls, **more: Plugin) -> Registry:
        """A registry of all detectors of the installed packages and of `more`. Imports none of them."""
        points = entry_points(group=ENTRY_POINT_GROUP)
        offered = {point.name: partial(_load_plugin, point) for point in points}
        origins = {point.name: point.value for point in points if point.name not in more}
        return cls(offered | {name: partial(_return_plugin, plugin) for name, plugin in more.items()}, origins)

    @classmethod
    def of(cls, **plugins: Plugin) -> Registry:
        """A registry of the given plug-ins only, for tests and for embedding."""
        return cls({name: partial(_return_plugin, plugin) for name, plugin in plugins.items()})

    def names(self) -> tuple[str, ...]:
        """Every known name, installed or not, sorted."""
        return tuple(self._loaders)

    def origin(self, name: str) -> str:
        """`module:attribute` by which another process imports the plug-in; "" for an object of this process."""
        return self._origins.get(name, "")

    def get(self, name: str) -> Plugin:
        """The plug-in of that name.

        Raises:
            UnknownDetectorError: no package offers that name.
            DetectorMissingError: the detector cannot be used on this machine.
        """
        try:
            plugin = self._load(name)
            missing = plugin.missing()
        except UnknownDetectorError:
            raise
        except Exception as exc:  # as in `_resolve`
            raise DetectorMissingError(f"detector {name} cannot be used here: {_why(exc)}", detector=name) from exc
        if missing:
            raise DetectorMissingError(f"detector {name} cannot be used here: {missing}", detector=name)
        return plugin

    def describe(self, name: str) -> DetectorStatus:
        """The state of a detector. Raises UnknownDetectorError: no package offers that name."""
        return self._resolve(name)[0]

    def describe_all(self, used: Iterable[str] = ()) -> tuple[DetectorStatus, ...]:
        """The states of all detectors, sorted by name, and of those on Ray among `used`."""
        on_ray = [name for name in used if name_on_ray(name) in self._loaders]
        return tuple(self.describe(name) for name in (*self._loaders, *dict.fromkeys(on_ray)))

    def defaults(self) -> tuple[str, ...]:
        """Names of the detectors for requests that name none. Missing ones are included, so that they are reported."""
        return tuple(name for name in self._loaders if self._is_default(name))

    def line_reader(self, script: str) -> tuple[str, str]:
        """The first detector that reads lines in a script on this machine, and why none does. One of the two is ""."""
        reasons = []
        for name in self._loaders:
            plugin = self._resolve(name)[1]
            if plugin is not None and plugin.missing_script is not None:
                missing = plugin.missing_script(script)
                if not missing:
                    return name, ""
                reasons.append(missing)
        return "", reasons[0] if reasons else "no detector for that script is installed; see docs/detectors.md"

    def _is_default(self, name: str) -> bool:
        """Whether requests that name no detector get this one. One that fails to load is asked again."""
        if name not in self._are_defaults:
            status, plugin = self._resolve(name)
            if plugin is None:
                return False
            self._are_defaults[name] = status.info.default_enabled
        return self._are_defaults[name]

    def _load(self, name: str) -> Plugin:
        """The plug-in, imported on first use. Raises UnknownDetectorError, and what its import raises."""
        on_ray = name_on_ray(name)
        if (on_ray or name) not in self._loaders:
            known = ", ".join(self._loaders) or "none"
            raise UnknownDetectorError(f"no detector is called {on_ray or name}; known are: {known}", field="detectors")
        if name not in self._plugins:
            self._plugins[name] = self._load_on_ray(on_ray) if on_ray else self._loaders[name]()
        return self._plugins[name]

    def _load_on_ray(self, name: str) -> Plugin:
        from perception.detectors.ray_serve.plugin import ray_plugin

        return ray_plugin(name, lambda: self._load(name))

    def _resolve(self, name: str) -> tuple[DetectorStatus, Plugin | None]:
        try:
            plugin = self._load(name)
            return DetectorStatus(plugin.describe(), plugin.missing()), plugin
        except UnknownDetectorError:
            raise
        except Exception as exc:  # the import of a plug-in can raise anything; the user needs the reason
            unknown = DetectorInfo(name=name, description="", licence="", kinds=())
            return DetectorStatus(unknown, _why(exc)), None


def _why(error: Exception) -> str:
    return f"its package fails to load ({type(error).__name__}: {error}): reinstall or remove it"


def _load_plugin(point: EntryPoint) -> Plugin:
    plugin = point.load()
    if not isinstance(plugin, Plugin):
        raise TypeError(f"{point.value} is a {type(plugin).__name__}, not a perception.detectors.protocol.Plugin")
    return plugin


def _return_plugin(plugin: Plugin) -> Plugin:
    return plugin

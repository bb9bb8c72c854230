"""All faults by name, in the order in which they are injected: processes, disks, calls, and the service itself last."""

from __future__ import annotations

from collections.abc import Mapping

from perception.bench.suites.faults import call_faults, disk_faults, process_faults
from perception.bench.suites.faults.injection import INJECTIONS, Injection

_ORDER = [module.__name__ for module in (process_faults, disk_faults, call_faults)]

_SERVICE = "service "
"""Prefixes of faults that stop the service itself."""


def _place(name: str) -> tuple[bool, int]:
    return name.startswith(_SERVICE), _ORDER.index(INJECTIONS[name].__module__)


WAYS: Mapping[str, Injection] = {name: INJECTIONS[name] for name in sorted(INJECTIONS, key=_place)}

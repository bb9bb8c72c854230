"""Which version of this package a machine has."""

from __future__ import annotations

from importlib import metadata

PACKAGE = "perception-service"


def own_version() -> str:
    """Empty where the package is not installed, as in a folder that is only on the path."""
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return ""

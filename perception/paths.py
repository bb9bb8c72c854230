"""Where files are kept on this machine. The one place that knows `PERCEPTION_HOME`."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def home_folder() -> Path:
    """The folder for packages, data sets, runs, recordings and subroutines: `$PERCEPTION_HOME`, else `perception` in
    the user's cache folder. It need not exist yet."""
    if home := os.environ.get("PERCEPTION_HOME"):
        return Path(home).absolute()
    return _cache_folder() / "perception"


def _cache_folder() -> Path:
    """The user's cache folder by the conventions of the system: XDG, Apple's or Microsoft's."""
    if xdg := os.environ.get("XDG_CACHE_HOME"):
        return Path(xdg)
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local)
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches"
    return Path.home() / ".cache"

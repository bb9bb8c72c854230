"""The parts of SciPy that are needed to fuse. They load when they are first used, which takes half a second or more: so
they are loaded in a thread, before or while detectors run."""

from __future__ import annotations

import asyncio
import sys

import scipy


async def load_scipy() -> None:
    """Loads them, unless they are loaded."""
    if "scipy.sparse.csgraph" not in sys.modules:
        await asyncio.to_thread(lambda: (scipy.ndimage, scipy.optimize, scipy.sparse.csgraph))

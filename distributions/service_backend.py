"""hatchling, without its short cut to a wheel's metadata, which knows nothing of what service_build.py adds.

`version` is dynamic in pyproject.toml for the same reason: uv takes static metadata from there.
"""

from hatchling.build import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

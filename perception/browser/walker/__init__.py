"""The page walker: plain JavaScript in small files by concern, put together here.

It runs in an isolated world of each frame, where the page's own scripts can neither see nor change it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_PARTS = (
    "safe",
    "registry",
    "roles",
    "tables",
    "generated",
    "names",
    "hints",
    "secret_words",
    "secrets",
    "states",
    "geometry",
    "style",
    "colours",
    "hits",
    "disturbed",
    "tree",
    "ink",
    "covers",
    "reading",
    "frames",
    "rows",
    "mutations",
    "update",
    "veils",
    "api",
    "identify",
    "at",
    "hands",
    "made",
    "traits",
    "finder",
    "selectors",
    "unseen",
    "survey",
    "writing",
    "content",
)
"""In this order: a part uses only what stands before it when it is loaded."""


@cache
def walker_source() -> str:
    """The whole walker as one expression; it defines `perceptionWalker` in the world that evaluates it."""
    folder = files(__name__)
    parts = (folder.joinpath(f"{part}.js").read_text(encoding="utf-8") for part in _PARTS)
    # A page out of the back/forward cache brings its world along: its nodes must keep their numbers.
    return "globalThis.perceptionWalker || (() => {\n'use strict';\n" + "\n".join(parts) + "\n})()"


@cache
def recorder_source() -> str:
    """A walker of its own with the recorder in it, as one expression; it defines `perceptionRecorder` in a world that
    has none yet."""
    folder = files(__name__)
    parts = (folder.joinpath(f"{part}.js").read_text(encoding="utf-8") for part in (*_PARTS, "recorder"))
    return "globalThis.perceptionRecorder || (() => {\n'use strict';\n" + "\n".join(parts) + "\n})()"

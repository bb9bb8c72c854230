"""The page walker: ES modules that are bundled here and run in an isolated world of each frame.

The page's own scripts can neither see nor change that world.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from perception.browser.walker.bundle import bundle


@cache
def walker_source() -> str:
    """The walker as one expression; it defines `perceptionWalker` in the world that evaluates it."""
    # A page that comes out of the back/forward cache still has its world: its nodes must keep their numbers.
    return _expression("walker.js", unless="perceptionWalker")


@cache
def recorder_source() -> str:
    """The recorder as one expression; it defines `perceptionRecorder` in the world that evaluates it."""
    return _expression("recorder.js", unless="perceptionRecorder")


def _expression(entry: str, *, unless: str) -> str:
    """A module with all that it imports; it does nothing in a world that has the global `unless` already."""
    folder = files(__name__)
    statements = bundle(entry, lambda path: folder.joinpath(path).read_text(encoding="utf-8"))
    return f"globalThis.{unless} || (() => {{\n'use strict';\n{_NOT_ASCII.sub(_escaped, statements)}\n}})()"


_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


def _escaped(found: re.Match[str]) -> str:
    """As in JavaScript's strings and patterns. With a single letter that Latin-1 lacks, the engine holds the whole
    source in two bytes a letter: a page took 1.7 times as long to receive and compile it (Chromium 156)."""
    return re.sub("....", r"\\u\g<0>", found[0].encode("utf-16-be").hex())

"""Patience of the service with a busy machine: what comes too late for it is missing in an answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from perception.browser.capture import capturer, frame_capture
from perception.browser.input import element_finder
from perception.browser.page import worlds
from perception.server.actions import effects

LONG_SECONDS = 60.0

PATIENCES = (
    (effects, "AFTERMATH_SECONDS"),  # new tabs, downloads, a page that is busy
    (capturer, "CAPTURE_FRAME_SECONDS"),
    (frame_capture, "CAPTURE_FRAME_SECONDS"),
    (element_finder, "FIND_FRAME_SECONDS"),
    (worlds, "HEARD_SECONDS"),
)


@contextmanager
def long_patience() -> Iterator[None]:
    """For tests of pages that answer, at which nothing is waited for that does not come."""
    with ExitStack() as stack:
        for module, name in PATIENCES:
            stack.enter_context(patch.object(module, name, LONG_SECONDS))
        yield

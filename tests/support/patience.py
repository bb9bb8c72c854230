"""Patience of the service with a busy machine: what comes too late for it is missing in an answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from unittest.mock import patch

from perception.browser.capture import capturer, frame_capture
from perception.browser.input import element_finder
from perception.browser.page import worlds
from perception.server.actions import effects
from perception.server.services import session as session_rpcs

LONG_SECONDS = 60.0

FOR_ANSWERS = (
    (effects, "AFTERMATH_SECONDS"),  # new tabs, downloads, a page that is busy
    (effects, "FLOODED_SECONDS"),
    (effects, "OWN_EVENTS_SECONDS"),
    (session_rpcs, "AFTERMATH_SECONDS"),
)

FOR_LOOKS = (
    (capturer, "CAPTURE_FRAME_SECONDS"),
    (frame_capture, "CAPTURE_FRAME_SECONDS"),
    (element_finder, "FIND_FRAME_SECONDS"),
    (worlds, "HEARD_SECONDS"),
)


@contextmanager
def long_patience(*limits: tuple[ModuleType, str]) -> Iterator[None]:
    """For tests at which nothing is waited for that does not come.

    Args:
        limits: modules, and what each calls its limit, s.
    """
    with ExitStack() as stack:
        for module, name in limits:
            stack.enter_context(patch.object(module, name, LONG_SECONDS))
        yield

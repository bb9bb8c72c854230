"""Runs of subroutines that do not wait long for what does not come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

from perception.server.subroutines import confirm, fetch, page_waits, results, steps, target_finder

SHORT_SECONDS = 1.0
"""Several looks at a page that has come already, also on a busy machine."""


@contextmanager
def short_waits(*, answers: bool = False) -> Iterator[None]:
    """For runs that end because something does not come: an element, a sign, an address, a result; or an answer, which
    a busy machine gives late where it comes."""
    with ExitStack() as stack:
        for module in (confirm, steps, target_finder):
            stack.enter_context(patch.object(module, "APPEAR_SECONDS", SHORT_SECONDS))
            stack.enter_context(patch.object(module, "POLL_SECONDS", SHORT_SECONDS / 5))
        stack.enter_context(patch.object(target_finder, "LOADED_SECONDS", SHORT_SECONDS / 5))
        for module, name in ((page_waits, "URL"), (results, "RESULT"), *([(fetch, "ANSWER")] if answers else ())):
            stack.enter_context(patch.object(module, f"{name}_SECONDS", SHORT_SECONDS))
        yield

"""Calls that the service ends, and not the client, however busy the machine is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from perception.server.app import Service

RESERVE_SECONDS = 30.0


@contextmanager
def early_ends(service: Service) -> Iterator[float]:
    """The service ends its calls 30 s before their callers' deadlines; by default 0.2 s, which a busy machine may need.

    Yields:
        These seconds: a call with half a second more is given up by the service after half a second.
    """
    settings = service.context.settings
    given = settings.reply_reserve_s
    settings.__dict__["reply_reserve_s"] = RESERVE_SECONDS  # it is frozen
    try:
        yield RESERVE_SECONDS
    finally:
        settings.__dict__["reply_reserve_s"] = given

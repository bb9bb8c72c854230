"""What the service says of the end of its workers beside its answers, and a client that hears it."""

from __future__ import annotations

from typing import Any

from perception.client import AsyncClient
from perception.client.access import CLOSES_BY_KEY
from perception.interaction.closing import closing_words

MAX_HEARD = 1024
"""Sessions whose end is remembered; those that were heard of first are forgotten first."""


class HearingClient(AsyncClient):
    """A client that remembers which sessions have a worker that is about to end."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._heard: dict[str, float] = {}
        self._told: dict[str, float] = {}

    async def call(self, method: Any, request: Any, timeout_s: float | None = None) -> Any:
        async def heard(request: Any, **options: Any) -> Any:
            call = method(request, **options)
            reply = await call
            self._hear(getattr(request, "session_id", ""), await call.trailing_metadata())
            return reply

        return await super().call(heard, request, timeout_s)

    def ending(self, session_id: str) -> str:
        """What a model is to know of the end of its session; empty for nothing new."""
        closes_at_s = self._heard.get(session_id)
        if closes_at_s is None or self._told.get(session_id) == closes_at_s:
            return ""
        _remember(self._told, session_id, closes_at_s)
        return closing_words(closes_at_s)

    def _hear(self, session_id: str, metadata: Any) -> None:
        for key, value in metadata or ():
            if key == CLOSES_BY_KEY and session_id and str(value).isdecimal():
                _remember(self._heard, session_id, float(value))


def _remember(known: dict[str, float], session_id: str, closes_at_s: float) -> None:
    known[session_id] = closes_at_s
    if len(known) > MAX_HEARD:
        del known[next(iter(known))]

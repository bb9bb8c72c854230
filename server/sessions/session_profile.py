"""The profile of a session: loaded before its first page, kept every few minutes and when the session ends."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from perception.browser.network.policy import Origin
from perception.browser.storage.foreign import split_state
from perception.browser.storage.session_storage import SessionStorage, StateReading, fit_state
from perception.browser.storage.state import BrowserState
from perception.deadline import Deadline
from perception.errors import PerceptionError
from perception.server.profiles.store import HeldProfile

log = structlog.get_logger(__name__)

KEEP_SECONDS = 8.0
"""Limit for one save, which takes 0.1 s and 20 ms for each visited origin. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What came of a save.

    Attributes:
        error: why the state is not kept; what was kept before then still is. Empty when it is.
        omitted: what of the state the profile lacks, one sentence each.
    """

    error: str = ""
    omitted: tuple[str, ...] = ()


class SessionProfile:
    """A profile while a session has it.

    Args:
        origins: those of the session: what is for others stays in the profile as it is.
    """

    def __init__(self, held: HeldProfile, origins: Sequence[Origin]) -> None:
        self._held = held
        self._origins = origins
        self._saving = asyncio.Lock()
        self._is_kept = False

    @property
    def name(self) -> str:
        return self._held.name

    @property
    def read_only(self) -> bool:
        return self._held.read_only

    async def load(self, storage: SessionStorage, deadline: Deadline) -> tuple[str, ...]:
        """Gives a new session the profile's state. Returns what the browser did not take; raises as `write`."""
        state, _ = split_state(self._held.state, self._origins)
        if state == BrowserState():
            return ()
        return (await storage.write(state, deadline)).omitted

    def start_keeping(self) -> None:
        """The session has all that it begins with: what it has from now on is the profile's. Before that, a session
        that does not open would be saved in place of the profile."""
        self._is_kept = True

    async def keep(self, storage: SessionStorage) -> Kept:
        """Saves the session's state, unless the profile is only read, not kept yet, or nothing has changed."""
        if self._held.read_only or not self._is_kept:
            return Kept()
        async with self._saving:
            try:
                read = self._whole(await storage.read(Deadline.of(KEEP_SECONDS)))
                await asyncio.to_thread(self._held.save, read.state)
            except (PerceptionError, OSError) as exc:
                why = str(exc) if isinstance(exc, PerceptionError) else (exc.strerror or type(exc).__name__)
                log.warning("profile not kept", profile=self.name, reason=type(exc).__name__)
                return Kept(f"profile {self.name!r} is kept as it was saved last, not as it is now: {why}")
        return Kept(omitted=read.omitted)

    def _whole(self, read: StateReading) -> StateReading:
        """What was read, with what the session does not see, and what could not be read as it was before."""
        _, rest = split_state(self._held.state, self._origins)
        before = [each for each in self._held.state.origins if each.origin in read.unread]
        fresh = {each.identity for each in read.state.cookies}
        cookies = [each for each in rest.cookies if each.identity not in fresh] + read.state.cookies
        known = {each.origin for each in read.state.origins}
        origins = [each for each in (*rest.origins, *before) if each.origin not in known] + read.state.origins
        return fit_state(BrowserState(cookies, origins), list(read.omitted))

    def release(self) -> None:
        """Lets other sessions have it. Safe to call twice."""
        self._held.release()

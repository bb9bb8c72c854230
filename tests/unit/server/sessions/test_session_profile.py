"""When the state of a session replaces that of its profile."""

from __future__ import annotations

from typing import Any

from perception.browser.storage.session_storage import StateReading
from perception.browser.storage.state import BrowserState
from perception.deadline import Deadline
from perception.server.sessions.session_profile import SessionProfile


class Held:
    """A profile whose saves are noted."""

    name, read_only, state = "shop", False, BrowserState()

    def __init__(self) -> None:
        self.saved: list[BrowserState] = []

    def save(self, state: BrowserState) -> None:
        self.saved.append(state)


class Storage:
    """Of a session with no cookies."""

    async def read(self, deadline: Deadline) -> StateReading:
        return StateReading(BrowserState(), ())


async def test_a_session_that_did_not_open_leaves_its_profile_as_it_was() -> None:
    held: Any = Held()
    profile = SessionProfile(held, ())
    assert (await profile.keep(Storage())).error == ""  # type: ignore[arg-type]
    assert held.saved == []
    profile.start_keeping()
    await profile.keep(Storage())  # type: ignore[arg-type]
    assert held.saved == [BrowserState()]

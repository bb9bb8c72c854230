"""Profiles of sessions that are about to open."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from perception.browser.session_options import SessionOptions
from perception.server.profiles.store import HeldProfile, ProfileStore
from perception.server.sessions.logins import Logins
from perception.server.sessions.profiles import Profiles
from perception.server.settings import Settings
from tests.support.waiting import until


async def test_a_profile_that_opens_after_its_call_has_ended_is_free_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_open, opened = threading.Event(), list[HeldProfile]()
    open_profile = ProfileStore.open

    def open_late(store: ProfileStore, *arguments: Any, **options: Any) -> HeldProfile:
        may_open.wait(30)
        opened.append(open_profile(store, *arguments, **options))
        return opened[0]

    profiles, shop = Profiles(Settings(data_dir=tmp_path), tuple), Logins(profile="shop")

    async def take(session_id: str) -> None:
        async with profiles.taken(shop, session_id, SessionOptions()) as taken:
            assert taken is not None
        taken.release()

    with monkeypatch.context() as patched:
        patched.setattr(ProfileStore, "open", open_late)
        taking = asyncio.create_task(take("first"))
        await asyncio.sleep(0)
        taking.cancel()
        await asyncio.wait([taking])
        assert taking.cancelled()
        may_open.set()
        await until(lambda: bool(opened) and opened[0]._lock is None)
    await take("second")

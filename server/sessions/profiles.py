"""Which sessions have profiles, and when these are kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import cache

from perception.browser.opening import await_opened
from perception.browser.session_options import SessionOptions
from perception.server import rpc_call
from perception.server.profiles.keys import ProfileKey, load_key
from perception.server.profiles.store import ProfileStore
from perception.server.sessions.logins import Logins
from perception.server.sessions.session import Session
from perception.server.sessions.session_profile import Kept, SessionProfile
from perception.server.settings import Settings


class Profiles:
    """The profiles of a service.

    Attributes:
        store: all of them, on disk.
    """

    def __init__(self, settings: Settings, sessions: Callable[[], Iterable[Session]]) -> None:
        folder = settings.data_folder
        self._save_s = settings.profile_save_s
        self._sessions = sessions

        @cache
        def key() -> ProfileKey:
            return load_key(settings.profile_key, folder)

        self.store = ProfileStore(folder / "profiles", key, settings.profile_days)

    @asynccontextmanager
    async def taken(
        self, logins: Logins, session_id: str, options: SessionOptions
    ) -> AsyncIterator[SessionProfile | None]:
        """The profile that a new session asks for, None where it asks for none; released if the session does not open.
        Raises as `ProfileStore.open`."""
        if not logins.profile:
            yield None
            return
        opening = asyncio.to_thread(
            self.store.open, rpc_call.principal(), logins.profile, session_id, read_only=logins.read_only
        )
        held = await await_opened(opening, lambda late: asyncio.to_thread(late.release))
        try:
            yield SessionProfile(held, options.allowed_origins)
        except BaseException:
            held.release()
            raise

    async def keep_at_end(self, session: Session) -> Kept:
        """Keeps the profile of a session that ends, and lets others have it."""
        if session.profile is None:
            return Kept()
        try:
            return await session.profile.keep(session.browser.storage)
        finally:
            session.profile.release()

    async def keep_now_and_then(self) -> None:
        """Keeps the profiles of all sessions while the service runs, one after the other."""
        while True:
            await asyncio.sleep(self._save_s)
            for session in list(self._sessions()):
                if session.profile is not None and session.browser.alive:
                    await session.profile.keep(session.browser.storage)

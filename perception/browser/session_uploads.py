"""What was uploaded in a session: how much, and the folders that it is in."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from perception.browser.session_host import SessionHost


class SessionUploads:
    """The uploads of one session.

    Args:
        host: the browser, which makes folders.
        max_bytes: limit of all of them together.

    Attributes:
        max_bytes: that limit.
        used_bytes: how much was uploaded so far.
        counting: held while an upload is counted and copied.
    """

    def __init__(self, host: SessionHost, max_bytes: int) -> None:
        self._host = host
        self._folders: list[Path] = []
        self.max_bytes = max_bytes
        self.used_bytes = 0
        self.counting = asyncio.Lock()

    @property
    def left_bytes(self) -> int:
        """How much may still be uploaded."""
        return self.max_bytes - self.used_bytes

    @property
    def folders(self) -> tuple[Path, ...]:
        """Those that were made."""
        return tuple(self._folders)

    def make_folder(self) -> Path | None:
        """A new folder for uploaded files. Pages may read them at any time, so it is removed with the session. None for
        a browser that is not ours.

        Raises:
            SessionLostError: the browser's own folder was removed.
        """
        folder = self._host.make_folder("uploads")
        if folder is not None:
            self._folders.append(folder)
        return folder

    async def remove(self) -> None:
        """Removes all of them."""
        for folder in self._folders:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

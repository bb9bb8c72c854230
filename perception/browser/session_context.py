"""Playwright's context of a session, and what holds for all of its pages. It changes when the context is replaced."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from typing import Any

from playwright.async_api import BrowserContext, CDPSession, Page

from perception.browser.opening import await_opened, close_whole
from perception.browser.page.clipboard import deny_clipboard
from perception.browser.page.conditions import NO_CONDITIONS, Conditions, apply_permissions
from perception.browser.page.downloads import Downloads
from perception.browser.session_host import SessionHost
from perception.browser.session_options import SessionOptions
from perception.deadline import Deadline


class SessionContext:
    """The context of one session.

    Args:
        has_frame: whether a frame is of a tab of the session.

    Attributes:
        playwright: Playwright's context.
        id: its BrowserContextID, known once a tab is attached; empty before.
    """

    def __init__(self, host: SessionHost, playwright: BrowserContext, has_frame: Callable[[str], bool]) -> None:
        self._host = host
        self._has_frame = has_frame
        self._ruled: set[tuple[str, str]] = set()
        self._downloads: Downloads | None = None
        self.playwright = playwright
        self.id = ""

    @property
    def downloads(self) -> Downloads:
        assert self._downloads is not None  # set when the first tab is attached
        return self._downloads

    async def target_info(self, page: Page) -> dict[str, Any]:
        """What the browser says of a page."""
        commands = await await_opened(self.playwright.new_cdp_session(page), CDPSession.detach)
        try:
            info: dict[str, Any] = (await commands.send("Target.getTargetInfo"))["targetInfo"]
        finally:
            await close_whole(commands.detach())
        return info

    async def prepare(self, context_id: str, options: SessionOptions, deadline: Deadline) -> None:
        """Gives a context what all its pages have, when its first page is attached."""
        self.id = context_id
        if self._downloads is not None and self._downloads.context_id == context_id:
            return
        await deny_clipboard(self._host.link, context_id, deadline)
        await self.permit(options.conditions, NO_CONDITIONS, deadline)
        if self._downloads is None:
            self._downloads = await self._attach_downloads(options, deadline)
        else:
            await self._downloads.follow(context_id, deadline)

    async def permit(self, conditions: Conditions, before: Conditions, deadline: Deadline) -> None:
        """Gives its pages the permissions of conditions. Raises BadInputError for one that is unknown."""
        await apply_permissions(self._host.link, self.id, conditions, before, self._ruled, deadline)

    async def _attach_downloads(self, options: SessionOptions, deadline: Deadline) -> Downloads:
        inbox = self._host.make_folder("downloads")
        try:
            return await Downloads.attach(
                self._host.link,
                self.id,
                inbox,
                options.download_dir,
                options.max_download_bytes,
                options.max_downloads_bytes,
                self._has_frame,
                deadline,
            )
        except BaseException:
            if inbox is not None:
                await asyncio.to_thread(shutil.rmtree, inbox, ignore_errors=True)
            raise

    async def close_downloads(self) -> None:
        """Ends its downloads, if it has had a page."""
        if self._downloads is not None:
            await self._downloads.close()

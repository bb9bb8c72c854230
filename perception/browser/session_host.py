"""What a session needs of the browser that holds it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Protocol

from playwright.async_api import BrowserContext

from perception.browser.cdp.cdp_link import CdpLink
from perception.browser.network.proxy import EgressProxy
from perception.browser.page.page_link import PageLink
from perception.browser.session_options import SessionOptions


class SessionHost(Protocol):
    """A browser, as its sessions see it."""

    @property
    def link(self) -> CdpLink:
        """The connection to the browser."""

    @property
    def alive(self) -> bool:
        """Whether the browser and both connections to it are there."""

    def make_folder(self, purpose: str) -> Path | None:
        """A new folder that the browser can write to; None for a browser that is not ours."""

    async def new_context(self, options: SessionOptions, egress: EgressProxy | None = None) -> BrowserContext:
        """A new browser context."""

    def errors_skipped(self, context: BrowserContext) -> int:
        """Uncaught errors of a context's pages that were not read so far, since there were too many."""

    def may_slow(self, page: PageLink) -> bool:
        """Whether a page may be slowed, for flooding the browser: False where it is known not to be."""

    def may_be_late(self, page: PageLink) -> bool:
        """Whether a page may be late, for the flood of a page of the same browser."""

    async def close_egress(self, egress: EgressProxy) -> None:
        """Ends a session's proxy."""

    async def kill(self) -> None:
        """Ends a browser of ours that does not answer."""

    def keep(self, task: asyncio.Task[None]) -> None:
        """Holds a background task until it is done, and cancels it when the browser is closed."""

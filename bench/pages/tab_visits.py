"""Pages that are read one after another, each in a tab of a session of its own that Playwright has, too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from playwright.async_api import Error as PlaywrightError

from perception.bench.pages.page_visits import OnPage
from perception.bench.pages.shared_browser import SharedTab, shared_browser
from perception.client import RemoteError
from perception.datasets.sources.manifest import PageSpec
from perception.datasets.sources.rendering import SWITCHES
from perception.errors import PerceptionError, first_line
from perception.v1 import session_service_pb2 as session_pb

T = TypeVar("T")


async def visit_tabs(
    pages: Mapping[str, str],
    known: Mapping[str, PageSpec],
    on_page: OnPage,
    read: Callable[[str, SharedTab], Awaitable[T]],
    *,
    seconds: float | None = None,
) -> tuple[list[T], dict[str, str], str]:
    """Reads pages one after another.

    Args:
        pages: address by page id.
        known: the manifest's facts of pages, by id: locale, time to wait, actions.
        on_page: called with each finished page, and the reason if it could not be read (empty: it was).
        read: goes to a page in its tab, and reads it.
        seconds: limit of one page.

    Returns:
        What was read; the reasons for pages that could not be read, by page; the browser's version.

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """
    found: list[T] = []
    failed: dict[str, str] = {}
    async with shared_browser(pages.values(), switches=SWITCHES) as shared:
        for page_id in pages:
            try:
                options = session_pb.SessionOptions(locale=known[page_id].locale if page_id in known else "")
                tab = await shared.open_tab(options)
                try:
                    async with asyncio.timeout(seconds):
                        found.append(await read(page_id, tab))
                finally:
                    await tab.ours.close()
            except (RemoteError, PlaywrightError, PerceptionError, TimeoutError) as exc:
                failed[page_id] = first_line(exc)
            on_page(page_id, failed.get(page_id, ""))
        return found, failed, shared.browser.version

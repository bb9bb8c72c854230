"""Reads what a search or a list shows, as JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any
from urllib.parse import urljoin

import msgspec

from perception.browser.browser_session import Tab
from perception.browser.capture.page_content import ContentOptions, PageContent, read_content
from perception.browser.cdp.cdp_link import CdpCallError
from perception.deadline import Deadline
from perception.errors import PageChangingError, SubroutineBrokenError
from perception.subroutines.result_rows import ResultRows, describe_place, place_of, rows_at, times_none

RESULT_SECONDS = 3.0
"""How long results are waited for that are not shown yet, or are those of before. Chosen by hand."""

POLL_SECONDS = 0.1


class SubroutineResults:
    """Reads the results of one run on one tab."""

    def __init__(self, tab: Tab, deadline: Deadline) -> None:
        self._tab = tab
        self._deadline = deadline
        self._before: PageContent | None = None

    async def look_before(self) -> None:
        """Reads the page before the first step, to know old rows from new ones."""
        self._before = await self._content()

    async def read(self, given: Mapping[str, Any], note: Callable[[str], None]) -> list[Any]:
        """The rows at a place; none where there is no such table or list.

        Args:
            given: the place, as the script names it.
            note: called with what shows that the search was done, in words.

        Raises:
            SubroutineBrokenError: the script names no place.
        """
        try:
            place = place_of(given)
        except msgspec.ValidationError as exc:
            raise SubroutineBrokenError(f"results needs {{ kind, columns, heading, nth }}: {exc}") from exc
        old = rows_at(self._before.html, place) if self._before is not None else None
        share = self._deadline.share(RESULT_SECONDS)
        while True:
            content = await self._content()
            found = await asyncio.to_thread(rows_at, content.html, place) if content is not None else None
            says_none = found is None and content is not None and await asyncio.to_thread(self._says_none, content)
            if says_none or (found is not None and found != old) or share.spent():
                break
            await asyncio.sleep(POLL_SECONDS)
        if found is not None:
            note(f"{describe_place(place)} has {len(found.rows)} rows")
        elif says_none:
            note("the page says that there are no results")
        return _with_addresses(found, content.url if content is not None else "")

    def _says_none(self, content: PageContent) -> bool:
        return times_none(content.html) > self._none_before

    @cached_property
    def _none_before(self) -> int:
        return times_none(self._before.html) if self._before is not None else 0

    async def _content(self) -> PageContent | None:
        """None while the page goes to another document."""
        try:
            return await read_content(self._tab.link, None, ContentOptions(), self._deadline)
        except (CdpCallError, PageChangingError):
            return None


def _with_addresses(found: ResultRows | None, url: str) -> list[Any]:
    """The rows with whole addresses."""
    rows = list(found.rows) if found is not None else []
    return [{**row, "url": urljoin(url, row["url"])} if isinstance(row, dict) and "url" in row else row for row in rows]

"""Dialogs of one tab that hold up others: the pages of one process wait together until a dialog is answered."""

from __future__ import annotations

import asyncio

from perception.browser.page.page_link import PageLink
from perception.browser.page.recovery import ask_whether_free, is_silent
from perception.browser.session_host import SessionHost
from perception.browser.tab_list import TabList
from perception.errors import DialogOpenError

HELD_SECONDS = 0.3
"""A page that does not evaluate `0` for so long while another tab has a dialog is held up by it: pages do not tell what
they wait for. Chosen by hand."""


def follow_dialogs(link: PageLink, tabs: TabList, host: SessionHost) -> None:
    """From now on, a dialog of a tab's page ends the calls of the session's other tabs that it holds up, and theirs end
    those of this one."""

    def find_elsewhere() -> DialogOpenError | None:
        for tab in tabs.all:
            if tab.link is not link and tab.link.dialogs.open is not None:
                return tab.link.dialogs.error(tab.tab_id)
        return None

    def tell_others() -> None:
        for tab in tabs.all:
            if tab.link is not link:
                tab.link.watchdog.answer_probes()
                if tab.link.dialogs.is_awaited:
                    host.keep(asyncio.create_task(_interrupt(tab.link), name="dialog-elsewhere"))

    link.dialogs.find_elsewhere = find_elsewhere
    link.dialogs.subscribe(tell_others)


async def check_dialogs_elsewhere(link: PageLink) -> None:
    """Raises DialogOpenError where another tab of the session has a dialog that holds this one up."""
    error = link.dialogs.find_elsewhere()
    if error is not None and not link.crashed and await _is_held(link):
        raise error


async def _interrupt(link: PageLink) -> None:
    if await _is_held(link) and (error := link.dialogs.find_elsewhere()) is not None:
        link.dialogs.interrupt(error)


async def _is_held(link: PageLink) -> bool:
    return await is_silent(link.session, ask_whether_free(link.session), HELD_SECONDS)

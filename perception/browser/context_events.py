"""What Playwright says of a session's context: new pages, errors that pages did not catch, dialogs."""

from __future__ import annotations

import asyncio
import contextlib

from playwright.async_api import BrowserContext, Dialog, WebError
from playwright.async_api import Error as PlaywrightError

from perception.browser.session_host import SessionHost
from perception.browser.tab_list import TabList
from perception.browser.tab_opening import TabOpening


class ContextEvents:
    """Listens to the contexts of one session.

    Args:
        is_users: the context is the user's own, with tabs that are not the session's.
    """

    def __init__(self, host: SessionHost, tabs: TabList, opening: TabOpening, *, is_users: bool) -> None:
        self._host = host
        self._tabs = tabs
        self._opening = opening
        self._is_users = is_users

    def listen(self, context: BrowserContext) -> None:
        """Begins to listen to a context."""
        context.on("page", self._opening.hear_page)
        context.on("weberror", self._on_error)
        # Playwright dismisses every dialog of a context without a listener.
        context.on("dialog", self._on_dialog)

    def stop(self, context: BrowserContext) -> None:
        """Listens to a context no more."""
        context.remove_listener("page", self._opening.hear_page)
        context.remove_listener("weberror", self._on_error)
        context.remove_listener("dialog", self._on_dialog)

    def _on_error(self, error: WebError) -> None:
        tab = self._tabs.of_page(error.page)
        if tab is not None:
            tab.log_error(str(error.error))

    def _on_dialog(self, dialog: Dialog) -> None:
        """Dialogs are answered over our own link, except those of a window that is not attached yet: they would prevent
        that, and are dismissed."""
        if self._tabs.of_page(dialog.page) is None and not self._is_users:
            self._host.keep(asyncio.create_task(_dismiss(dialog), name="dismiss-dialog"))


async def _dismiss(dialog: Dialog) -> None:
    with contextlib.suppress(PlaywrightError):  # its window is closed
        await dialog.dismiss()

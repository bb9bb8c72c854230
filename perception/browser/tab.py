"""A tab as clients know it: Playwright's page for input, our own link for capturing, and what the page logged."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from playwright.async_api import ConsoleMessage, Page

from perception.browser.capture.capturer import PageCapturer
from perception.browser.console.console_listener import ConsoleListener
from perception.browser.console.console_log import ConsoleLog
from perception.browser.page.clipboard import SessionClipboard
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline

KEPT_ERRORS = 50
"""Console errors that a tab remembers. Chosen by hand."""

MAX_ERROR = 500
"""Characters kept of each. Chosen by hand."""

MAX_HEARD = 200
"""Console messages that are read during one action. Each costs about a millisecond. Chosen by hand."""


@dataclass(slots=True, eq=False)
class Tab:
    """One tab.

    Attributes:
        tab_id: its id in the session: t1, t2, …
        page: Playwright's page, for input.
        link: our own link, for everything else.
        capturer: captures it.
        opener: id of the tab whose page opened it; empty where no page did.
        name: given by the client; empty without one.
        clipboard: that of its session.
        errors: the last console errors and uncaught exceptions.
        error_count: how many there have been in all.
        heard: console messages that were read since the present action began.
        console: what its pages wrote to the console, as far as somebody has asked, or the session records it.
        listener: hears the console of its page.
        revivals: how often its page was replaced after a crash.
    """

    tab_id: str
    page: Page
    link: PageLink
    capturer: PageCapturer
    opener: str = ""
    name: str = ""
    clipboard: SessionClipboard = field(default_factory=SessionClipboard)
    errors: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_ERRORS))
    error_count: int = 0
    heard: int = 0
    console: ConsoleLog = field(default_factory=ConsoleLog)
    listener: ConsoleListener = field(init=False)
    revivals: int = 0

    def __post_init__(self) -> None:
        self.listener = ConsoleListener(self.console, self.link.link, self.link.target_id)

    @property
    def epoch(self) -> int:
        """From 1, raised each time its page is lost."""
        return 1 + self.revivals + self.link.crashed

    def errors_since(self, count: int) -> list[str]:
        """The errors that the page logged after the first `count`, as far as they are kept."""
        new = self.error_count - count
        return list(self.errors)[-new:] if new > 0 else []

    @contextmanager
    def hearing_console(self) -> Iterator[list[str]]:
        """Keeps the errors that the page writes to its console inside. Outside, and after MAX_HEARD messages, they are
        not read: what a page logs must not delay other sessions.

        Playwright (1.65) keeps the frames that call it, with all that they name, until a full garbage collection. So
        the event loop calls it, which has none of ours.

        Yields:
            Notes for the caller; filled when messages were left out.
        """
        page, notes, self.heard = self.page, list[str](), 0
        soon = asyncio.get_running_loop().call_soon

        def stop() -> None:
            with suppress(KeyError):  # stopped already
                page.remove_listener("console", hear)

        def hear(message: ConsoleMessage) -> None:
            self.heard += 1
            if self.heard > MAX_HEARD:
                if not notes:
                    stop()
                    notes.append(f"the page writes more than {MAX_HEARD} console messages: later errors are left out")
            elif message.type == "error":
                self.log_error(message.text)

        soon(page.on, "console", hear)
        try:
            yield notes
        finally:
            soon(stop)

    def log_error(self, text: str) -> None:
        """Remembers an error of the page."""
        self.errors.append(text[:MAX_ERROR])
        self.error_count += 1

    def replace_page(self, page: Page, link: PageLink, capturer: PageCapturer) -> None:
        """Puts another page in place of one that crashed."""
        self.capturer.let_go()
        self.page, self.link, self.capturer = page, link, capturer
        self.listener.close()
        self.listener = ConsoleListener(self.console, link.link, link.target_id)
        self.revivals += 1

    async def end(self) -> None:
        """Lets go of its page, which is closed."""
        self.listener.close()
        self.capturer.let_go()
        await self.link.detach()


PopupListener = Callable[[Tab, Deadline], Awaitable[None]]
"""Called with a window that a page has opened, before it is listed as a tab."""

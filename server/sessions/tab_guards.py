"""What surrounds every use of a tab: a page that hangs is freed, and dialogs of a page that is left are dismissed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from perception.browser.browser_session import Tab
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.dialogs import BEFOREUNLOAD, Dialog
from perception.deadline import Deadline
from perception.errors import DeadlineError, NoDialogError, PageChangingError, PageCrashedError, SessionLostError

LEAVING = "the page was left for another one, which has not come: wait for it, press Escape to stay, or Navigate"


@asynccontextmanager
async def recover_page(tab: Tab) -> AsyncIterator[None]:
    """Frees the tab's page after a deadline or a cancellation. A document that has not hung before may take its time
    until then."""
    try:
        async with tab.link.watchdog.guarding(), tab.link.dialogs.interrupting():
            yield
    except DeadlineError as exc:
        tab.link.watchdog.terminate_script()
        if tab.link.is_leaving:
            raise DeadlineError(f"{exc.marked} ({LEAVING})", phase=exc.phase, dispatched=exc.dispatched) from exc
        raise
    except asyncio.CancelledError:
        tab.link.watchdog.terminate_script()
        raise
    except SessionLostError as exc:
        if tab.link.crashed:
            raise PageCrashedError("the page crashed or hangs: open it again or close its tab") from exc
        raise
    except CdpCallError as exc:
        raise PageChangingError("the page went away while it was looked at: try again") from exc


@asynccontextmanager
async def dismiss_dialogs(tab: Tab, deadline: Deadline) -> AsyncIterator[None]:
    """Dismisses the dialogs of the document that is there, as a browser does when a person goes somewhere else."""
    link, before = tab.link, tab.link.commits

    def is_left(dialog: Dialog) -> bool:
        """The empty page that a hung document is replaced by has no dialogs: one is heard late."""
        return dialog.kind != BEFOREUNLOAD and (link.commits == before or link.url == "about:blank")

    with link.dialogs.dismissing(is_left):
        if link.dialogs.open is not None and link.dialogs.open.kind != BEFOREUNLOAD:
            with suppress(NoDialogError):  # it went by itself
                await link.dialogs.answer(accept=False, text="", deadline=deadline)
            link.watchdog.expect_hang()  # it may open the next dialog at once
        yield

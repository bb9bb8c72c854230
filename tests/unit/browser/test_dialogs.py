"""Dialogs of a page."""

from __future__ import annotations

import pytest

from perception.browser.cdp.cdp_link import CdpCallError
from perception.deadline import Deadline
from perception.errors import NoDialogError
from tests.support.fakes import FakeLink, emit, open_tab

GONE = CdpCallError("Page.handleJavaScriptDialog", -32602, "No dialog is showing")
OPENING = {"type": "alert", "message": "more"}


async def test_a_dialog_that_the_browser_no_longer_has_is_not_open() -> None:
    link = FakeLink()
    tab = await open_tab(link)
    dialogs = tab.link.dialogs
    link.replies["Page.handleJavaScriptDialog"] = GONE
    emit(tab, "Page.javascriptDialogOpening", **OPENING)
    with pytest.raises(NoDialogError, match="closed before it could be answered"):
        await dialogs.answer(accept=False, text="", deadline=Deadline.of(5))
    dialogs.check()

"""Printing a page that something else prints, or that cannot be printed."""

from __future__ import annotations

import pytest

from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.printing import PdfOptions, print_pdf
from perception.deadline import Deadline
from perception.errors import DeadlineError, PageChangingError
from tests.support.fakes import FakeLink, open_tab

A4 = PdfOptions(210, 297, False, (10, 10, 10, 10), "", True, 1.0, False)

BUSY = CdpCallError("Page.printToPDF", -32000, "Page is already being printed")


async def test_the_end_of_another_printing_is_waited_for() -> None:
    link = FakeLink()
    tab = await open_tab(link)
    answers = iter([BUSY, BUSY, {"stream": "s1"}])
    link.replies |= {"Page.printToPDF": lambda _: next(answers), "IO.read": {"data": "%PDF", "eof": True}}
    parts = [part async for part in print_pdf(tab.link, A4, Deadline.of(5))]
    assert parts == [b"%PDF"]


async def test_a_printing_that_never_ends_is_waited_for_until_the_deadline() -> None:
    link = FakeLink()
    tab = await open_tab(link)
    link.replies["Page.printToPDF"] = BUSY
    with pytest.raises(DeadlineError, match="printing the page"):
        async for _ in print_pdf(tab.link, A4, Deadline.of(5)):
            pass


async def test_a_page_that_cannot_be_printed_now_says_what_the_browser_said() -> None:
    link = FakeLink()
    tab = await open_tab(link)
    link.replies["Page.printToPDF"] = CdpCallError("Page.printToPDF", -32000, "Printing failed")
    with pytest.raises(PageChangingError, match=r"Wait for it, and print again .*Printing failed"):
        async for _ in print_pdf(tab.link, A4, Deadline.of(5)):
            pass

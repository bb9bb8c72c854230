"""What Chromium refuses while it replaces or closes a page has a reason that a client can act on."""

from __future__ import annotations

import pytest

from perception.browser.capture.redaction import _decode
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.input.sending import INVALID_PARAMS, InputSender
from perception.browser.page.clipboard import deny_clipboard
from perception.browser.page.worlds import STALE
from perception.browser.recording.injection import require_loaded
from perception.deadline import Deadline
from perception.errors import BrowserUnavailableError, PageChangingError, PerceptionError
from tests.support.fakes import FakeLink, open_tab


def threw(description: str) -> dict[str, object]:
    return {"result": {}, "exceptionDetails": {"exception": {"description": description}}}


async def test_input_that_is_refused_says_what_the_browser_said() -> None:
    tab = await open_tab(FakeLink())
    deadline = Deadline.of(5)
    with pytest.raises(PageChangingError, match=r"while clicking.*Not attached to an active page"):
        async with InputSender(tab).sending(deadline, "clicking"):
            raise CdpCallError("Input.dispatchMouseEvent", -32000, "Not attached to an active page")
    assert deadline.dispatched


async def test_input_that_is_written_wrong_is_a_defect() -> None:
    tab = await open_tab(FakeLink())
    with pytest.raises(PerceptionError) as caught:
        async with InputSender(tab).sending(Deadline.of(5), "clicking"):
            raise CdpCallError("Input.dispatchMouseEvent", INVALID_PARAMS, "Invalid parameters")
    assert type(caught.value) is PerceptionError


@pytest.mark.parametrize("thrown", [STALE, f"{STALE}\n    at Document"])
async def test_a_walker_whose_document_is_being_replaced_again_and_again(thrown: str) -> None:
    link = FakeLink()
    tab = await open_tab(link)
    link.replies["Runtime.evaluate"] = threw(thrown)
    with pytest.raises(PageChangingError, match="the document is being replaced"):
        await tab.link.evaluate(tab.link.main_frame, "perceptionWalker.warm()", Deadline.of(5), "looking")


async def test_a_walker_that_fails_in_a_document_that_was_just_replaced() -> None:
    link = FakeLink()
    tab = await open_tab(link)
    link.replies["Runtime.evaluate"] = lambda params: (
        threw(STALE) if params["expression"] == "perceptionWalker.warm()" else {"result": {"value": 0}}
    )
    with pytest.raises(PageChangingError, match="the page walker failed: the document is being replaced"):
        await tab.link.evaluate(tab.link.main_frame, "perceptionWalker.warm()", Deadline.of(5), "looking")


async def test_a_walker_that_throws_is_a_defect() -> None:
    link = FakeLink()
    tab = await open_tab(link)
    link.replies["Runtime.evaluate"] = threw("ReferenceError: a is not defined")
    with pytest.raises(PerceptionError, match="ReferenceError") as caught:
        await tab.link.evaluate(tab.link.main_frame, "a", Deadline.of(5), "looking")
    assert type(caught.value) is PerceptionError


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param({"result": {"value": "undefined"}}, id="not-there"),
        pytest.param(CdpCallError("Runtime.evaluate", -32000, "Cannot find context"), id="gone"),
    ],
)
async def test_a_recorder_that_does_not_run_in_a_page_may_be_begun_again(reply: object) -> None:
    link = FakeLink()
    tab = await open_tab(link)
    link.replies["Runtime.evaluate"] = reply
    with pytest.raises(PageChangingError, match="begin the recording again"):
        await require_loaded(tab.link.session, tab.link.main_frame, Deadline.of(5))


async def test_a_browser_that_keeps_no_clipboard_from_pages_is_the_wrong_one() -> None:
    link = FakeLink()
    link.replies["Browser.setPermission"] = CdpCallError("Browser.setPermission", -32000, "Unknown permission type")
    with pytest.raises(BrowserUnavailableError, match=r"Chromium 120 on.*Unknown permission type"):
        await deny_clipboard(link, "context", Deadline.of(5))  # type: ignore[arg-type]


def test_an_empty_picture_is_one_of_a_page_that_goes() -> None:
    with pytest.raises(PageChangingError, match="no picture"):
        _decode(b"no picture")

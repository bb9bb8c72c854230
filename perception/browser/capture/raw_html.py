"""The HTML of a tab's document as the browser holds it now, without passwords and private content."""

from __future__ import annotations

import msgspec

from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.errors import PageChangingError


class RawHtml(msgspec.Struct, frozen=True):
    """A document.

    Attributes:
        url: its address.
        html: its markup; frames and shadow trees are not in it.
    """

    url: str
    html: str


_decode = msgspec.json.Decoder(RawHtml).decode


async def read_raw_html(page: PageLink, deadline: Deadline) -> RawHtml:
    """Reads the top document (`walker/content/raw_html.js`).

    Raises:
        PageChangingError: the page navigated meanwhile.
        PageCrashedError, SessionLostError, DeadlineError
    """
    try:
        return _decode(await page.ask_text(page.main_frame, "rawHtml", deadline, "reading the page's HTML"))
    except CdpCallError as exc:
        raise PageChangingError("the page navigated while its HTML was read: nothing was saved, try again") from exc

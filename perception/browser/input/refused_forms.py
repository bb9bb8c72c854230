"""Forms that the browser does not send: it shows why at a field, and nothing in the document says so."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.errors import PerceptionError
from perception.page_words import quoted_words

ENTER_SECONDS = 0.5
"""How long a page may take to say what Enter came to."""


async def refusal_of_enter(page: PageLink, frame: str, deadline: Deadline) -> str:
    """Why Enter in a field has not sent its form, in words; empty where it may have, or where the page does not answer
    or is another one."""
    with contextlib.suppress(CdpCallError, PerceptionError):
        share = deadline.share(ENTER_SECONDS)
        return refusal_words(await page.ask(frame, "refusalOfEnter", share, "reading what Enter did"))
    return ""


def refusal_words(told: Mapping[str, str] | None) -> str:
    """What a walker tells of a form that was not sent (`press_api.js`), as a note."""
    if told is None:
        return ""
    field = f"{told['role']} {quoted_words(told['name'])}" if told["name"] else told["role"]
    if not told["message"]:
        return f"the form was not sent: {field} is not valid"
    return f"the form was not sent: at {field} the browser says {quoted_words(told['message'])}"

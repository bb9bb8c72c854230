"""What the browser says of a tab."""

from __future__ import annotations

from dataclasses import dataclass

from perception.browser.browser_session import Tab
from perception.browser.cdp.cdp_link import CdpCallError
from perception.deadline import Deadline


@dataclass(frozen=True, slots=True)
class TabSummary:
    """A tab at one moment.

    Attributes:
        tab_id: its id in the session.
        url, title: of the page it shows; the title is empty where the browser does not say it.
        selected: requests that name no tab are about this one.
        opener_tab_id: the tab that opened it; empty for none.
        epoch: from 1, raised each time its page is lost.
        name: given by the client; empty without one.
    """

    tab_id: str
    url: str
    title: str
    selected: bool
    opener_tab_id: str
    epoch: int
    name: str = ""


async def read_tab(tab: Tab, selected: str, deadline: Deadline) -> TabSummary:
    """A tab as it is now. Asks the browser and not the page, which may hang.

    Args:
        selected: id of the selected tab.
    """
    url, title = tab.link.url, ""
    if not tab.link.crashed:  # else its target may be gone
        try:
            reply = await tab.link.link.session().call(
                "Target.getTargetInfo", deadline, "looking at the tab", targetId=tab.link.target_id
            )
            url, title = reply["targetInfo"]["url"], reply["targetInfo"]["title"]
        except CdpCallError:  # it is being closed
            url = tab.link.url
    return TabSummary(tab.tab_id, url, title, tab.tab_id == selected, tab.opener, tab.epoch, tab.name)

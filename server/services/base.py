"""What every service needs: the request's budget, its session and its tab."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from perception.browser.cdp import CdpCallError
from perception.browser.session import Tab
from perception.budget import Budget
from perception.detectors.pool import DetectorPool
from perception.detectors.registry import Registry
from perception.server.calls import budget_of
from perception.server.manager import SessionManager
from perception.server.settings import Settings
from perception.server.vault import Vault
from perception.v1 import types_pb2 as pb


@dataclass(frozen=True, slots=True)
class Rooms:
    """What services work with: made once, shared by all."""

    settings: Settings
    sessions: SessionManager
    vault: Vault
    registry: Registry
    pool: DetectorPool

    def budget(self, context: Any) -> Budget:
        """See `budget_of`."""
        return budget_of(context, self.settings)


async def tab_message(tab: Tab, selected: str, budget: Budget) -> pb.Tab:
    """A tab as it is now, asked of the browser and not of the page, which may hang."""
    if tab.link.crashed:  # its target may be gone
        return pb.Tab(
            tab_id=tab.tab_id,
            url=tab.link.url,
            selected=tab.tab_id == selected,
            opener_tab_id=tab.opener,
            epoch=tab.epoch,
        )
    try:
        reply = await tab.link.link.session().call(
            "Target.getTargetInfo", budget, "looking at the tab", targetId=tab.link.target_id
        )
    except CdpCallError:  # it is being closed
        reply = {"targetInfo": {"url": tab.link.url, "title": ""}}
    info = reply["targetInfo"]
    return pb.Tab(
        tab_id=tab.tab_id,
        url=info["url"],
        title=info["title"],
        selected=tab.tab_id == selected,
        opener_tab_id=tab.opener,
        epoch=tab.epoch,
    )

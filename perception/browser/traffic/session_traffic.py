"""What a session keeps of the requests of its pages, and what its rules make of them: for each target of its tabs."""

from __future__ import annotations

from perception.browser.cdp.cdp_link import CdpSession, consume
from perception.browser.network.proxy import EgressProxy
from perception.browser.traffic.interception import Interception
from perception.browser.traffic.request_log import KEEP_AFTER_NAVIGATION, KEEP_BODIES, RequestLog
from perception.browser.traffic.rules import NetworkRule

NOTHING_KEPT = {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}
"""Parameters of `Network.enable`: only when a request begins and ends is of interest, and no body is kept for us."""


class SessionTraffic:
    """The traffic of one session.

    Attributes:
        log: the requests of its pages; None where they are not recorded.
        interception: applies rules to them.
    """

    def __init__(self, egress: EgressProxy | None, rules: tuple[NetworkRule, ...] = (), *, records: bool) -> None:
        """
        Args:
            egress: the session's proxy; None where there is none.
            rules: that apply at first.
            records: whether requests are kept.
        """
        self.log = RequestLog(egress) if records else None
        self.interception = Interception(egress, self.log, rules)

    @property
    def is_awaited(self) -> bool:
        """Whether frames and workers have to wait until they are followed, so that none of their requests is missed."""
        return self.log is not None or self.interception.was_used

    def follow(self, session: CdpSession, target_id: str) -> None:
        """Follows a target of a tab, and enables its network domain."""
        self.interception.listen(session, target_id)
        if self.log is None:
            watch_only(session)
            return
        self.log.listen(session, target_id)
        session.start("Network.enable", **KEEP_BODIES).add_done_callback(consume)
        session.start("Network.configureDurableMessages", **KEEP_AFTER_NAVIGATION).add_done_callback(consume)

    def resume(self, session: CdpSession) -> None:
        """Lets a target run that may wait for our commands."""
        if self.is_awaited:
            session.start("Runtime.runIfWaitingForDebugger").add_done_callback(consume)


def watch_only(session: CdpSession) -> None:
    """Enables a target's network domain for events alone."""
    session.start("Network.enable", **NOTHING_KEPT).add_done_callback(consume)

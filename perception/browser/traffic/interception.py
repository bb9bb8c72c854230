"""Applies a session's rules to the requests of its pages, by DevTools' Fetch domain.

Only requests that a rule may be about are paused: Chromium compares patterns and types itself. Without rules the domain
is off, and costs nothing.

Rule 1: the session's egress policy is asked before a fixed answer is given: no rule gets a page what the proxy would
not.
Rule 2: a paused request is always let go, whatever goes wrong.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import structlog

from perception.browser.cdp.cdp_link import CdpSession, consume
from perception.browser.network.policy import host_and_port
from perception.browser.network.proxy import EgressProxy
from perception.browser.traffic.request_entry import BlockedBy
from perception.browser.traffic.request_log import RequestLog
from perception.browser.traffic.rules import (
    Block,
    Decision,
    FixedAnswer,
    Header,
    HeaderChange,
    NetworkRule,
    changed_headers,
    decide,
)

log = structlog.get_logger(__name__)

BLOCKED = "BlockedByClient"


class Interception:
    """Pauses the requests of one session to which rules apply.

    Args:
        egress: the session's proxy; None where there is none.
        request_log: is told which rule blocked or answered a request; None where nothing is recorded.

    Attributes:
        rules: in the order in which they are tried.
        was_used: there have been rules: frames and workers may wait for them.
    """

    def __init__(
        self, egress: EgressProxy | None, request_log: RequestLog | None, rules: tuple[NetworkRule, ...] = ()
    ) -> None:
        self.rules = rules
        self.was_used = bool(rules)
        self._egress = egress
        self._log = request_log
        self._sessions: dict[str, CdpSession] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def listen(self, session: CdpSession, target_id: str) -> None:
        """Applies the rules to a target of a tab, now and later."""
        self._sessions[session.session_id] = session
        session.on("Fetch.requestPaused", lambda params: self._on_paused(session, target_id, params))
        if self.rules:
            self._apply(session).add_done_callback(consume)

    def forget(self, session_id: str) -> None:
        """A target is gone."""
        self._sessions.pop(session_id, None)

    async def set_rules(self, rules: Sequence[NetworkRule]) -> None:
        """Replaces the rules. Returns when the browser applies them to what pages ask for next."""
        self.rules = tuple(rules)
        self.was_used = self.was_used or bool(rules)
        applying = [each for session in self._sessions.values() for each in self._prepare(session)]
        await asyncio.gather(*applying, return_exceptions=True)  # some targets are gone

    def _prepare(self, session: CdpSession) -> Iterable[asyncio.Future[dict[str, Any]]]:
        yield self._apply(session)
        if self.rules:  # frames and workers wait until the rules are applied to them
            yield session.start("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True)

    def _apply(self, session: CdpSession) -> asyncio.Future[dict[str, Any]]:
        if not self.rules:
            return session.start("Fetch.disable")
        return session.start("Fetch.enable", patterns=[each for rule in self.rules for each in rule.patterns])

    def _on_paused(self, session: CdpSession, target_id: str, params: dict[str, Any]) -> None:
        task = asyncio.create_task(self._answer(session, target_id, params), name="network-rule")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, session: CdpSession, target_id: str, params: dict[str, Any]) -> None:
        try:
            method, answer = await self._answer_of(target_id, params)
        except Exception as exc:  # a request that stays paused hangs its page
            log.error("a network rule failed", kind=type(exc).__name__, exc_info=exc)
            method, answer = "Fetch.failRequest", {"errorReason": "Failed"}
        session.start(method, requestId=params["requestId"], **answer).add_done_callback(consume)

    async def _answer_of(self, target_id: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """The command that lets a paused request go, and its parameters."""
        request = params["request"]
        decision = decide(self.rules, request["url"], params["resourceType"], request["method"])
        if "responseStatusCode" in params:
            return _response_answer(params, decision)
        if "responseErrorReason" in params:
            return "Fetch.continueRequest", {}
        key = (target_id, str(params.get("networkId", "")))
        if decision.rule is None:
            return _request_answer(request, decision.changes)
        refused = await self._refused(request["url"])
        if refused and isinstance(decision.rule.action, FixedAnswer):
            self._note(key, BlockedBy.EGRESS, refused)
            return "Fetch.failRequest", {"errorReason": BLOCKED}
        self._note(key, BlockedBy.RULE, decision.reason)
        if isinstance(decision.rule.action, Block):
            return "Fetch.failRequest", {"errorReason": BLOCKED}
        assert isinstance(decision.rule.action, FixedAnswer)
        return "Fetch.fulfillRequest", _fixed(decision.rule.action)

    async def _refused(self, url: str) -> str:
        """Why the session may not reach a URL; empty where it may, and where its name is resolved by nobody here."""
        place = host_and_port(url)
        if self._egress is None or place is None:
            return ""
        blocked, _ = await self._egress.policy.lead(*place)
        return blocked.message if blocked is not None else ""

    def _note(self, key: tuple[str, str], decided_by: BlockedBy, reason: str) -> None:
        if self._log is not None:
            self._log.note_decision(*key, decided_by, reason)


def _request_answer(request: Mapping[str, Any], changes: Sequence[HeaderChange]) -> tuple[str, dict[str, Any]]:
    if not any(each.is_of_request for each in changes):
        return "Fetch.continueRequest", {}
    headers: list[Header] = list(request["headers"].items())
    for each in changes:
        headers = _pairs(changed_headers(headers, each.set_request, each.remove_request))
    return "Fetch.continueRequest", {"headers": changed_headers(headers, (), frozenset())}


def _response_answer(params: Mapping[str, Any], decision: Decision) -> tuple[str, dict[str, Any]]:
    if not any(each.is_of_response for each in decision.changes):
        return "Fetch.continueRequest", {}
    headers = _pairs(params.get("responseHeaders", ()))
    for each in decision.changes:
        headers = _pairs(changed_headers(headers, each.set_response, each.remove_response))
    answer = {
        "responseCode": params["responseStatusCode"],
        "responseHeaders": changed_headers(headers, (), frozenset()),
    }
    return "Fetch.continueResponse", answer


def _pairs(entries: Iterable[Mapping[str, str]]) -> list[Header]:
    return [(each["name"], each["value"]) for each in entries]


def _fixed(action: FixedAnswer) -> dict[str, Any]:
    return {
        "responseCode": action.status,
        "responseHeaders": [{"name": name, "value": value} for name, value in action.headers],
        "body": base64.b64encode(action.body).decode(),
    }

"""NetworkService: what the pages of a session ask of the network, and what they write to the console."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.tab import Tab
from perception.browser.traffic.bodies import Body, read_request_body, read_response_body
from perception.browser.traffic.request_facts import RequestFacts, read_facts
from perception.browser.traffic.request_log import RequestLog
from perception.deadline import Deadline
from perception.errors import DeadlineError, PageCrashedError, SessionLostError
from perception.server.auth.message_masking import redact_typed
from perception.server.convert.console import choose_messages, console_messages
from perception.server.convert.network import (
    DEFAULT_HAR_BODY_BYTES,
    body_limit,
    body_message,
    decode_filter,
    header_messages,
    page_size,
    request_message,
    require_body,
)
from perception.server.convert.network_rules import decode_rules, rule_messages
from perception.server.network.har_export import HarExport
from perception.server.network.request_list import (
    choose_requests,
    entries_of,
    find_request,
    list_requests,
    number_of,
    request_log,
)
from perception.server.services.service_context import OfService
from perception.v1 import network_service_pb2 as pb
from perception.v1.network_service_pb2_grpc import NetworkServiceServicer

COLLECT_SECONDS = 2.0
"""How long a page may take to say what its console has; one with an open dialog, or a hung one, never does. Chosen by
hand."""


class NetworkRpcs(OfService, NetworkServiceServicer):
    """See network_service.proto. No call holds a tab: what is kept can be read while a page hangs."""

    async def ListRequests(self, request: pb.ListRequestsRequest, context: Any) -> pb.ListRequestsResponse:  # noqa: N802
        session = self._service.sessions.get(request.session_id)
        log = request_log(session)
        wanted, limit = decode_filter(request.filter, log), page_size(request.page_size)
        after = number_of(log, request.page_token) if request.page_token else 0
        entries = entries_of(session, log, wanted, after)
        page = await asyncio.to_thread(list_requests, entries, wanted, limit)
        response = pb.ListRequestsResponse(
            requests=await asyncio.to_thread(_messages, page.found, log),
            next_page_token=f"r{page.next}" if page.next else "",
            last_request_id=f"r{log.last_number}" if log.last_number else "",
            dropped_count=log.dropped,
        )
        redact_typed(response, session.browser.typed)
        return response

    async def GetRequest(self, request: pb.GetRequestRequest, context: Any) -> pb.GetRequestResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        log, limit = request_log(session), body_limit(request)
        entry = find_request(log, request.request_id)
        facts = read_facts(entry)
        sent: Body | None = None
        came: Body | None = None
        if limit:
            sent, came = await asyncio.gather(read_request_body(facts, deadline), read_response_body(facts, deadline))
        if request.HasField("max_body_bytes"):
            require_body(sent, "request")
            require_body(came, "response")
        facts = read_facts(entry)
        response = pb.GetRequestResponse(
            request=request_message(facts, log.tab_id_of(entry)),
            request_headers=header_messages(facts.request_headers),
            response_headers=header_messages(facts.response_headers),
            request_body=await _shown(sent, _type_in(facts.request_headers), limit),
            response_body=await _shown(came, facts.mime, limit),
        )
        await asyncio.to_thread(redact_typed, response, session.browser.typed)
        return response

    async def ExportHar(  # noqa: N802
        self, request: pb.ExportHarRequest, context: Any
    ) -> AsyncIterator[pb.ExportHarResponse]:
        session = self._service.sessions.get(request.session_id)
        log = request_log(session)
        wanted = decode_filter(request.filter, log)
        limit = body_limit(request, DEFAULT_HAR_BODY_BYTES)
        chosen = await asyncio.to_thread(choose_requests, entries_of(session, log, wanted), wanted)
        export = HarExport(chosen, session.host.version, [session.masker, session.browser.typed.masker], limit)
        async for part in export.parts(self._service.deadline(context)):
            yield pb.ExportHarResponse(data=part)
        yield pb.ExportHarResponse(is_last=True, entry_count=len(chosen), missing_body_count=export.missing_bodies)

    async def SetNetworkRules(  # noqa: N802
        self, request: pb.SetNetworkRulesRequest, context: Any
    ) -> pb.SetNetworkRulesResponse:
        deadline = self._service.deadline(context)
        interception = self._service.sessions.get(request.session_id).browser.traffic.interception
        rules = decode_rules(request.rules, "rules")
        async with deadline.phase("applying the rules"):
            await interception.set_rules(rules)
        return pb.SetNetworkRulesResponse(rules=rule_messages(interception.rules))

    async def GetNetworkRules(  # noqa: N802
        self, request: pb.GetNetworkRulesRequest, context: Any
    ) -> pb.GetNetworkRulesResponse:
        interception = self._service.sessions.get(request.session_id).browser.traffic.interception
        return pb.GetNetworkRulesResponse(rules=rule_messages(interception.rules))

    async def ListConsole(self, request: pb.ListConsoleRequest, context: Any) -> pb.ListConsoleResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        tab, limit = session.browser.tab(request.tab_id), page_size(request.page_size)
        incomplete = await _collect_console(tab, deadline)
        found = choose_messages(request, tab.console)
        log = tab.console
        return pb.ListConsoleResponse(
            messages=console_messages(found[:limit]),
            next_page_token=found[limit - 1].message_id if len(found) > limit else "",
            last_message_id=f"c{log.last_number}" if log.last_number else "",
            dropped_count=log.dropped,
            incomplete=incomplete,
            tab_id=tab.tab_id,
        )


def _messages(found: list[RequestFacts], log: RequestLog) -> list[pb.NetworkRequest]:
    return [request_message(each, log.tab_id_of(each.entry)) for each in found]


async def _shown(body: Body | None, content_type: str, limit: int) -> pb.HttpBody | None:
    """A body as it is answered. One of some megabytes takes a second to mask, in which others go on."""
    return await asyncio.to_thread(body_message, body, content_type, limit) if body is not None else None


async def _collect_console(tab: Tab, deadline: Deadline) -> str:
    """Takes what the page's console has. Returns why messages may be missing; empty where none are."""
    if tab.listener.is_listening:
        return tab.listener.trouble
    if tab.link.crashed:
        return "the page crashed: what it wrote since the last call is lost"
    try:
        await tab.listener.collect(deadline.share(COLLECT_SECONDS))
    except (DeadlineError, CdpCallError, SessionLostError, PageCrashedError):
        if deadline.spent():
            raise
        return (
            "the page does not answer, as it hangs or has a dialog open: these are the messages that were seen before"
        )
    return ""


def _type_in(headers: tuple[tuple[str, str], ...]) -> str:
    return next((value for name, value in headers if name.lower() == "content-type"), "")

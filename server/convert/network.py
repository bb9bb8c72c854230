"""Requests of pages: filters, headers, bodies."""

from __future__ import annotations

from perception.browser.traffic.bodies import Body
from perception.browser.traffic.request_entry import BlockedBy, EntryState
from perception.browser.traffic.request_facts import Headers, RequestFacts
from perception.browser.traffic.request_log import MAX_BODY_BYTES, RequestLog
from perception.browser.traffic.traffic_masking import mask_body, mask_headers, mask_url
from perception.errors import BadInputError, BodyGoneError
from perception.server.convert.enums import decode_enum, enum_numbers, enum_words
from perception.server.convert.message_fields import cut_text, timestamp_message
from perception.server.network.request_list import RequestFilter, number_of
from perception.v1 import network_service_pb2 as pb

DEFAULT_PAGE, MAX_PAGE = 100, 1000

DEFAULT_BODY_BYTES, DEFAULT_HAR_BODY_BYTES = 64 * 2**10, 2**20

_KINDS = {number: word.title().replace("-", "") for number, word in enum_words(pb.ResourceType).items()}
_KINDS[pb.RESOURCE_TYPE_XHR] = "XHR"
_TYPES = {kind: number for number, kind in _KINDS.items()}
OTHER_KINDS = frozenset({"Other", "TextTrack", "SignedExchange", "CSPViolationReport", "FedCM"})

_STATES = enum_numbers(pb.NetworkRequest.State, EntryState)
_BLOCKED_BY = {None: pb.NetworkRequest.BLOCKED_BY_UNSPECIFIED} | enum_numbers(pb.NetworkRequest.BlockedBy, BlockedBy)
_CACHES = {"": pb.NetworkRequest.CACHE_UNSPECIFIED} | {
    word: number for number, word in enum_words(pb.NetworkRequest.Cache).items()
}


def decode_filter(message: pb.RequestFilter, log: RequestLog, within: str = "filter.") -> RequestFilter:
    """Raises BadInputError, and RequestNotFoundError for a `since_request_id` that names none."""
    for name in ("min_status", "max_status"):
        if not 0 <= getattr(message, name) <= 999:
            raise BadInputError(
                f"{name} is {getattr(message, name)}: give 100 to 599, or leave it out", field=within + name
            )
    if message.max_status and message.max_status < message.min_status:
        raise BadInputError(
            f"max_status {message.max_status} is below min_status {message.min_status}: exchange them",
            field=f"{within}max_status",
        )
    return RequestFilter(
        tab_id=message.tab_id,
        url_pattern=message.url_pattern,
        kinds=decode_kinds(message.types, f"{within}types"),
        methods=frozenset(each.upper() for each in message.methods),
        min_status=message.min_status,
        max_status=message.max_status,
        only_failed=message.only_failed,
        since=number_of(log, message.since_request_id) if message.since_request_id else 0,
    )


def decode_kinds(types: object, field: str) -> frozenset[str]:
    """CDP's ResourceTypes of resource types. Raises BadInputError for one that there is not."""
    found: set[str] = set()
    for each in types:  # type: ignore[attr-defined]  # a repeated enum
        kind = decode_enum(_KINDS, each, field)
        found |= OTHER_KINDS if kind == "Other" else {kind}
    return frozenset(found)


def resource_types(kinds: frozenset[str]) -> list[pb.ResourceType]:
    """The resource types of CDP's ResourceTypes, in the order of the wire."""
    return sorted({_TYPES.get(kind, pb.RESOURCE_TYPE_OTHER) for kind in kinds})


def page_size(given: int, default: int = DEFAULT_PAGE, most: int = MAX_PAGE) -> int:
    """Raises BadInputError for an invalid size."""
    if given < 0 or given > most:
        raise BadInputError(f"page_size is {given}: give 1 to {most}, or 0 for {default}", field="page_size")
    return given or default


def body_limit(message: pb.GetRequestRequest | pb.ExportHarRequest, default: int = DEFAULT_BODY_BYTES) -> int:
    """Raises BadInputError for an invalid limit."""
    if not message.HasField("max_body_bytes"):
        return default
    given = message.max_body_bytes
    if not 0 <= given <= MAX_BODY_BYTES:
        raise BadInputError(
            f"max_body_bytes is {given}: give 0 to {MAX_BODY_BYTES}, or leave it out for {default}",
            field="max_body_bytes",
        )
    return given


def request_message(facts: RequestFacts, tab_id: str) -> pb.NetworkRequest:
    """A request without its headers and bodies."""
    entry = facts.entry
    message = pb.NetworkRequest(
        request_id=entry.request_id,
        tab_id=tab_id,
        method=facts.method,
        url=cut_text(mask_url(facts.url)),
        type=_TYPES.get(facts.kind, pb.RESOURCE_TYPE_OTHER),
        state=_STATES[facts.state],
        status=facts.status,
        status_text=cut_text(facts.status_text),
        content_type=cut_text(facts.mime),
        failure="" if facts.state is EntryState.FINISHED else entry.failure,
        blocked_by=_BLOCKED_BY[entry.blocked_by],
        blocked_reason=cut_text(entry.blocked_reason),
        start_time=timestamp_message(facts.started_s),
        transferred_bytes=0 if facts.cache else entry.transferred_bytes,
        body_bytes=facts.body_bytes,
        cache=_CACHES[facts.cache],
        initiator=pb.RequestInitiator(
            type=facts.initiator.kind,
            url=cut_text(mask_url(facts.initiator.url)),
            line=facts.initiator.line,
            column=facts.initiator.column,
        ),
        redirect_url=cut_text(mask_url(facts.redirect_url)),
        document_url=cut_text(mask_url(facts.document_url)),
        protocol=facts.protocol,
        rule=entry.rule,
    )
    if facts.times is not None:
        times = {f"{name}_ms": round(getattr(facts.times, name), 3) for name in _TIMES}
        message.timing.CopyFrom(pb.RequestTiming(**times))
    return message


_TIMES = ("blocked", "connect", "tls", "send", "wait", "receive", "total")


def header_messages(headers: Headers) -> list[pb.HttpHeader]:
    """Headers without credentials."""
    return [pb.HttpHeader(name=cut_text(name), value=cut_text(value)) for name, value in mask_headers(headers)]


def body_message(body: Body, content_type: str, limit: int) -> pb.HttpBody:
    """The first bytes of a body, masked."""
    message = pb.HttpBody(total_bytes=body.total_bytes, missing=body.missing)
    if isinstance(body.content, bytes):
        message.data = body.content[:limit]
        message.truncated = len(body.content) > limit
    elif body.content:
        data = mask_body(body.content, content_type).encode("utf-8", "replace")
        message.text = data[:limit].decode("utf-8", "ignore")
        message.truncated = len(data) > limit
    return message


def require_body(body: Body | None, what: str) -> None:
    """Raises BodyGoneError for a body that cannot be read."""
    if body is not None and body.missing:
        raise BodyGoneError(
            f"the {what}'s body cannot be read: {body.missing}; leave max_body_bytes out, or give 0, for all the rest"
        )

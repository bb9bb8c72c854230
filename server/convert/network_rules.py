"""Rules for the requests of a session's pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from perception.browser.traffic.rules import Block, FixedAnswer, Header, HeaderChange, NetworkRule
from perception.browser.traffic.traffic_masking import mask_headers
from perception.errors import BadInputError
from perception.server.convert.network import decode_kinds, resource_types
from perception.v1 import network_service_pb2 as pb

MAX_RULES = 100
"""Most rules of a session: each paused request is compared with all of them. Chosen by hand."""

MAX_PATTERN, MAX_NAME = 2000, 100
MAX_HEADERS, MAX_VALUE = 50, 8000
MAX_BODY_BYTES, MAX_BODIES_BYTES = 2**20, 4 * 2**20
"""Limits of one answer, and of those of all rules together. Chosen by hand."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
"""A header's name (RFC 9110, 5.6.2)."""

_VALUE = re.compile(r"[\t\x20-\x7e\x80-\U0010ffff]*")

_OWN_HEADERS = frozenset(
    "host connection content-length transfer-encoding upgrade te trailer keep-alive expect cookie cookie2 via".split()
)
"""Headers of a request that only the browser sets: they name the server, or how the message is read."""

_ADDED_HEADERS = _OWN_HEADERS | {"referer", "accept-encoding"}
"""Those that cannot be removed: Chromium adds the last two as it sends the request (Chromium 156)."""

_FRAMING_HEADERS = frozenset("connection content-length transfer-encoding upgrade trailer keep-alive".split())
"""The same of a response."""


def decode_rules(messages: Sequence[pb.NetworkRule], field: str) -> tuple[NetworkRule, ...]:
    """Rules in their order. Raises BadInputError, which names the rule."""
    if len(messages) > MAX_RULES:
        raise BadInputError(
            f"{len(messages)} rules are more than the {MAX_RULES} of a session: give fewer", field=field
        )
    rules = tuple(_decode(each, f"{field}[{index}]") for index, each in enumerate(messages))
    bodies = sum(len(each.action.body) for each in rules if isinstance(each.action, FixedAnswer))
    if bodies > MAX_BODIES_BYTES:
        raise BadInputError(
            f"the answers have {bodies} bytes, the limit is {MAX_BODIES_BYTES}: shorten them", field=field
        )
    return rules


def _decode(message: pb.NetworkRule, field: str) -> NetworkRule:
    if len(message.url_pattern) > MAX_PATTERN:
        raise BadInputError(
            f"url_pattern has more than {MAX_PATTERN} characters: shorten it", field=f"{field}.url_pattern"
        )
    if len(message.name) > MAX_NAME:
        raise BadInputError(f"name has more than {MAX_NAME} characters: shorten it", field=f"{field}.name")
    return NetworkRule(
        name=message.name,
        url_pattern=message.url_pattern,
        kinds=decode_kinds(message.types, f"{field}.types"),
        methods=frozenset(each.upper() for each in message.methods),
        action=_decode_action(message, field),
    )


def _decode_action(message: pb.NetworkRule, field: str) -> Block | FixedAnswer | HeaderChange:
    match message.WhichOneof("action"):
        case "block":
            return Block()
        case "answer":
            return _decode_answer(message.answer, f"{field}.answer")
        case "headers":
            return _decode_change(message.headers, f"{field}.headers")
    raise BadInputError("the rule does nothing: give it block, answer or headers", field=field)


def _decode_answer(message: pb.NetworkRule.Answer, field: str) -> FixedAnswer:
    status = message.status or 200
    if not 200 <= status <= 599:
        raise BadInputError(f"status is {status}: give 200 to 599, or 0 for 200", field=f"{field}.status")
    if len(message.body) > MAX_BODY_BYTES:
        raise BadInputError(
            f"the body has {len(message.body)} bytes, the limit is {MAX_BODY_BYTES}: shorten it", field=f"{field}.body"
        )
    headers = _headers(message.headers, _FRAMING_HEADERS, f"{field}.headers")
    if message.content_type:
        kind = pb.HttpHeader(name="Content-Type", value=message.content_type)
        headers = (*_headers([kind], frozenset(), f"{field}.content_type"), *headers)
    return FixedAnswer(status, headers, message.body)


def _decode_change(message: pb.NetworkRule.Headers, field: str) -> HeaderChange:
    change = HeaderChange(
        _headers(message.set_request, _OWN_HEADERS, f"{field}.set_request"),
        _names(message.remove_request, _ADDED_HEADERS, f"{field}.remove_request"),
        _headers(message.set_response, _FRAMING_HEADERS, f"{field}.set_response"),
        _names(message.remove_response, _FRAMING_HEADERS, f"{field}.remove_response"),
    )
    if not (change.is_of_request or change.is_of_response):
        raise BadInputError("the rule changes no header: set or remove one", field=field)
    return change


def _headers(given: Iterable[pb.HttpHeader], refused: frozenset[str], field: str) -> tuple[Header, ...]:
    headers = tuple((each.name, each.value) for each in given)
    _names([name for name, _ in headers], refused, field)
    for name, value in headers:
        if len(value) > MAX_VALUE or not _VALUE.fullmatch(value):
            raise BadInputError(
                f"the value of {name} is not a header value: one line, at most {MAX_VALUE} characters", field=field
            )
    return headers


def _names(given: Iterable[str], refused: frozenset[str], field: str) -> frozenset[str]:
    names = [each.lower() for each in given]
    if len(names) > MAX_HEADERS:
        raise BadInputError(f"{len(names)} headers are more than {MAX_HEADERS}: give fewer", field=field)
    for name in names:
        if not _TOKEN.fullmatch(name):
            raise BadInputError(f"{name[:60]!r} is not a header name: use letters, digits and -", field=field)
        if name in refused or name.startswith("proxy-"):
            raise BadInputError(f"{name} is set by the browser and the server alone: leave it out", field=field)
    return frozenset(names)


def rule_messages(rules: Iterable[NetworkRule]) -> list[pb.NetworkRule]:
    """Rules as they apply; values of headers with the name of a secret are masked."""
    return [_message(each) for each in rules]


def _message(rule: NetworkRule) -> pb.NetworkRule:
    message = pb.NetworkRule(
        name=rule.name,
        url_pattern=rule.url_pattern,
        types=resource_types(rule.kinds),
        methods=sorted(rule.methods),
    )
    action: Any = rule.action
    match action:
        case Block():
            message.block.SetInParent()
        case FixedAnswer(status, headers, body):
            message.answer.CopyFrom(pb.NetworkRule.Answer(status=status, headers=_messages(headers), body=body))
        case HeaderChange():
            message.headers.CopyFrom(
                pb.NetworkRule.Headers(
                    set_request=_messages(action.set_request),
                    remove_request=sorted(action.remove_request),
                    set_response=_messages(action.set_response),
                    remove_response=sorted(action.remove_response),
                )
            )
    return message


def _messages(headers: tuple[Header, ...]) -> list[pb.HttpHeader]:
    return [pb.HttpHeader(name=name, value=value) for name, value in mask_headers(headers)]

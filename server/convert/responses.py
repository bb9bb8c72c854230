"""Responses that are waited for."""

from __future__ import annotations

from perception.errors import BadInputError
from perception.server.actions.waiting import ResponseSeen
from perception.server.network.request_list import number_of, request_log
from perception.server.sessions.session import Session
from perception.v1 import action_service_pb2 as pb

MAX_SOUGHT = 10_000
"""Characters that are looked for in a body. Chosen by hand."""


def check_response(message: pb.ResponseCondition) -> None:
    """Raises BadInputError for a condition that says nothing, or that no response meets."""
    if not (message.url_pattern or message.status or message.body_contains or message.method):
        raise BadInputError(
            "any response would do: give url_pattern, status, method or body_contains", field="response"
        )
    if message.status and not 100 <= message.status <= 599:
        raise BadInputError(f"status is {message.status}: give 100 to 599, or 0 for any", field="response.status")
    if len(message.body_contains) > MAX_SOUGHT:
        raise BadInputError(
            f"body_contains has over {MAX_SOUGHT} characters: shorten it", field="response.body_contains"
        )


def decode_response(message: pb.ResponseCondition, session: Session) -> ResponseSeen:
    """Raises NetworkNotRecordedError, and RequestNotFoundError for a `since_request_id` that names none."""
    log = request_log(session)
    return ResponseSeen(
        url_pattern=message.url_pattern,
        status=message.status,
        body_contains=message.body_contains,
        method=message.method.upper(),
        since=number_of(log, message.since_request_id) if message.since_request_id else None,
    )

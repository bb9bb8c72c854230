"""Commands about what pages ask of the network, and what they write to the console."""

from __future__ import annotations

import re

from perception.cli.shell.context import Context
from perception.cli.shell.results import Result
from perception.errors import BadInputError
from perception.interaction.network_report import console_report, request_report, requests_report
from perception.v1 import network_service_pb2 as pb

LIMIT = 50
"""Lines of a list, by default."""

_STATUS = re.compile(r"([1-9]\d\d)(?:-([1-9]\d\d))?")


async def requests(context: Context) -> Result:
    """The requests that the session's pages have sent."""
    values = context.values
    low, high = _statuses(values["status"])
    session = context.session()
    found = await session.page.requests(
        values["pattern"] or "",
        types=values["type"],
        methods=values["method"],
        min_status=low,
        max_status=high,
        only_failed=values["failed"],
        since=values["since"] or "",
        timeout_s=context.left_s,
    )
    limit = values["limit"] or LIMIT
    message = pb.ListRequestsResponse(requests=found[-limit:])
    return Result(requests_report(session.state, found, limit), message)


async def request(context: Context) -> Result:
    """One request with its headers and bodies."""
    session, values = context.session(), context.values
    reply = await session.page.request(values["id"], max_body_bytes=values["max_body_bytes"], timeout_s=context.left_s)
    return Result(request_report(session.state, reply), reply)


async def console(context: Context) -> Result:
    """What the tab has written to its console, and the errors that it did not catch."""
    session, values = context.session(), context.values
    found = await session.page.console(min_level=values["level"], since=values["since"] or "", timeout_s=context.left_s)
    limit = values["limit"] or LIMIT
    message = pb.ListConsoleResponse(messages=found[-limit:])
    return Result(console_report(session.state, found, limit), message)


def _statuses(text: str | None) -> tuple[int, int]:
    """`404` or `400-599`. Raises BadInputError."""
    if not text:
        return 0, 0
    if not (match := _STATUS.fullmatch(text)):
        raise BadInputError(
            f"requests: --status is {text[:40]!r}: it takes a status such as 404, or a range such as 400-599"
        )
    return int(match[1]), int(match[2] or match[1])

"""Messages of a console."""

from __future__ import annotations

from collections.abc import Sequence

from perception.browser.console.console_log import ConsoleEntry, ConsoleLog
from perception.browser.console.console_message import ConsoleKind, ConsoleLevel, StackFrame
from perception.browser.traffic.traffic_masking import mask_url
from perception.errors import BadInputError
from perception.server.convert.enums import decode_enum, enum_members, enum_numbers
from perception.server.convert.message_fields import timestamp_message
from perception.v1 import network_service_pb2 as pb

_LEVELS = enum_numbers(pb.ConsoleMessage.Level, ConsoleLevel)
_LEAST = {pb.ConsoleMessage.LEVEL_UNSPECIFIED: ConsoleLevel.DEBUG} | enum_members(pb.ConsoleMessage.Level, ConsoleLevel)

_KINDS = enum_numbers(pb.ConsoleMessage.Kind, ConsoleKind)
_KINDS_BY_NUMBER = enum_members(pb.ConsoleMessage.Kind, ConsoleKind)


def choose_messages(request: pb.ListConsoleRequest, log: ConsoleLog) -> list[ConsoleEntry]:
    """The messages that a request asks for, without regard to the size of its page.

    Raises:
        BadInputError: a level, kind or id that there is not.
    """
    least = decode_enum(_LEAST, request.min_level, "min_level")
    kinds = {decode_enum(_KINDS_BY_NUMBER, each, "kinds") for each in request.kinds} or set(ConsoleKind)
    after = max(
        _number_of(getattr(request, name), log, name) if getattr(request, name) else 0
        for name in ("since_message_id", "page_token")
    )
    return [
        each
        for each in log.entries
        if each.number > after and each.message.level >= least and each.message.kind in kinds
    ]


def _number_of(message_id: str, log: ConsoleLog, field: str) -> int:
    digits = message_id.removeprefix("c")
    number = int(digits[:12]) if digits.isdecimal() and digits.isascii() else 0
    if not message_id.startswith("c") or not 0 < number <= log.last_number:
        last = f"the last one is c{log.last_number}" if log.last_number else "there is none yet"
        raise BadInputError(f"{field} {message_id[:40]!r} is not a message of this tab: {last}", field=field)
    return number


def console_messages(entries: Sequence[ConsoleEntry]) -> list[pb.ConsoleMessage]:
    return [_message(each) for each in entries]


def _message(entry: ConsoleEntry) -> pb.ConsoleMessage:
    message = entry.message
    return pb.ConsoleMessage(
        message_id=entry.message_id,
        level=_LEVELS[message.level],
        kind=_KINDS[message.kind],
        text=message.text,
        url=mask_url(message.url),
        line=message.line,
        column=message.column,
        stack=[_frame(each) for each in message.stack],
        count=entry.count,
        first_time=timestamp_message(message.at_s),
        last_time=timestamp_message(entry.last_s),
    )


def _frame(frame: StackFrame) -> pb.StackFrame:
    return pb.StackFrame(function=frame.function, url=mask_url(frame.url), line=frame.line, column=frame.column)

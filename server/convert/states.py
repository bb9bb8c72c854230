"""Formats of states."""

from __future__ import annotations

from perception.browser.network.policy import Origin
from perception.browser.storage.foreign import refuse_foreign
from perception.browser.storage.parsing import StateFormat, parse_state
from perception.server.convert.message_fields import decode_enum
from perception.server.sessions.logins import Logins
from perception.v1 import session_service_pb2 as pb

_FORMATS = {
    pb.STATE_FORMAT_UNSPECIFIED: None,
    pb.STATE_FORMAT_PLAYWRIGHT: StateFormat.PLAYWRIGHT,
    pb.STATE_FORMAT_NETSCAPE: StateFormat.NETSCAPE,
    pb.STATE_FORMAT_COOKIES_JSON: StateFormat.COOKIES_JSON,
    pb.STATE_FORMAT_CURL: StateFormat.CURL,
}


def decode_format(number: pb.StateFormat) -> StateFormat | None:
    """None where it is to be found. Raises BadInputError for one that this version does not know."""
    return decode_enum(_FORMATS, number, "format")


def encode_format(form: StateFormat) -> pb.StateFormat:
    """The wire's number of a format."""
    return next(number for number, value in _FORMATS.items() if value is form)


def logins_of(message: pb.SessionOptions, origins: tuple[Origin, ...]) -> Logins:
    """What a session begins with.

    Raises:
        StateInvalidError, StateOriginError: see `parse_state` and `refuse_foreign`.
    """
    if not message.state:
        return Logins()
    parsed = parse_state(message.state)
    refuse_foreign(parsed.state, origins)
    return Logins(parsed.state, parsed.omitted)

"""States and profiles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from perception.browser.network.policy import Origin
from perception.browser.storage.foreign import refuse_foreign
from perception.browser.storage.parsing import StateFormat, parse_state
from perception.errors import BadInputError
from perception.render.untrusted import Fence
from perception.server.convert.enums import decode_enum, enum_members
from perception.server.convert.message_fields import timestamp_message
from perception.server.profiles.store import ProfileEntry
from perception.server.sessions.logins import Logins
from perception.v1 import session_service_pb2 as pb

_FORMATS = {pb.STATE_FORMAT_UNSPECIFIED: None} | enum_members(pb.StateFormat, StateFormat)


def decode_format(number: pb.StateFormat) -> StateFormat | None:
    """None where it is to be found. Raises BadInputError for one that this version does not know."""
    return decode_enum(_FORMATS, number, "format")


def encode_format(form: StateFormat) -> pb.StateFormat:
    """The wire's number of a format."""
    return next(number for number, value in _FORMATS.items() if value is form)


def logins_of(message: pb.SessionOptions, origins: tuple[Origin, ...]) -> Logins:
    """What a session begins with.

    Raises:
        StateInvalidError, StateOriginRefusedError: see `parse_state` and `refuse_foreign`.
    """
    if message.profile_read_only and not message.profile:
        raise BadInputError("options.profile_read_only needs options.profile", field="options.profile_read_only")
    logins = Logins(profile=message.profile, read_only=message.profile_read_only)
    if not message.state:
        return logins
    parsed = parse_state(message.state)
    refuse_foreign(parsed.state, origins)
    return replace(logins, state=parsed.state, omitted=parsed.omitted)


def marked_notes(notes: Iterable[str]) -> list[str]:
    """Notes with marks around a page's words."""
    fence = Fence()
    return [fence.mark(each) for each in notes]


def profile_message(entry: ProfileEntry) -> pb.Profile:
    """A profile in a list."""
    header = entry.header
    return pb.Profile(
        name=header.name,
        create_time=timestamp_message(header.created_s),
        save_time=timestamp_message(header.saved_s),
        expire_time=timestamp_message(entry.expires_s) if entry.expires_s is not None else None,
        size_bytes=entry.size_bytes,
        cookie_count=header.cookies,
        origin_count=header.origins,
        used_by_session_id=entry.holder.session_id if entry.holder else "",
    )

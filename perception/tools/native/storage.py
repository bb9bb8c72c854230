"""The tool for profiles: logins that the service keeps by name. What is in them stays there."""

from __future__ import annotations

from perception.errors import BadInputError
from perception.interaction.answers import Answer, lines
from perception.tools.arguments import Arguments, Text
from perception.tools.tool import Call, Hints, Tool
from perception.v1 import session_service_pb2 as pb


class StorageArguments(Arguments):
    open: Text | None = None
    """the profile's name; a new one begins empty"""
    read_only: bool = False
    """do not keep what changes"""
    delete: Text | None = None


async def storage(call: Call, given: StorageArguments) -> Answer:
    """Opens the session with a profile, or deletes a profile, or lists all."""
    if given.open and given.delete:
        raise BadInputError("storage: give open or delete, not both", field="delete")
    if given.read_only and not given.open:
        raise BadInputError("storage: read_only is for open: name the profile there", field="read_only")
    if given.open:
        return await _open(call, given.open, given.read_only)
    client = call.connection.caller.client
    if given.delete:
        request = pb.DeleteProfileRequest(name=given.delete)
        await client.call(client.sessions.DeleteProfile, request, call.timeout_s)
        return Answer(f"profile {given.delete} is deleted")
    listed = await client.call(client.sessions.ListProfiles, pb.ListProfilesRequest(), call.timeout_s)
    return Answer(lines(*map(_line, listed.profiles)) or "there is no profile: open makes one")


async def _open(call: Call, name: str, read_only: bool) -> Answer:
    connection = call.connection
    if connection.keeps_state and connection.default:
        raise BadInputError(
            "storage: your session is open: close it first, then open one with the profile", field="open"
        )
    state = await connection.session_or_new(None, profile=name, profile_read_only=read_only)
    handle = "" if connection.keeps_state else f"; session: {state.page.session_id}"
    return Answer(f"a session with profile {name} is open{handle}: open a page in it")


def _line(profile: pb.Profile) -> str:
    used = ", in use" if profile.used_by_session_id else ""
    return f"{profile.name}: {profile.cookie_count} cookies, {profile.origin_count} origins{used}"


TOOLS = (
    Tool(
        "storage",
        "Opens your session with a profile (logins that are kept by name), or deletes one. Without either lists all.",
        StorageArguments,
        storage,
        Hints(destructive=True),
        is_default=False,
    ),
)

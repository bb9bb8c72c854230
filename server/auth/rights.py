"""What a token may do: watch, drive as a person, or everything. One table says which right each rpc needs.

Rule 1: every rpc is in exactly one line of the table; one that is in none needs all rights.
Rule 2: who may drive may also do, with the lease of a session, what a person needs beside mouse and keys. The control
gate checks the lease.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from perception.errors import BadInputError, RightMissingError
from perception.server.rpc_call import SERVICE_PREFIX, RpcCall, lease_of


class Right(IntEnum):
    """What a token may do; each includes those before it."""

    VIEW = 1
    """See the sessions of its principal."""
    CONTROL = 2
    """Take control of them as a person."""
    ALL = 3
    """Everything, as an agent does."""


_RPCS = {
    Right.VIEW: """
        GetSession ListSessions ListTabs ListDevices ListDetectors ExplainElement
        WatchFrames WatchCalls GetCall WatchControl ListVideos ReadVideo""",
    Right.CONTROL: """
        TakeControl RenewControl ReleaseControl SendInput StreamUpload""",
    Right.ALL: """
        CreateSession CloseSession Navigate GoBack GoForward Reload SelectTab CloseTab NewTab NameTab MoveTab
        HandleDialog ExportState ImportState ListProfiles DeleteProfile SetViewport ReadClipboard WriteClipboard
        SetConditions CaptureSnapshot WatchSnapshots CaptureScreenshot FindElements ParseImage
        Click Tap Hover Drag TypeText PressKey SelectOption Scroll UploadFiles WaitFor Evaluate Batch
        ExtractInteractables ExtractContent ReadDownload PrintToPdf
        ListRequests GetRequest ExportHar SetNetworkRules GetNetworkRules ListConsole ListPageTools CallPageTool
        StartRecording StopRecording CreateSubroutine ListSubroutines RunSubroutine DeleteSubroutine GetSubroutine
        UpdateSubroutine StartVideo StopVideo DeleteVideo RequestHuman""",
}

RIGHT_OF = {rpc: right for right, rpcs in _RPCS.items() for rpc in rpcs.split()}
"""The right that each rpc needs, by its name."""

BY_LEASE = frozenset(
    "Navigate GoBack GoForward Reload SelectTab CloseTab NewTab HandleDialog UploadFiles ReadClipboard "
    "CaptureSnapshot".split()
)
"""Rpcs of `all` that CONTROL is enough for with the lease of the session."""

_OPEN_PREFIXES = ("/grpc.health.", "/grpc.reflection.")

_WORDS = {"view": Right.VIEW, "control": Right.CONTROL, "all": Right.ALL}

_MAY = {Right.VIEW: "only watch", Right.CONTROL: "only watch and drive as a person", Right.ALL: "do everything"}


def parse_right(text: str, where: str) -> Right:
    """Rights as a token file has them: `view`, `view,control` or `all`.

    Args:
        where: the line, for the error.

    Raises:
        BadInputError: there is no such right.
    """
    words = text.split(",")
    if unknown := [each for each in words if each not in _WORDS]:
        raise BadInputError(f"{where}: there is no right {unknown[0][:40]!r}: write view, or view,control, or all")
    return max(_WORDS[each] for each in words)


def right_needed(call: RpcCall, context: Any) -> Right:
    """The right that a call needs."""
    if not call.method.startswith(SERVICE_PREFIX):
        return Right.VIEW if call.method.startswith(_OPEN_PREFIXES) else Right.ALL
    if call.name in BY_LEASE and lease_of(context):
        return Right.CONTROL
    return RIGHT_OF.get(call.name, Right.ALL)


def require_right(right: int, call: RpcCall, context: Any) -> None:
    """Raises RightMissingError where a right is not enough for a call."""
    needed = right_needed(call, context)
    if right >= needed:
        return
    has = Right(max(right, Right.VIEW))
    lease = ", or the lease of a person who has control" if call.name in BY_LEASE else ""
    raise RightMissingError(
        f"this token may {_MAY[has]}: {call.name} needs the right {needed.name.lower()!r}{lease}; nothing was done",
        right=has.name.lower(),
        needed=needed.name.lower(),
    )

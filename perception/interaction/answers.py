"""What a tool or command answers: text, an image, or an error in one line.

Rule 1: words of a page are marked as untrusted wherever they are not in a text of the service, which marks its own.
Rule 2: an error says what was asked, what was found and what to do. No stack, no path of this machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from perception.client import RemoteError
from perception.errors import (
    NoMatchError,
    PerceptionError,
    SessionExpiredError,
    SessionLimitError,
    SessionLostError,
    StaleRefError,
    UnauthenticatedError,
    UnknownRefError,
    UnknownSessionError,
)
from perception.page_words import MAX_ADDRESS, page_words, quoted_list
from perception.render.untrusted import Fence

UNCHANGED = "no change in what is listed (colors are not)"
"""Of an action or a batch; what changes by its color alone shows in a screenshot."""

ENDED = (UnknownSessionError.reason, SessionExpiredError.reason, SessionLostError.reason)
"""Reasons of calls in a session that is not there any more."""

_ADVICE = {
    SessionLimitError.reason: "close a session that is not needed, or try again later",
    UnauthenticatedError.reason: "send the bearer token of this service",
}
"""What to do, where the service's own message leaves that to its client."""


_LOOK_AGAIN = (StaleRefError.reason, UnknownRefError.reason, NoMatchError.reason)
"""Reasons of targets that are not on the page any more, or never were."""

_NEW_SESSION = "open a new session with {names.open}"

_ENDINGS = {
    "create one with CreateSession": _NEW_SESSION,
    "create a new session": _NEW_SESSION,
    "create a new one": _NEW_SESSION,
    "answer it with HandleDialog first": "answer it with {names.dialog} first",
    "answer it with UploadFiles without a target, or dismiss it with HandleDialog": (
        "answer it with an upload without a target, or dismiss it with {names.dialog}"
    ),
    "give it files with UploadFiles without a target, or dismiss it": (
        "give it files with an upload without a target, or dismiss it"
    ),
    "answer it with HandleDialog": "answer it with {names.dialog}",
    "delete one (DeleteProfile)": "delete one",
    "and ReadClipboard reads that": "and the clipboard tool reads that",
    "or leave them out of the state (ExportState takes `origins`)": "or leave them out of the state",
    "wait for it, press Escape to stay, or Navigate": (
        "wait for it, press Escape to stay, or use {names.open} with a url"
    ),
    "call ListTabs for the open ones": "{names.tabs} lists the open ones",
    "use the next_cursor of a snapshot": "use the one that the last look named",
}
"""What messages of the service say to do, in its rpcs and fields, and the same in tools. They end so: what else is in a
message may be a page's words."""


@dataclass(frozen=True, slots=True)
class ToolNames:
    """The tools that errors send a caller to, by their names in its profile.

    Attributes:
        open, dialog, tabs: open a session or a url; answer a dialog; list tabs.
        look: shows the page's refs; empty where the service's own words are enough.
    """

    open: str = "open"
    dialog: str = "dialog"
    tabs: str = "tabs"
    look: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a tool.

    Attributes:
        text: for the model.
        image: an image file; empty for none.
        mime_type: of the image.
        is_error: the call did not do what was asked.
    """

    text: str
    image: bytes = b""
    mime_type: str = ""
    is_error: bool = False


def error_answer(error: PerceptionError, names: ToolNames) -> Answer:
    """The answer for an error, with its reason first.

    Args:
        error: of the client or the service.
        names: of the tools that it may send the model to.
    """
    reason = error.reason
    message = _in_tools(str(error), names)
    advice = _ADVICE.get(reason, "").format(names=names)
    if names.look and reason in _LOOK_AGAIN:
        advice = f"{names.look} shows what is there now"
    if isinstance(error, RemoteError):
        reason = error.reason or error.code.name
        if error.retry_after_s is not None:
            advice = advice or f"try again in {error.retry_after_s:g} s"
        if error.input_dispatched:
            advice = "; ".join(filter(None, (advice, "input was sent to the page: look before you repeat it")))
    return Answer(f"{reason}: {message}{f' ({advice})' if advice else ''}", is_error=True)


def _in_tools(message: str, names: ToolNames) -> str:
    """A message of the service whose end says what to do in its rpcs, in tools."""
    for ending, own in _ENDINGS.items():
        if message.endswith(ending):
            return message.removesuffix(ending) + own.format(names=names)
    return message


def place(fence: Fence, url: str, title: str = "") -> str:
    """A page's address and title, marked as its words."""
    return fence.mark(quoted_list(filter(None, (url, title)), MAX_ADDRESS))


def words(fence: Fence, text: str, limit: int = MAX_ADDRESS) -> str:
    """A page's words in a sentence of ours, marked."""
    return fence.mark(page_words(text, limit))


def lines(*parts: str) -> str:
    """The parts that are not empty, each on lines of its own."""
    return "\n".join(part.rstrip("\n") for part in parts if part)

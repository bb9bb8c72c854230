"""What a tool answers: text, an image, or an error in one line.

Rule 1: words of a page are marked as untrusted wherever they are not in a text of the service, which marks its own.
Rule 2: an error says what was asked, what was found and what to do. No stack, no path of this machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from perception.client import RemoteError
from perception.errors import (
    DialogOpenError,
    PerceptionError,
    SessionExpiredError,
    SessionLimitError,
    SessionLostError,
    UnauthenticatedError,
    UnknownSessionError,
)
from perception.page_words import MAX_ADDRESS, page_words, quoted_list
from perception.render.untrusted import Fence

ENDED = (UnknownSessionError.reason, SessionExpiredError.reason, SessionLostError.reason)
"""Reasons of calls in a session that is not there any more."""

_ADVICE = {
    **dict.fromkeys(ENDED, "open a new session with {names.open}"),
    DialogOpenError.reason: "answer it with {names.dialog} first",
    SessionLimitError.reason: "close a session that is not needed, or try again later",
    UnauthenticatedError.reason: "send the bearer token of this service",
}
"""What to do, where the service's own message leaves that to its client."""


_RPC_ADVICE = ("; create one with CreateSession", ": answer it with HandleDialog first")
"""How messages of the service end that name an rpc; `_ADVICE` names the tool."""


@dataclass(frozen=True, slots=True)
class ToolNames:
    """The tools that errors send a model to, by their names in its profile."""

    open: str = "open"
    dialog: str = "dialog"


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
    message = str(error)
    for rpc in _RPC_ADVICE:
        message = message.removesuffix(rpc)
    advice = _ADVICE.get(reason, "").format(names=names)
    if isinstance(error, RemoteError):
        reason = error.reason or error.code.name
        if error.retry_after_s is not None:
            advice = advice or f"try again in {error.retry_after_s:g} s"
        if error.input_dispatched:
            advice = "; ".join(filter(None, (advice, "input was sent to the page: look before you repeat it")))
    return Answer(f"{reason}: {message}{f' ({advice})' if advice else ''}", is_error=True)


def place(fence: Fence, url: str, title: str = "") -> str:
    """A page's address and title, marked as its words."""
    return fence.mark(quoted_list(filter(None, (url, title)), MAX_ADDRESS))


def words(fence: Fence, text: str, limit: int = MAX_ADDRESS) -> str:
    """A page's words in a sentence of ours, marked."""
    return fence.mark(page_words(text, limit))


def lines(*parts: str) -> str:
    """The parts that are not empty, each on lines of its own."""
    return "\n".join(part.rstrip("\n") for part in parts if part)

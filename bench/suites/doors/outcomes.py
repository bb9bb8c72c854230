"""The result of the `doors` suite, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """One page's part of the task, through one server, once.

    Attributes:
        server: its name.
        page: id of the page in the data set's manifest.
        done: the page has the effect.
        problem: why not; empty if it has.
        calls: calls of tools, looks included.
        tokens_read: o200k tokens of the answers' texts.
        tokens_written: those of the calls: name and arguments.
        wire_bytes: of the answers, as JSON.
        seconds: of the calls.
        stumbles: looks and errors beyond the steps, in words.
    """

    server: str
    page: str
    done: bool
    problem: str
    calls: int
    tokens_read: int
    tokens_written: int
    wire_bytes: int
    seconds: float
    stumbles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolList:
    """The tools of a server as a model gets them.

    Attributes:
        server: its name and version.
        tools: how many.
        tokens: o200k, of name, description and schema of each.
        problem: why it could not be listed; empty if it was.
    """

    server: str
    tools: int = 0
    tokens: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ServerStart:
    """Seconds from the start of a server to its first answer with a page, its browser's start among them."""

    server: str
    seconds: float


@dataclass(frozen=True, slots=True)
class DoorsRun:
    """All outcomes, the starts, the tool lists, and a line for each page that could not be served."""

    outcomes: tuple[PageOutcome, ...]
    starts: tuple[ServerStart, ...]
    lists: tuple[ToolList, ...]
    left_out: tuple[str, ...] = ()

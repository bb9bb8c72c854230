"""A trace as values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

_KINDS = ((b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n\x1a\n", "image/png"))


@dataclass(frozen=True, slots=True)
class TracePicture:
    """A picture of a tab, JPEG or PNG.

    Attributes:
        width, height: px.
    """

    data: bytes = field(repr=False)
    width: int
    height: int

    @property
    def kind(self) -> str:
        """Its media type; empty for what is neither."""
        return next((kind for begin, kind in _KINDS if self.data.startswith(begin)), "")


@dataclass(frozen=True, slots=True)
class TraceCall:
    """One call.

    Attributes:
        number: in the session, from 1.
        rpc: such as `Click`.
        what: in plain words: `click button "Pay" [e5]`.
        start_s: seconds since 1970.
        duration_s: None while it is under way.
        tab_id, url: empty for none.
        code, reason, message: `OK`, or why it failed; empty while it is under way.
        text: what its client read; empty for nothing.
        request_json: what it was asked; empty for nothing.
        page: the lines of the whole page, as far as the answer has it.
        before, after: small pictures; None for none.
        by_person: a person did it.
    """

    number: int
    rpc: str
    what: str
    start_s: float
    duration_s: float | None = None
    tab_id: str = ""
    url: str = ""
    code: str = ""
    reason: str = ""
    message: str = ""
    text: str = ""
    request_json: str = ""
    page: Sequence[str] = ()
    before: TracePicture | None = None
    after: TracePicture | None = None
    by_person: bool = False

    @property
    def has_failed(self) -> bool:
        return self.code not in ("", "OK")


@dataclass(frozen=True, slots=True)
class Trace:
    """What is known of a session.

    Attributes:
        title: of the page that it ended on; may be empty.
        calls: in their order.
        made_s: when this was put together, seconds since 1970.
        notes: what the reader should know, such as that earlier calls are gone.
    """

    session_id: str
    title: str
    calls: Sequence[TraceCall]
    made_s: float
    notes: Sequence[str] = ()

    @property
    def begin_s(self) -> float:
        return min((each.start_s for each in self.calls), default=self.made_s)

    @property
    def end_s(self) -> float:
        ends = [each.start_s + (each.duration_s or 0.0) for each in self.calls]
        return max(ends, default=self.made_s)

    def pages_before(self) -> list[Sequence[str]]:
        """For each call the page as its tab had it before; empty where that is not known."""
        known: dict[str, Sequence[str]] = {}
        before = []
        for each in self.calls:
            before.append(known.get(each.tab_id, ()))
            if each.page:
                known[each.tab_id] = each.page
        return before


def offsets(trace: Trace) -> list[float]:
    """Seconds of each call after the first one."""
    return [max(0.0, each.start_s - trace.begin_s) for each in trace.calls]


def lanes(trace: Trace) -> list[int]:
    """A row for each call, from 0, so that calls that overlap are in different rows."""
    ends: list[float] = []
    found = []
    for each in trace.calls:
        end_s = each.start_s + (each.duration_s if each.duration_s is not None else trace.end_s - each.start_s)
        lane = next((number for number, last_s in enumerate(ends) if last_s <= each.start_s), len(ends))
        ends[lane : lane + 1] = [end_s]
        found.append(lane)
    return found

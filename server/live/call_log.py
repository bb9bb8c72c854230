"""The calls of a session that are kept for people who watch it, and news of them.

Rule 1: at most MAX_CALLS are kept, and MAX_BYTES of their answers and pictures: what the oldest hold goes first.
Rule 2: an answer is kept as it was sent, serialized, without pictures.
Rule 3: a reader has no queue: it asks for what has changed since a version, and gets each call as it is now.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from google.protobuf.message import Message

from perception.browser.live.picture import Picture
from perception.deadline import loop_time
from perception.errors import UnknownCallError

MAX_CALLS = 200

MAX_BYTES = 8 * 2**20


@dataclass(slots=True, eq=False)
class LoggedCall:
    """One call.

    Attributes:
        number: from 1.
        rpc: `Click`; empty for what is not a call.
        what: one line in plain words.
        start_s: when it began, seconds since 1970.
        tab_id, url: what it is about; empty for none.
        request: what was asked, without what may be secret; None for what is not a call.
        duration_s: None while it is under way.
        code, reason, message: how it ended.
        snapshot_id: of the snapshot that it answered or made; empty for none.
        snapshot: that snapshot, serialized, where it was the answer and is still kept; else empty.
        text: what its client read, where that is not in the snapshot.
        size_bytes: of the answer.
        by_person: a person did it.
        before, after: pictures of the tab; None for none.
        version: raised with each change, over all calls of the session.
        counted_bytes: what the log has counted it as.
    """

    number: int
    rpc: str
    what: str
    start_s: float
    tab_id: str = ""
    url: str = ""
    request: Message | None = None
    duration_s: float | None = None
    code: str = ""
    reason: str = ""
    message: str = ""
    snapshot_id: str = ""
    snapshot: bytes = b""
    text: str = ""
    size_bytes: int = 0
    by_person: bool = False
    before: Picture | None = None
    after: Picture | None = None
    version: int = 0
    counted_bytes: int = 0
    begun_s: float = field(default_factory=loop_time)

    @property
    def kept_bytes(self) -> int:
        """What it holds, about."""
        pictures = sum(len(each.jpeg) for each in (self.before, self.after) if each is not None)
        return self.size_bytes + pictures

    def strip(self) -> None:
        """Drops its answer and pictures; what it was stays."""
        self.before = self.after = None
        self.snapshot, self.text, self.size_bytes = b"", "", 0


class CallLog:
    """The calls of one session."""

    def __init__(self) -> None:
        self._calls: OrderedDict[int, LoggedCall] = OrderedDict()
        self._numbers = itertools.count(1)
        self._versions = itertools.count(1)
        self._news = asyncio.Event()
        self._bytes = 0

    def add(self, call: LoggedCall) -> None:
        """Keeps a call that begins."""
        self._calls[call.number] = call
        while len(self._calls) > MAX_CALLS:
            self._bytes -= self._calls.popitem(last=False)[1].counted_bytes
        self.note_change(call)

    def next_number(self) -> int:
        """The number of the next call."""
        return next(self._numbers)

    def note_change(self, call: LoggedCall) -> None:
        """A call has changed: it began, ended, or has pictures."""
        call.version = next(self._versions)
        self._count(call)
        self._shrink()
        self._news.set()
        self._news = asyncio.Event()

    def note_person(self, what: str, start_s: float, duration_s: float, tab_id: str = "", url: str = "") -> None:
        """Adds what a person did with control of the session, in one line.

        Args:
            start_s: seconds since 1970.
        """
        call = LoggedCall(self.next_number(), "", what, start_s, tab_id, url)
        call.duration_s, call.code, call.by_person = duration_s, "OK", True
        self.add(call)

    def get(self, number: int) -> LoggedCall:
        """Raises UnknownCallError for a call that is not kept."""
        call = self._calls.get(number)
        if call is None:
            kept = f"{next(iter(self._calls))} to {next(reversed(self._calls))}" if self._calls else "none"
            raise UnknownCallError(
                f"call {number} is not kept: this session keeps its last {MAX_CALLS} calls, now {kept}",
                call=str(number),
            )
        return call

    def since(self, version: int) -> Sequence[LoggedCall]:
        """The calls that have changed since, by the order of their changes; all that are kept, by number, for 0."""
        changed = [call for call in self._calls.values() if call.version > version]
        return sorted(changed, key=lambda call: call.version) if version else changed

    @property
    def news(self) -> asyncio.Event:
        """Set by the next change. Take it before `since`, or what changes meanwhile is missed."""
        return self._news

    def _count(self, call: LoggedCall) -> None:
        """Counts what a kept call holds now in place of what it held before."""
        if call.number in self._calls:
            self._bytes += call.kept_bytes - call.counted_bytes
            call.counted_bytes = call.kept_bytes

    def _shrink(self) -> None:
        """Drops what the oldest calls hold, until the rest is within the limit."""
        for call in self._calls.values():
            if self._bytes <= MAX_BYTES:
                return
            call.strip()
            self._count(call)

"""The messages of one tab's console that are kept: a ring, in which a message that repeats is one entry. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perception.browser.console.console_message import ConsoleMessage

MAX_KEPT = 1000
"""Entries of a tab: as many as Chromium itself keeps for a document."""


@dataclass(slots=True, eq=False)
class ConsoleEntry:
    """A message, and how often it came in a row.

    Attributes:
        number: its place in the console of its tab, from 1.
        message: the first one.
        count: how often.
        last_s: when it came last, seconds since 1970.
    """

    number: int
    message: ConsoleMessage
    count: int
    last_s: float

    @property
    def message_id(self) -> str:
        """Its id on the wire."""
        return f"c{self.number}"


class ConsoleLog:
    """The console of one tab, for as long as it lives.

    Attributes:
        last_number: of the last entry; 0 before the first.
        dropped: messages that were not kept, as far as that is known.
    """

    def __init__(self) -> None:
        self._entries: deque[ConsoleEntry] = deque()
        self._seen: dict[str, tuple[float, int]] = {}
        self.last_number = 0
        self.dropped = 0

    @property
    def entries(self) -> Sequence[ConsoleEntry]:
        """The oldest first."""
        return tuple(self._entries)

    def take(self, heard: Mapping[str, Sequence[ConsoleMessage]]) -> None:
        """Adds all that sources keep. Chromium repeats that whenever it is asked: what came before is left out.

        Args:
            heard: by source: one for each target and kind of event. The messages of one are in the order of their
                times.
        """
        fresh = [each for source, messages in heard.items() for each in self._fresh(messages, source)]
        for each in sorted(fresh, key=lambda message: message.at_s):
            self._add(each)

    def _fresh(self, messages: Sequence[ConsoleMessage], source: str) -> list[ConsoleMessage]:
        last_s, count = self._seen.get(source, (0.0, 0))
        fresh, same = [], 0
        for each in messages:
            if each.at_s < last_s:
                continue
            if each.at_s > last_s:
                last_s, count, same = each.at_s, 0, 0
            same += 1
            if same > count:
                count = same
                fresh.append(each)
        self._seen[source] = (last_s, count)
        return fresh

    def hear(self, message: ConsoleMessage, source: str) -> None:
        """Adds a message that has just been written."""
        last_s, count = self._seen.get(source, (0.0, 0))
        self._seen[source] = (message.at_s, count + 1 if message.at_s == last_s else 1)
        self._add(message)

    def _add(self, message: ConsoleMessage) -> None:
        last = self._entries[-1] if self._entries else None
        if last is not None and _is_same(last.message, message):
            last.count += 1
            last.last_s = message.at_s
            return
        self.last_number += 1
        self._entries.append(ConsoleEntry(self.last_number, message, 1, message.at_s))
        if len(self._entries) > MAX_KEPT:
            self.dropped += self._entries.popleft().count


def _is_same(one: ConsoleMessage, other: ConsoleMessage) -> bool:
    return (one.kind, one.level, one.text, one.url, one.line, one.column) == (
        other.kind,
        other.level,
        other.text,
        other.url,
        other.line,
        other.column,
    )

"""A scripted agent that knows what a model knows: the texts that it was given.

Rule 1: an element is found in a text, by its role and a part of its name. Nothing of the page is known beforehand.
Rule 2: what the texts so far do not have is looked for, in view, in the whole page, then by `find`. Each look counts.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from perception.client import AsyncPage, RemoteError
from perception.errors import PerceptionError
from perception.render.tokens import count_tokens
from perception.v1 import action_service_pb2 as action_pb

LOOK_SECONDS = 3.0
"""`settle_timeout` of the looks: a page that has come to rest answers at once."""

ACTION_SECONDS = 2.0
"""`settle_timeout` of the actions."""

_LINE = re.compile(r'- (?P<role>[\w-]+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?(?P<rest>.*)')
_REF = re.compile(r"\[ref=(\w+)\]")
_RENAMED = re.compile(r"^~ (?P<old>\w+) → (?P<new>\w+)", re.MULTILINE)
_MORE = re.compile(r"^… \d+ more", re.MULTILINE)


class LostError(PerceptionError):
    """The texts do not have what the task needs."""

    reason = "NOT_FOUND"


@dataclass(frozen=True, slots=True)
class Seen:
    """One line of a text. `place` counts lines over all texts, so that the later of two is the larger."""

    role: str
    name: str
    ref: str
    line: str
    place: int


@dataclass(slots=True)
class Agent:
    """An agent on one page.

    Attributes:
        page: the client's page.
        options: of every look.
        watch: is awaited after the first look and after each action, when no time is counted.
        text: the last text that was given.
    """

    page: AsyncPage
    watch: Callable[[], Awaitable[None]]
    options: Mapping[str, Any] = field(default_factory=dict)
    calls: int = 0
    actions: int = 0
    tokens: int = 0
    largest: int = 0
    seconds: float = 0.0
    text: str = ""
    stumbles: list[str] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    is_cut: bool = False
    _lines: int = 0

    async def look(self, **options: Any) -> str:
        """A snapshot's text; what earlier texts had is forgotten."""
        is_first = self.calls == 0
        snapshot = await self._timed(self.page.snapshot(**{"settle_timeout": LOOK_SECONDS, **self.options, **options}))
        self.seen.clear()
        self._read(snapshot.text)
        if is_first:
            await self.watch()
        return self.text

    async def click(self, role: str, name: str = "", **fields: Any) -> str:
        return await self._on(role, name, self.page.click, **fields)

    async def hover(self, role: str, name: str = "", **fields: Any) -> str:
        return await self._on(role, name, self.page.hover, **fields)

    async def click_at(self, x: float, y: float, **fields: Any) -> str:
        """Clicks a place that the agent worked out from what it was given."""
        return await self._act(self.page.click((x, y), settle_timeout=ACTION_SECONDS, **fields))

    async def drag(self, start: tuple[float, float], end: tuple[float, float]) -> str:
        return await self._act(self.page.drag(start, end, settle_timeout=ACTION_SECONDS))

    async def type(self, role: str, text: str, name: str = "", **fields: Any) -> str:
        return await self._on(role, name, self.page.type_text, text, **fields)

    async def type_here(self, text: str, **fields: Any) -> str:
        """Types where the focus is."""
        return await self._act(self.page.type_text(None, text, settle_timeout=ACTION_SECONDS, **fields))

    async def press(self, key: str) -> str:
        return await self._act(self.page.press(key, settle_timeout=ACTION_SECONDS))

    async def answer_dialog(self, text: str = "") -> str:
        """Accepts the open dialog, then looks: its answer has no diff."""
        dialogs = await self._timed(self.page.dialogs())
        if not dialogs:
            raise LostError("no dialog is open")
        self._count(dialogs[0].message)
        await self._timed(self.page.handle_dialog(True, text, dialogs[0].dialog_id))
        self.actions += 1
        text = await self.look()
        await self.watch()
        return text

    async def wait_for(self, text: str, seconds: float = 20.0) -> str:
        """Waits for words that the agent expects on the page."""
        return await self._act(self.page.wait_for(text=text, timeout_s=seconds), is_input=False)

    async def expect(self, words: str, **options: Any) -> str:
        """The last text if it has the words; else a new look is needed, and noted.

        Raises:
            LostError: the page does not have them either.
        """
        if words in self.text:
            return self.text
        self.stumbles.append(f"the answer does not have {words!r}" + (", it was cut" if self.is_cut else ""))
        if words not in await self.look(**options):
            raise LostError(f"{words!r} is not on the page")
        return self.text

    async def find(self, role: str, name: str = "") -> Seen:
        """An element by role and a part of its name, of the latest text that has it.

        Raises:
            LostError: no text has it.
        """
        for options in ({}, {"scope": "viewport"}, {"scope": "page"}):
            if options:
                if self.seen:
                    cut = ", the text was cut" if self.is_cut else ""
                    self.stumbles.append(f"no {role} {name!r} in the texts so far{cut}")
                await self.look(**options)
            if found := self.in_texts(role, name):
                return found
        raise LostError(f"no {role} is called {name!r}")

    def in_texts(self, role: str, name: str = "") -> Seen | None:
        """An element of the texts so far; an equal name before a longer one, a later line before an earlier one."""
        fitting = [each for each in self.seen if each.role == role and each.ref and name.lower() in each.name.lower()]
        return max(fitting, key=lambda each: (each.name == name, each.place), default=None)

    def with_value(self, role: str, value: str) -> Seen:
        """The latest field with this value.

        Raises:
            LostError: there is none.
        """
        holding = [each for each in self.seen if each.role == role and each.ref and f': "{value}"' in each.line]
        if not holding:
            raise LostError(f"no {role} holds {value!r}")
        return holding[-1]

    def after(self, words: str, role: str, name: str = "") -> Seen:
        """The first element of that kind below a line with these words, in the order of the last whole text.

        Raises:
            LostError: there is none.
        """
        places = [each.place for each in self.seen if words in each.line]
        below = [
            each
            for each in self.seen
            if places and each.place > places[-1] and each.role == role and each.ref and name in each.name
        ]
        if not below:
            raise LostError(f"no {role} {name!r} below {words!r}")
        return below[0]

    async def _on(self, role: str, name: str, do: Callable[..., Awaitable[Any]], *args: Any, **fields: Any) -> str:
        target = await self.find(role, name)
        return await self._act(do(target.ref, *args, **{"settle_timeout": ACTION_SECONDS} | fields))

    async def act_on(self, target: Seen, do: Callable[..., Awaitable[Any]], *args: Any, **fields: Any) -> str:
        """Acts on an element that was found."""
        return await self._act(do(target.ref, *args, **{"settle_timeout": ACTION_SECONDS} | fields))

    async def _act(self, call: Awaitable[action_pb.ActionResult], *, is_input: bool = True) -> str:
        self.actions += is_input
        try:
            result = await self._timed(call)
        except RemoteError as exc:
            self.stumbles.append(f"{exc.reason}: {exc}"[:300])
            self._count(str(exc))
            raise
        said = [result.diff.text, *result.notes, *(each.message for each in result.dialogs)]
        self._read("\n".join(filter(None, said)), is_new=result.diff.text_is_snapshot)
        if is_input:
            await self.watch()
        return self.text

    async def _timed(self, call: Awaitable[Any]) -> Any:
        self.calls += 1
        began = time.monotonic()
        try:
            return await call
        finally:
            self.seconds += time.monotonic() - began

    def _count(self, text: str) -> None:
        tokens = count_tokens(text)
        self.tokens += tokens
        self.largest = max(self.largest, tokens)

    def _read(self, text: str, *, is_new: bool = False) -> None:
        self._count(text)
        self.text, self.is_cut = text, bool(_MORE.search(text))
        if is_new:
            self.seen.clear()
        for change in _RENAMED.finditer(text):
            self.seen = [_renamed(each, change["old"], change["new"]) for each in self.seen]
        for line in text.splitlines():
            self._lines += 1
            found = _LINE.search(line)
            if found and not line.startswith("- ~"):
                ref = _REF.search(found["rest"])
                self.seen.append(Seen(found["role"], found["name"] or "", ref[1] if ref else "", line, self._lines))


def _renamed(seen: Seen, old: str, new: str) -> Seen:
    return Seen(seen.role, seen.name, new, seen.line, seen.place) if seen.ref == old else seen


def sides_in(line: str, where: str) -> list[float]:
    """The sides of a painted grid's columns or rows, as its line says them: `x=40, 120, …, 840`.

    Raises:
        LostError: it says none.
    """
    found = re.search(rf"{where}=([\d, …]+)", line)
    if not found:
        raise LostError(f"no {where}: {line}")
    first, dots, last = found[1].partition("…")
    sides = [float(each) for each in re.findall(r"\d+", first)]
    end = float(re.findall(r"\d+", last)[0]) if dots else 0.0
    while dots and sides[-1] < end - 1:
        sides.append(min(sides[-1] + (end - sides[1]) / max(round((end - sides[1]) / (sides[1] - sides[0])), 1), end))
    return sides


def place_of(seen: Seen) -> tuple[float, float]:
    """Where an element is that only vision sees, as its line says.

    Raises:
        LostError: its line has no place.
    """
    found = re.search(r"\[at=(-?\d+),(-?\d+)\]", seen.line)
    if not found:
        raise LostError(f"no place: {seen.line}")
    return float(found[1]), float(found[2])

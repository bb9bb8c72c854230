"""What a script plays with: snapshots of the task, actions, and the instruction, all over the service's own wire.

Rule 1: a script learns of the page by snapshots alone, and acts by refs and coordinates alone.
Rule 2: after every act the harness is asked whether the episode has ended: what is on the screen then is no task.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

from perception.bench.suites.miniwob.players import EndedError, EpisodePlay, StuckError
from perception.client.requests import TargetLike
from perception.geometry import Point
from perception.v1 import types_pb2 as pb

PATIENCE = 5
REST_SECONDS = 0.2
"""Looks for what is to come, and the time between them: jQuery UI offers completions after 0.3 s and opens its menus in
0.4 s."""

At = pb.Element | tuple[float, float]
"""Where to act: by an element's ref, or in its middle where it has none; or at a point."""


@dataclass(frozen=True, slots=True)
class TaskSnapshot:
    """What a look showed, in the list's order."""

    elements: tuple[pb.Element, ...]

    def all(self, *roles: str, name: str = "", says: str = "") -> list[pb.Element]:
        """Those of any of these roles (of any role, if none is given).

        Args:
            name: the whole of what is written on them, in any case.
            says: a regular expression that is found in it.
        """
        return [
            each
            for each in self.elements
            if (not roles or each.role in roles)
            and (not name or words_of(each).casefold() == name.casefold())
            and (not says or re.search(says, words_of(each), re.IGNORECASE))
        ]

    def one(self, *roles: str, name: str = "", says: str = "", nth: int = 0) -> pb.Element:
        """The first of them, or the one at `nth`. Raises StuckError."""
        found = self.all(*roles, name=name, says=says)
        try:
            return found[nth]
        except IndexError:
            kind = "/".join(roles) or "element"
            raise StuckError(f"no {kind} {name or says!r} at {nth}: {len(found)} are listed") from None

    def below(self, landmark: pb.Element, *roles: str) -> list[pb.Element]:
        """Those of these roles that the list has after a landmark."""
        at = next(index for index, each in enumerate(self.elements) if each is landmark)
        return [each for each in self.elements[at + 1 :] if each.role in roles]

    def words(self) -> str:
        """All that is written."""
        return " ".join(filter(None, map(words_of, self.elements)))


@dataclass(slots=True)
class EpisodeDriver(EpisodePlay):
    """One episode, for a script: snapshots of the task, and actions on it."""

    async def look(self, **options: Any) -> TaskSnapshot:
        """The task's elements, in view or not. `options`: others than the variant's. Raises RemoteError."""
        around = await self.around()
        start = time.perf_counter()
        snapshot = await self.page.snapshot(**(self.looks | options))
        self.cost.look_ms += (time.perf_counter() - start) * 1000
        self.cost.tokens += snapshot.token_count
        return TaskSnapshot(
            tuple(each for each in snapshot.elements if not any(box.contains(Point(*middle(each))) for box in around))
        )

    async def seek(self, *roles: str, name: str = "", says: str = "") -> pb.Element:
        """Looks until the page lists it: what was just opened may still be unfolding. Raises StuckError."""
        for _ in range(PATIENCE):
            if (await self.look()).all(*roles, name=name, says=says):
                break
            await asyncio.sleep(REST_SECONDS)
        return (await self.look()).one(*roles, name=name, says=says)

    async def click(self, at: At, **fields: Any) -> None:
        await self._act(self.page.click(_target(at), **_QUIET | fields))

    async def hover(self, at: At) -> None:
        await self._act(self.page.hover(_target(at), **_QUIET))

    async def drag(self, start: At, end: At) -> None:
        await self._act(self.page.drag(_target(start), _target(end), **_QUIET))

    async def type(self, at: At | None, text: str, **fields: Any) -> None:
        target = None if at is None else _target(at)
        await self._act(self.page.type_text(target, text, clear=at is not None, **_QUIET | fields))

    async def press(self, key: str, at: At | None = None, *, times: int = 1) -> None:
        for _ in range(times):
            await self._act(self.page.press(key, None if at is None else _target(at), **_QUIET, settle_timeout=0))

    async def select(self, at: At, *options: str) -> None:
        await self._act(self.page.select(_target(at), *options, **_QUIET))

    async def scroll(self, at: At, down: float) -> None:
        await self._act(self.page.scroll(down, target=_target(at), **_QUIET))

    async def submit(self) -> None:
        """Clicks the button that sends what was done."""
        await self.click((await self.look()).one("button", name="Submit"))

    async def _act(self, call: Awaitable[Any]) -> None:
        start = time.perf_counter()
        try:
            await call
        finally:
            self.cost.act_ms += (time.perf_counter() - start) * 1000
            self.cost.steps += 1
        if await self.ended():
            raise EndedError


_QUIET = {"skip_diff": True}
"""A script looks where it needs to, and reads no diffs."""


def words_of(element: pb.Element) -> str:
    """What is written on it."""
    return (element.name or element.text).strip()


def middle(element: pb.Element) -> tuple[float, float]:
    """CSS px of the viewport."""
    return element.box.x + element.box.width / 2, element.box.y + element.box.height / 2


def contains(outer: pb.Element, point: tuple[float, float]) -> bool:
    box = outer.box
    return box.x <= point[0] < box.x + box.width and box.y <= point[1] < box.y + box.height


def quoted(words: str) -> list[str]:
    """What stands in quotes."""
    return re.findall(r'"([^"]*)"', words)


def found(pattern: str, words: str) -> tuple[str, ...]:
    """The groups of a pattern. Raises StuckError where it does not fit."""
    match = re.search(pattern, words)
    if match is None:
        raise StuckError(f"the instruction is not understood: {words}")
    return match.groups()


def ordinal(words: str) -> int:
    """The number in `3rd`, from 1. Raises StuckError."""
    return int(found(r"(\d+)(?:st|nd|rd|th)\b", words)[0])


def _target(at: At) -> TargetLike:
    return at if isinstance(at, tuple) else at.ref or middle(at)

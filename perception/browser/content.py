"""Content: what a person reads on a tab, as clean HTML: of the document or one element of it, with the frames inside.

The walker of each frame writes what is seen in it (`walker/content.js`); where a frame stands, its content is put.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

import msgspec

from perception.browser.capture import MAX_FRAME_DEPTH, MAX_ROUNDS, why_not_entered
from perception.browser.cdp import CdpCallError
from perception.browser.node_ids import backend_ids
from perception.browser.page import PageLink
from perception.browser.targets import Node
from perception.browser.told import adopt_closed_roots
from perception.budget import Budget
from perception.errors import DeadlineError, PageChangingError, PageCrashedError, SessionLostError
from perception.types import Skipped

FRAME_SECONDS = 5.0
"""How long one frame is waited for: 100,000 elements are read in about so much, a hung frame never answers."""

MAX_LETTERS = 4_000_000
"""Of HTML, all frames together; see MAX_WRITTEN in content.js."""

CUT = Skipped("content", f"the page holds more than {MAX_LETTERS:,} characters: the rest was left out; ask by scope")

_FRAME = re.compile(r'<perception-frame number="(\d+)"></perception-frame>')


@dataclass(frozen=True, slots=True)
class ContentWish:
    """What is asked for: also what fields hold, but passwords; also which blocks are in which, with their classes."""

    with_values: bool = False
    with_outline: bool = False


@dataclass(frozen=True, slots=True)
class PageContent:
    """What a person reads, as HTML without a body element; empty where there is nothing to read.

    Attributes:
        kind: MIME type of the document that was read.
    """

    html: str
    url: str
    title: str
    kind: str
    skipped: tuple[Skipped, ...] = ()


class _Answer(msgspec.Struct):
    """A frame's."""

    url: str
    title: str
    type: str
    gone: bool
    html: str
    frames: list[tuple[int, str]]
    cut: bool
    suspects: int


_decode = msgspec.json.Decoder(_Answer).decode


async def read_content(page: PageLink, root: Node | None, wish: ContentWish, budget: Budget) -> PageContent:
    """Reads a tab, or one element of it.

    Args:
        root: the element; None for the whole document.

    Raises:
        PageChangingError: the document was replaced while it was read, or the element went away.
        PageCrashedError, SessionLostError, DeadlineError
    """
    loader = page.loader
    reading = _Reading(page, wish)
    try:
        answer = await reading.document(root.frame if root else page.main_frame, root.number if root else 0, budget)
        html = await reading.with_frames(answer, root.frame if root else page.main_frame, budget, 0)
    except CdpCallError as exc:
        raise PageChangingError(_WENT) from exc
    if page.loader != loader or answer.gone:
        raise PageChangingError(_WENT)
    skipped = [*reading.skipped, CUT] if reading.is_cut else reading.skipped
    if root is not None and root.frame != page.main_frame:
        top = await reading.ask(page.main_frame, "place", budget)
        return PageContent(html, top["url"], top["title"], answer.type, tuple(skipped))
    return PageContent(html, answer.url, answer.title, answer.type, tuple(skipped))


_WENT = "the page went to another document while it was read: wait until it has loaded and try again"


class _Reading:
    """One reading of a tab's frames."""

    def __init__(self, page: PageLink, wish: ContentWish) -> None:
        self._page = page
        self._wish = wish
        self._letters = 0
        self.is_cut = False
        self.skipped: list[Skipped] = []

    async def ask(self, frame: str, call: str, budget: Budget) -> dict[str, str]:
        answer: dict[str, str] = await self._page.ask(frame, call, budget, "reading the page")
        return answer

    async def document(self, frame: str, number: int, budget: Budget) -> _Answer:
        """One frame's content, with what its closed shadow roots hold."""
        parts = urlsplit(self._page.url)
        wish = {
            "origin": f"{parts.scheme}://{parts.netloc}",
            "isTop": frame == self._page.main_frame,
            "values": self._wish.with_values,
            "outline": self._wish.with_outline,
        }
        for _ in range(MAX_ROUNDS):
            answer = _decode(await self._page.ask_text(frame, "content", budget, "reading the page", number, wish))
            if not answer.suspects or not await adopt_closed_roots(self._page, frame, budget):
                break
        self._letters += len(answer.html)
        self.is_cut = self.is_cut or answer.cut
        return answer

    async def with_frames(self, answer: _Answer, frame: str, budget: Budget, depth: int) -> str:
        """A frame's content with that of the frames in it where they stand."""
        if not answer.frames or depth >= MAX_FRAME_DEPTH:
            return _FRAME.sub("", answer.html)
        known = await backend_ids(self._page, frame, [number for number, _ in answer.frames], budget)
        there = [(number, name) for number, name in answer.frames if number in known]
        ids = await self._page.frame_ids([known[number] for number, _ in there], frame, budget)
        inside: dict[int, str] = {}

        async def enter(number: int, name: str, child: str) -> None:
            share = budget.share(FRAME_SECONDS)
            try:
                found = await self.document(child, 0, share)
                inside[number] = await self.with_frames(found, child, share, depth + 1)
            except (PageCrashedError, SessionLostError, CdpCallError, DeadlineError) as exc:
                self.skipped.append(Skipped(f"frame {name or 'without a name'}", why_not_entered(exc)))

        async with asyncio.TaskGroup() as group:
            for (number, name), child in zip(there, ids, strict=True):
                if child:
                    group.create_task(enter(number, name, child))
        return self._fill(answer.html, inside)

    def _fill(self, html: str, inside: dict[int, str]) -> str:
        """Frames' content in the places where they stand, as far as there is room."""
        left = MAX_LETTERS - len(html)

        def put(match: re.Match[str]) -> str:
            nonlocal left
            content = inside.get(int(match[1]), "")
            left -= len(content)
            self.is_cut = self.is_cut or left < 0
            return f"<div>{content}</div>" if content and left >= 0 else ""

        return _FRAME.sub(put, html)

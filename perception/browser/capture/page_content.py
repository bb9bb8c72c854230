"""The visible content of a tab as clean HTML: of the document or one of its elements, with the frames inside.

The walker of each frame writes what is visible in it (`walker/content/reader.js`); a frame's content replaces its
element.
"""

from __future__ import annotations

import asyncio
import html as markup
import re
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

import msgspec

from perception.browser.capture.capturer import MAX_ROUNDS
from perception.browser.capture.frame_capture import MAX_FRAME_DEPTH, why_not_entered
from perception.browser.capture.listeners import adopt_closed_roots
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.node_ids import backend_ids
from perception.browser.page.page_link import PageLink
from perception.browser.page.target_types import TargetNode
from perception.deadline import Deadline
from perception.errors import DeadlineError, PageChangingError, PageCrashedError, SessionLostError
from perception.types import Skipped

CONTENT_FRAME_SECONDS = 5.0
"""Limit for one frame: 100,000 elements are read in about this time, a hung frame never answers."""

MAX_LETTERS = 4_000_000
"""Characters of HTML, all frames together; see MAX_WRITTEN in walker/content/html_writer.js. Chosen by hand."""

CUT = Skipped("content", f"the page holds more than {MAX_LETTERS:,} characters: the rest was omitted; ask by scope")

FRAME_NAME, FRAME_ORIGIN = "data-frame", "data-origin"
"""Attributes of the `div` around a frame's content: its name, empty for none, and its origin where it is another one
than the page's."""

_FRAME = re.compile(r'<perception-frame number="(\d+)"></perception-frame>')


@dataclass(frozen=True, slots=True)
class ContentOptions:
    """What to read besides text.

    Attributes:
        with_values: also the values of fields, except passwords.
        with_outline: also the nesting of blocks, with their classes.
    """

    with_values: bool = False
    with_outline: bool = False


@dataclass(frozen=True, slots=True)
class PageContent:
    """Visible content.

    Attributes:
        html: HTML without a body element; empty where there is nothing to read.
        url: of the top document.
        title: of the top document.
        kind: MIME type of the document that was read.
        read_at_s: when it was read, seconds since 1970.
        skipped: frames that were skipped, and what was cut.
    """

    html: str
    url: str
    title: str
    kind: str
    read_at_s: float
    skipped: tuple[Skipped, ...] = ()


class _Answer(msgspec.Struct):
    """The walker's reply for one frame."""

    url: str
    title: str
    type: str
    gone: bool
    html: str
    frames: list[tuple[int, str]]
    cut: bool
    suspects: int


_decode = msgspec.json.Decoder(_Answer).decode


async def read_content(
    page: PageLink, root: TargetNode | None, options: ContentOptions, deadline: Deadline
) -> PageContent:
    """Reads a tab, or one element of it.

    Args:
        root: the element; None for the whole document.

    Raises:
        PageChangingError: the page navigated while it was read, or the element is gone.
        PageCrashedError, SessionLostError, DeadlineError
    """
    loader = page.loader
    reading = _ContentReader(page, options)
    try:
        answer = await reading.document(root.frame if root else page.main_frame, root.number if root else 0, deadline)
        read_at_s = time.time()
        html = await reading.with_frames(answer, root.frame if root else page.main_frame, deadline, 0)
    except CdpCallError as exc:
        raise PageChangingError(_NAVIGATED) from exc
    if page.loader != loader or answer.gone:
        raise PageChangingError(_NAVIGATED)
    skipped = [*reading.skipped, CUT] if reading.is_cut else reading.skipped
    if root is not None and root.frame != page.main_frame:
        top = await reading.ask(page.main_frame, "documentState", deadline)
        return PageContent(html, top["url"], top["title"], answer.type, read_at_s, tuple(skipped))
    return PageContent(html, answer.url, answer.title, answer.type, read_at_s, tuple(skipped))


_NAVIGATED = "the page navigated while it was read: wait until it has loaded and try again"


class _ContentReader:
    """Reads a tab's frames once.

    Attributes:
        is_cut: something was omitted because of its size.
        skipped: the frames that did not answer.
    """

    def __init__(self, page: PageLink, options: ContentOptions) -> None:
        self._page = page
        self._options = options
        self._length = 0
        self.is_cut = False
        self.skipped: list[Skipped] = []

    async def ask(self, frame: str, call: str, deadline: Deadline) -> dict[str, str]:
        answer: dict[str, str] = await self._page.ask(frame, call, deadline, "reading the page")
        return answer

    async def document(self, frame: str, number: int, deadline: Deadline) -> _Answer:
        """One frame's content, closed shadow roots included."""
        asked = {
            "origin": _origin_of(self._page.url),
            "isTop": frame == self._page.main_frame,
            "values": self._options.with_values,
            "outline": self._options.with_outline,
        }
        for _ in range(MAX_ROUNDS):
            answer = _decode(await self._page.ask_text(frame, "content", deadline, "reading the page", number, asked))
            if not answer.suspects or not await adopt_closed_roots(self._page, frame, deadline):
                break
        self._length += len(answer.html)
        self.is_cut = self.is_cut or answer.cut
        return answer

    async def with_frames(self, answer: _Answer, frame: str, deadline: Deadline, depth: int) -> str:
        """A frame's content, with the content of the frames in it."""
        if not answer.frames or depth >= MAX_FRAME_DEPTH:
            return _FRAME.sub("", answer.html)
        known = await backend_ids(self._page, frame, [number for number, _ in answer.frames], deadline)
        there = [(number, name) for number, name in answer.frames if number in known]
        ids = await self._page.worlds.frame_ids([known[number] for number, _ in there], frame, deadline)
        inside: dict[int, str] = {}

        async def enter(number: int, name: str, child: str) -> None:
            share = deadline.share(CONTENT_FRAME_SECONDS)
            try:
                found = await self.document(child, 0, share)
                content = await self.with_frames(found, child, share, depth + 1)
                inside[number] = self._framed(content, name, found.url)
            except (PageCrashedError, SessionLostError, CdpCallError, DeadlineError) as exc:
                self.skipped.append(Skipped(f"frame {name or 'without a name'}", why_not_entered(exc)))

        async with asyncio.TaskGroup() as group:
            for (number, name), child in zip(there, ids, strict=True):
                if child:
                    group.create_task(enter(number, name, child))
        return self._fill(answer.html, inside)

    def _framed(self, content: str, name: str, url: str) -> str:
        """A frame's content in an element that says so; "" for no content."""
        if not content:
            return ""
        origin = _origin_of(url)
        is_other = origin.startswith("http") and origin != _origin_of(self._page.url)
        other = f' {FRAME_ORIGIN}="{markup.escape(origin)}"' if is_other else ""
        return f'<div {FRAME_NAME}="{markup.escape(name)}"{other}>{content}</div>'

    def _fill(self, html: str, inside: dict[int, str]) -> str:
        """Replaces frame elements by their content, up to the size limit."""
        left = MAX_LETTERS - len(html)

        def put(match: re.Match[str]) -> str:
            nonlocal left
            content = inside.get(int(match[1]), "")
            left -= len(content)
            self.is_cut = self.is_cut or left < 0
            return content if left >= 0 else ""

        return _FRAME.sub(put, html)


def _origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"

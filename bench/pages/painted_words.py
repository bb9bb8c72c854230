"""What a tab paints as text, as Chromium's rectangles and hit tests have it, and what OCR reads at a place.

Rule 1: nothing here uses the page walker: `painted_words.js` runs in a world of its own in each frame.
Rule 2: where frames of other origins lie in the tab is not known: their texts are known, and never count as painted.
"""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from perception.deadline import Deadline
from perception.errors import PerceptionError

PROBE_SCRIPT = Path(__file__).with_name("painted_words.js").read_text("utf-8")
PROBE_WORLD = "painted-words"

JOINT = "\u0001"
"""As in the script: between two pieces that may be one word."""

STEP = 0.6
"""Share of the viewport's height that is scrolled between two looks: what a header covers at one is seen at another."""

MAX_LOOKS = 120
"""A page that is longer is read up to there."""

OCR_SECONDS = 30.0
MARGIN_PX = 60
"""What is cut out to the left and right of a word, so that OCR sees its line."""
ENLARGED = 2.0
READER_SIDE = 736
"""The least side that rapidocr's text detector looks at, px."""

_TOKEN = re.compile(r"[^\W_]+(?:[.,'\u2019:]\d+)*")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")


def tokens_of(text: str) -> list[str]:
    """Words and numbers, without case and punctuation; numbers keep their separators: `1,250.00`."""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold()
    return _TOKEN.findall(plain)


def readings_of(word: str) -> list[list[str]]:
    """The ways to read a painted word: joined, and apart where its pieces do not clearly touch."""
    joined = tokens_of(word.replace(JOINT, ""))
    apart = tokens_of(word.replace(JOINT, " "))
    return [joined] if joined == apart else [joined, apart]


@dataclass(frozen=True, slots=True)
class PaintedWord:
    """A word of a frame. `block`: number of the block that it is in, in its frame."""

    frame: str
    index: int
    text: str
    block: int


@dataclass(slots=True)
class PaintedProbe:
    """The probe of one document and its frames.

    Attributes:
        worlds: its context in each frame, the page's own first.
        others: sessions of frames of another process.
    """

    page: Page
    session: CDPSession
    worlds: dict[str, int] = field(default_factory=dict)
    others: dict[str, CDPSession] = field(default_factory=dict)

    @classmethod
    async def of(cls, page: Page, session: CDPSession) -> PaintedProbe:
        """Adds the probe to the document that the tab has now."""
        probe = cls(page, session)
        await probe._add(session)
        for frame in page.frames[1:]:
            try:
                other = await page.context.new_cdp_session(frame)
            except PlaywrightError:
                continue  # it is of this process
            probe.others |= dict.fromkeys(await probe._add(other), other)
        return probe

    async def _add(self, session: CDPSession) -> list[str]:
        tree = (await session.send("Page.getFrameTree"))["frameTree"]
        added = []
        for frame in _frames(tree):
            try:
                made = await session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": PROBE_WORLD})
                context = made["executionContextId"]
                await session.send("Runtime.evaluate", {"expression": PROBE_SCRIPT, "contextId": context})
            except PlaywrightError:
                continue  # the frame is gone, or of another process
            self.worlds[frame] = context
            added.append(frame)
        return added

    def session_of(self, frame: str) -> CDPSession:
        return self.others.get(frame, self.session)

    async def collect(self) -> list[PaintedWord]:
        """All words that have a place; which of them are painted is known after `scroll_through`."""
        closed = await self._closed_roots()
        found: list[PaintedWord] = []
        for frame, context in self.worlds.items():
            roots = []
            for node in closed.get(frame, ()):
                target = {"backendNodeId": node, "executionContextId": context}
                roots.append({"objectId": (await self.session.send("DOM.resolveNode", target))["object"]["objectId"]})
            rows = await self._run(frame, "(...roots) => paintedWords.collect(roots)", roots)
            found += [PaintedWord(frame, index, text, block) for index, (text, block) in enumerate(rows)]
        return found

    async def scroll_through(self) -> None:
        """Looks at each part of the page, from the top; nothing inside it is scrolled."""
        height, view = await self.page.evaluate(
            "() => [(document.scrollingElement ?? document.documentElement).scrollHeight, innerHeight]"
        )
        for at in range(min(MAX_LOOKS, int(max(0, height - view) / (view * STEP)) + 2)):
            await self.page.evaluate("top => scrollTo({top, behavior: 'instant'})", at * view * STEP)
            for frame in self.worlds:
                await self._run(frame, "() => paintedWords.look()")
        await self.page.evaluate("scrollTo({top: 0, behavior: 'instant'})")

    async def painted(self) -> dict[tuple[str, int], int]:
        """By frame and index of a word: 2 if it was seen, 1 if it would be elsewhere in its scrolling box, or 0."""
        found: dict[tuple[str, int], int] = {}
        for frame in self.worlds:
            flags = await self._run(frame, "() => paintedWords.painted()")
            found |= {(frame, index): flag for index, flag in enumerate(flags)}
        return found

    async def look(self) -> None:
        """Marks what is painted without scrolling."""
        for frame in self.worlds:
            await self._run(frame, "() => paintedWords.look()")

    async def named(self) -> list[str]:
        """Texts of attributes, values and lists, of all frames, and what Chromium's own tree has of generated text."""
        found: list[str] = []
        for frame in self.worlds:
            found += await self._run(frame, "() => paintedWords.named()")
            reply = await self.session_of(frame).send("Accessibility.getFullAXTree", {"frameId": frame})
            found += [text for node in reply["nodes"] if (text := _generated(node))]
        return found

    async def controls(self) -> list[dict[str, Any]]:
        """Controls in view and what is painted in them, each with `frame` and `index`."""
        found: list[dict[str, Any]] = []
        for frame in self.worlds:
            rows = await self._run(frame, "() => paintedWords.controls()")
            found += [{**row, "frame": frame, "index": index} for index, row in enumerate(rows)]
        return found

    async def near(self, frame: str, index: int, kind: str) -> list[int]:
        """Backend node ids of a control itself, of what is below it, or of what is around it."""
        reply = await self.session.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": "(index, kind) => paintedWords.near(index, kind)",
                "executionContextId": self.worlds[frame],
                "arguments": [{"value": index}, {"value": kind}],
                "objectGroup": PROBE_WORLD,
            },
        )
        target = {"objectId": reply["result"]["objectId"], "ownProperties": True}
        listed = (await self.session.send("Runtime.getProperties", target))["result"]
        ids = []
        for each in listed:
            if each["name"].isdigit():
                node = await self.session.send("DOM.describeNode", {"objectId": each["value"]["objectId"]})
                ids.append(node["node"]["backendNodeId"])
        return ids

    async def context(self, word: PaintedWord) -> str:
        """The markup around a word, cut."""
        return str(await self._run(word.frame, "i => paintedWords.context(i)", [{"value": word.index}]))

    async def read_word(self, word: PaintedWord) -> str:
        """What OCR reads in the line of a word; empty if it has no place any more."""
        arguments = [{"value": word.index}]
        box = await self._run(word.frame, "index => paintedWords.show(index)", arguments)
        return await self.read_box(box) if box else ""

    async def read_box(self, box: Mapping[str, float], margin: float = MARGIN_PX) -> str:
        """What OCR reads in a box of the viewport and beside it."""
        size = self.page.viewport_size or await self.page.evaluate("({width: innerWidth, height: innerHeight})")
        left, top = max(0.0, box["x"] - margin), max(0.0, box["y"] - 8)
        right = min(float(size["width"]), box["x"] + box["width"] + margin)
        bottom = min(float(size["height"]), box["y"] + box["height"] + 8)
        if right - left < 2 or bottom - top < 2:
            return ""
        clip = {"x": left, "y": top, "width": right - left, "height": bottom - top, "scale": ENLARGED}
        # CDP's clip is in page coordinates.
        x, y = await self.page.evaluate("[scrollX, scrollY]")
        clip |= {"x": left + x, "y": top + y}
        shot = await self.session.send("Page.captureScreenshot", {"format": "png", "clip": clip})
        return await asyncio.to_thread(_read_png, shot["data"])

    async def _closed_roots(self) -> dict[str, list[int]]:
        reply = await self.session.send("DOM.getDocument", {"depth": -1, "pierce": True})
        top = next(iter(self.worlds))
        found: dict[str, list[int]] = {}
        waiting = [(top, reply["root"])]
        while waiting:
            frame, node = waiting.pop()
            if node.get("shadowRootType") == "closed":
                found.setdefault(frame, []).append(node["backendNodeId"])
            waiting += [(frame, each) for each in node.get("children", ())]
            waiting += [(frame, each) for each in node.get("shadowRoots", ()) if each["shadowRootType"] != "user-agent"]
            if "contentDocument" in node:
                waiting.append((node["frameId"], node["contentDocument"]))
        return found

    async def _run(self, frame: str, function: str, arguments: Sequence[Mapping[str, Any]] = ()) -> Any:
        reply = await self.session_of(frame).send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": function,
                "executionContextId": self.worlds[frame],
                "arguments": list(arguments),
                "returnByValue": True,
            },
        )
        if "exceptionDetails" in reply:
            raise PerceptionError(f"the probe of painted words failed: {str(reply['exceptionDetails'])[:400]}")
        return reply["result"].get("value")


def _frames(tree: Mapping[str, Any]) -> Iterator[str]:
    yield tree["frame"]["id"]
    for each in tree.get("childFrames", ()):
        yield from _frames(each)


def _generated(node: Mapping[str, Any]) -> str:
    """Text of a style sheet (`::before`, counters, markers) that has a node in Chromium's accessibility tree."""
    role = node.get("role", {}).get("value", "")
    if role not in ("ListMarker", "StaticText", "spinbutton", "slider", "progressbar"):
        return ""
    return f"{node.get('name', {}).get('value', '')} {node.get('value', {}).get('value', '')}"


@cache
def _reader() -> Any:
    from perception.detectors.rapidocr import RapidOcr

    return RapidOcr()


def _read_png(data: str) -> str:
    from base64 import b64decode

    pixels = np.asarray(Image.open(BytesIO(b64decode(data))).convert("RGB"), np.uint8)
    # The reader enlarges strips until their short side has this size: 120 x 30 px took 30 s.
    height, width = pixels.shape[:2]
    sheet = np.empty((max(READER_SIDE, height), max(READER_SIDE, width), 3), np.uint8)
    sheet[:] = np.median(pixels, axis=(0, 1))
    sheet[:height, :width] = pixels
    return " ".join(_reader().detect(sheet, Deadline.of(OCR_SECONDS)).text)

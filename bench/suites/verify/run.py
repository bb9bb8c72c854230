"""Looks at pages with and without `verify`, through the service.

Rule 1: a tampered number is caught if its line says what the pixels show.
Rule 2: on the other pages each mark is a false alarm: they paint what they say.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from perception.bench.pages.visited_pages import serve_pages
from perception.bench.suite import SuiteContext
from perception.bench.suites.verify.tampered import FONT_FILES, NUMBERS, TRICKS, tampered_font, tampered_page
from perception.client import AsyncPage, RemoteError, aconnect
from perception.datasets.sources.manifest import SMOKE
from perception.datasets.sources.site_server import serve_folder
from perception.render.element_lines import PIXELS_SHOW

CALL_SECONDS = 60.0
_NOTE = re.compile(r"verified (\d+) of (\d+) texts in view: (\d+)")


@dataclass(frozen=True, slots=True)
class HonestPage:
    """A page that paints what it says.

    Attributes:
        texts, checked: how many are in view, and how many of these were checked.
        alarms: lines that are marked.
        note: how much was checked, and why not all.
        plain_s, verify_s, again_s: seconds of a look without, of the first one with, and of a second one with.
    """

    page: str
    texts: int
    checked: int
    alarms: tuple[str, ...]
    note: str
    plain_s: float
    verify_s: float
    again_s: float


@dataclass(frozen=True, slots=True)
class TamperedPage:
    """A trick: how many numbers it paints otherwise, how many of these looks list, and which of them are caught."""

    trick: str
    numbers: int
    listed: int
    caught: int
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VerifyRun:
    """A run. `failed`: why pages could not be judged, by name."""

    pages: tuple[HonestPage, ...]
    tricks: tuple[TamperedPage, ...]
    failed: Mapping[str, str]


async def run_verify(pages: Sequence[str] | None, limit: int, context: SuiteContext) -> VerifyRun:
    """Looks at every trick and at live pages.

    Args:
        pages: live pages, by default the smoke set.
        limit: maximum number of these, 0 for all.

    Raises:
        BadInputError: there is no such page.
    """
    honest: list[HonestPage] = []
    tricks: list[TamperedPage] = []
    failed: dict[str, str] = {}
    with (
        TemporaryDirectory() as folder,
        serve_pages(pages or [SMOKE], context.say) as urls,
        context.progress("verify") as progress,
    ):
        written = write_tricks(Path(folder), failed)
        visits = [*urls.items()][: limit or None]
        progress.start(len(written) + len(visits))
        async with await aconnect(allow_hosts=("127.0.0.1", "localhost"), timeout_s=CALL_SECONDS) as client:
            page = await client.open()
            with serve_folder(Path(folder)) as base:
                for trick, name in written.items():
                    tricks.append(await _judge_trick(page, trick, f"{base}/{name}"))
                    progress.done(trick, "")
            for name, url in visits:
                why = ""
                try:
                    honest.append(await _judge_page(page, name, url))
                except RemoteError as exc:
                    why = failed[name] = str(exc)
                progress.done(name, why)
            await page.close()
    return VerifyRun(tuple(honest), tuple(tricks), failed)


def write_tricks(folder: Path, failed: dict[str, str]) -> dict[str, str]:
    """Writes the tampered pages; the file of each trick. A trick whose font is not on this machine has failed."""
    source = next((each for each in FONT_FILES if each.exists()), None)
    font = tampered_font(source.read_bytes()) if source else ""
    written = {}
    for at, trick in enumerate(TRICKS):
        if "font" in trick and not font:
            failed[trick] = f"none of these fonts is installed: {', '.join(map(str, FONT_FILES))}"
            continue
        written[trick] = f"{at}.html"
        (folder / written[trick]).write_text(tampered_page(trick, font if "font" in trick else ""), "utf-8")
    return written


async def _judge_trick(page: AsyncPage, trick: str, url: str) -> TamperedPage:
    await page.navigate(url)
    text = (await page.snapshot(mode="text", verify=True, settle_timeout=2.0)).text
    lines = {
        chr(65 + at): [each for each in text.splitlines() if f'"Item {chr(65 + at)}:' in each]
        for at in range(len(NUMBERS))
    }
    listed = [at for at, number in enumerate(NUMBERS) if any(number in each for each in lines[chr(65 + at)])]
    missed = [at for at in listed if not any(PIXELS_SHOW in each for each in lines[chr(65 + at)])]
    return TamperedPage(
        trick, len(NUMBERS), len(listed), len(listed) - len(missed), tuple(NUMBERS[at] for at in missed)
    )


async def _judge_page(page: AsyncPage, name: str, url: str) -> HonestPage:
    await page.navigate(url)
    await page.snapshot(mode="text", settle_timeout=5.0)
    clock = time.perf_counter
    started = clock()
    await page.snapshot(mode="text")
    plain_s = clock() - started
    started = clock()
    found = await page.snapshot(mode="text", verify=True)
    verify_s = clock() - started
    started = clock()
    await page.snapshot(mode="text", verify=True, view="interactive")
    again_s = clock() - started
    note = next(each for each in found.notes if each.startswith("verified"))
    counts = _NOTE.match(note)
    checked, texts = (int(counts[1]), int(counts[2])) if counts else (0, 0)
    alarms = tuple(each.strip() for each in found.text.splitlines() if f"[{PIXELS_SHOW}" in each)
    return HonestPage(name, texts, checked, alarms, note, plain_s, verify_s, again_s)

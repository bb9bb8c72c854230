"""Visits pages for `values`: reads what is painted in the controls in view, and looks for it in their lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playwright.async_api import CDPSession

from perception.bench.pages.page_visits import OnPage
from perception.bench.pages.painted_words import JOINT, PaintedProbe, tokens_of
from perception.bench.pages.shared_browser import SharedTab
from perception.bench.suites.values.judgment import FieldPart, PageValues, Place, ValuesRun, find_place, lines_of
from perception.bench.suites.words.judgment import is_read, wrong_numbers
from perception.bench.suites.words.run import look, visit_each
from perception.datasets.sources.manifest import PageSpec

MAX_CONTROLS = 150
"""Controls of one page that are judged, from the first."""

READ_BY_OCR = 20
"""Parts of one page that OCR looks for; further ones count as missed."""


async def run_values(pages: Mapping[str, str], known: Mapping[str, PageSpec], on_page: OnPage) -> ValuesRun:
    """Reads pages one after another, each in a session of its own.

    Args:
        pages: address by page id.
        known: the manifest's facts of pages, by id.
        on_page: called with each finished page, and the reason if it could not be read (empty: it was).

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """
    read, failed, version = await visit_each(pages, known, on_page, read_values)
    return ValuesRun(tuple(read), failed, version)


async def read_values(page_id: str, tab: SharedTab, session: CDPSession) -> PageValues:
    """Compares the lines of a page's controls with what is painted in them."""
    probe = await PaintedProbe.of(tab.theirs, session)
    words = await probe.collect()
    await probe.look()
    controls = [each for each in await probe.controls() if each["value"] or each["inside"]][:MAX_CONTROLS]
    snapshot = await look(tab)
    lines = snapshot.text.splitlines()
    refs = {each.backend_node_id: each.ref for each in snapshot.elements}
    values = beside = unconfirmed = tried = 0
    missed: list[FieldPart] = []
    own_lines: set[int] = set()
    for control in controls:
        own = [refs[node] for kind in ("self", "below") for node in await _near(probe, control, kind) if node in refs]
        around = [refs[node] for node in await _near(probe, control, "around") if node in refs]
        of = lines_of(lines, own, around)
        own_lines.update(of.own)
        for part, is_text in _parts(control):
            place = find_place(part, lines, of)
            values += 1
            beside += place is Place.BESIDE
            if place in (Place.OWN, Place.BESIDE):
                continue
            if is_text and place is Place.NOWHERE and tried < READ_BY_OCR:
                tried += 1
                if not is_read(part, await probe.read_box(control, margin=0)):
                    unconfirmed += 1
                    values -= 1
                    continue
            line = lines[of.own[0]].strip() if of.own else ""
            missed.append(FieldPart(part.replace(JOINT, "·"), place, line[:160], control["html"]))
    flags = await probe.painted()
    shown = [each.text for each in words if flags.get((each.frame, each.index))]
    text = "\n".join(lines[at] for at in sorted(own_lines))
    numbers, wrong = wrong_numbers(text, [*shown, *await probe.named()])
    return PageValues(page_id, len(controls), values, beside, unconfirmed, tuple(missed), numbers, tuple(wrong))


async def _near(probe: PaintedProbe, control: Mapping[str, Any], kind: str) -> list[int]:
    return await probe.near(control["frame"], control["index"], kind)


def _parts(control: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """A control's value and the words in its box, and whether they are painted as letters."""
    value = control["value"]
    parts = [(value, control["letters"])] if tokens_of(value) else []
    return parts + [(each, True) for each in control["inside"]]

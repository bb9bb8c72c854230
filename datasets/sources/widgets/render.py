"""Renders a page of widgets: waits until they are there, opens a menu, and reads what is drawn around controls."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from perception.browser.browser_session import Tab
from perception.browser.chromium.browser_host import BrowserHost
from perception.datasets.sample import DatasetError
from perception.datasets.sources.rendering import (
    ATTEMPTS,
    VISIT_SECONDS,
    RenderedLook,
    Renderer,
    Visit,
    bring,
    is_still,
)
from perception.datasets.sources.widgets.page import WidgetPage
from perception.datasets.sources.widgets.seen_boxes import DrawnBox
from perception.datasets.truth.truth import read_truth
from perception.deadline import Deadline
from perception.errors import first_line
from perception.geometry import Box
from perception.imaging.codec import encode_png
from perception.types import Engine, Scope

CONTROLS = "a[href], button, input, select, [role=button], [role=tab], [role=menuitem], [role=option]"

MOUNT_SECONDS = 20.0

SETTLE_MS = 350
"""What a library takes to place what was opened."""

_SCROLL = """share => {
  const places = [document.scrollingElement, ...document.querySelectorAll('main, [data-scroll]')];
  for (const each of places) each.scrollTop = share * (each.scrollHeight - each.clientHeight);
}"""

_BOXES = """elements => elements.map(each => {
  const box = each.getBoundingClientRect();
  const hit = each.getRootNode().elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
  return [box.left, box.top, box.right, box.bottom, each.contains(hit)];
}).filter(([left, top, right, bottom]) => left < right && top < bottom)"""

_IN_VIEW = """(elements, share) => {
  const boxes = elements.map(each => each.getBoundingClientRect()).filter(box => box.width > 0 && box.height > 0
    && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth);
  const box = boxes[Math.floor(share * boxes.length)];
  return box ? [(box.left + box.right) / 2, (box.top + box.bottom) / 2] : null;
}"""


@dataclass(slots=True)
class DrawnBoxes:
    """What is drawn around fields, for checkboxes and the like, and pictures that show no controls."""

    frames: tuple[DrawnBox, ...] = ()
    marks: tuple[DrawnBox, ...] = ()
    shows: tuple[DrawnBox, ...] = ()


class UntimedRenderer(Renderer):
    """Captures a page without the repetitions that its timings need: a third of the time, for pages to train on."""

    async def _look(self, host: BrowserHost, tab: Tab, deadline: Deadline) -> RenderedLook:
        for attempt in range(ATTEMPTS):
            await asyncio.sleep(0.25 * attempt)
            capture = await tab.capturer.capture(
                engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=True, reveal=True, deadline=deadline
            )
            truth = await read_truth(tab.link, capture.viewport, deadline)
            again = await tab.capturer.capture_pixels(deadline, reveal=True)
            assert capture.screenshot is not None
            assert again.screenshot is not None
            pixels = capture.screenshot.pixels
            still = is_still(pixels, again.screenshot.pixels)
            if still:
                break
        return RenderedLook(replace(capture, screenshot=None), encode_png(pixels), truth, still, {})


async def render(page: WidgetPage, visit: Visit, renderer: Renderer) -> tuple[RenderedLook, DrawnBoxes]:
    """Opens a page, brings it to its state and captures it.

    Raises:
        PerceptionError: the page cannot be opened or captured in time.
        DatasetError: its widgets are not mounted, or what is to be clicked cannot be, or it never stands still.
    """
    deadline, drawn = Deadline.of(VISIT_SECONDS), DrawnBoxes()

    async def prepare(tab: Tab) -> None:
        await bring(tab, visit, deadline)
        try:
            await _bring_to_state(page, tab.page)
            view, library = visit.shape.viewport.box, page.library
            drawn.frames = await _boxes_of(tab.page, library.frames, view)
            drawn.marks = (
                *await _boxes_of(tab.page, library.marks, view),
                *await _boxes_of(tab.page, library.switches, view, is_switch=True),
            )
            drawn.shows = await _boxes_of(tab.page, library.shows, view)
        except DatasetError:
            raise
        except Exception as exc:  # Playwright's errors may only be named in perception.browser
            raise DatasetError(f"page {visit.name}: {first_line(exc)}") from exc

    look = await renderer.look(visit.options, prepare, deadline)
    if not look.still:
        raise DatasetError(f"page {visit.name} never stood still: its truth may be of another moment than its pixels")
    return look, drawn


async def _bring_to_state(page: WidgetPage, tab: Any) -> None:
    if page.html:
        await tab.wait_for_function("window.widgetsReady || window.widgetsError", timeout=MOUNT_SECONDS * 1000)
        if error := await tab.evaluate("window.widgetsError || ''"):
            raise DatasetError(f"page {page.id}: its widgets are not mounted: {error}")
    await tab.evaluate(_SCROLL, page.scroll)
    if page.focus:
        await tab.keyboard.press("Tab")
    if page.opens is not None:
        await _act_in_view(tab, page.library.openers, page.opens, "click")
        await tab.wait_for_timeout(SETTLE_MS)
    if page.hovers is not None:
        await _act_in_view(tab, CONTROLS, page.hovers, "move")
        await tab.wait_for_timeout(SETTLE_MS)


async def _act_in_view(tab: Any, selector: str, share: float, verb: str) -> None:
    """Clicks, or moves the pointer over, one of the elements in view; nothing if there is none."""
    place = await tab.locator(selector).evaluate_all(_IN_VIEW, share)
    if place is not None:
        await getattr(tab.mouse, verb)(*place)


async def _boxes_of(tab: Any, selector: str, view: Box, *, is_switch: bool = False) -> tuple[DrawnBox, ...]:
    rows = await tab.locator(selector).evaluate_all(_BOXES) if selector else ()
    shown = [(Box(*edges).intersect(view), reached) for *edges, reached in rows]
    return tuple(DrawnBox(box, reached, is_switch) for box, reached in shown if box is not None)

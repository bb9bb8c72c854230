"""Scripts for tasks that press the mouse and move it."""

from __future__ import annotations

from typing import Final

from perception.v1 import types_pb2 as pb
from tests.labs.bench.miniwob_scripts.driver import EpisodeDriver, found, middle, ordinal, words_of

WAYS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}

FAR_PX = 15.0
"""How far a shape is dragged: shapes keep 20 px to each side of their area."""

OVERSHOT_PX = 4.0
"""A sortable list makes room once the pointer is past the middle of what it is dragged over."""

GRIP_PX = 5.0
"""How far from the left of its text an item is taken: every text is wider."""

PAST_MIDDLE_PX = 28.0
"""From the left of a text to behind its item's middle, in the grid, whose items are 46 px wide."""

ITEMS = ("text", "generic", "listitem")
"""What the items of a sortable list are called: the mouse drags them."""

CORNER_PX = 4.0
"""How far within its corner a text area's grip lies."""


async def drag_box(driver: EpisodeDriver) -> None:
    sight = await driver.look()
    await driver.drag(sight.one(name="s"), middle(sight.one(name="L")))
    await driver.submit()


async def drag_shape(driver: EpisodeDriver) -> None:
    (way,) = found(r"(left|right|up|down) then", driver.words)
    shape = (await driver.look()).one("graphics-symbol", "generic", "text")
    (x, y), (dx, dy) = middle(shape), WAYS[way]
    await driver.drag((x, y), (x + dx * FAR_PX, y + dy * FAR_PX))
    await driver.submit()


async def drag_items(driver: EpisodeDriver) -> None:
    what, where = found(r"Drag (\S+) (.+)\.", driver.words)
    items = (await driver.look()).all(*ITEMS)
    start = next(at for at, each in enumerate(items) if words_of(each) == what)
    places = {"to the top": 0, "to the bottom": len(items) - 1}
    places |= {"up by one position": start - 1, "down by one position": start + 1}
    await _sort(driver, items, start, places[where] if where in places else ordinal(where) - 1)


async def drag_items_grid(driver: EpisodeDriver) -> None:
    what, where = found(r"Drag (\S+) (.+)\.", driver.words)
    items = (await driver.look()).all(*ITEMS)
    start = next(at for at, each in enumerate(items) if words_of(each) == what)
    if where.endswith("by one"):
        right, down = WAYS[where.split()[0]]
        end = start + right + 3 * down
    else:
        end = 3 * _third(where, "top", "bottom") + _third(where, "left", "right")
    await _sort(driver, items, start, end)


async def drag_sort_numbers(driver: EpisodeDriver) -> None:
    for at in range(4):
        items = (await driver.look()).all(*ITEMS)
        numbers = [int(words_of(each)) for each in items]
        least = min(range(at, len(numbers)), key=numbers.__getitem__)
        if least != at:
            await _sort(driver, items, least, at)
    await driver.submit()


async def highlight_text(driver: EpisodeDriver) -> None:
    texts = (await driver.look()).all("text")
    box = texts[ordinal(driver.words) - 1 if len(texts) > 1 else 0].box
    await driver.drag((box.x + 1, box.y + 3), (box.x + box.width + 10, box.y + box.height - 3))
    await driver.submit()


async def resize_textarea(driver: EpisodeDriver) -> None:
    side, size = found(r"the (width|height) is (smaller|larger)", driver.words)
    box = (await driver.look()).one("textbox").box
    x, y = box.x + box.width - CORNER_PX, box.y + box.height - CORNER_PX
    by = FAR_PX if size == "larger" else -FAR_PX
    await driver.drag((x, y), (x + by, y) if side == "width" else (x, y + by))
    await driver.submit()


async def _sort(driver: EpisodeDriver, items: list[pb.Element], start: int, end: int) -> None:
    """Drags an item of a list or grid to another's place, by the beginning of its text: texts are of any width."""
    (_, y), (_, end_y) = middle(items[start]), middle(items[end])
    x, end_x = items[start].box.x, items[end].box.x
    over_x = PAST_MIDDLE_PX if end_x > x + 1 else 0
    over_y = OVERSHOT_PX * ((end_y > y + 1) - (end_y < y - 1))
    await driver.drag((x + GRIP_PX, y), (end_x + 1 + over_x, end_y + over_y))


def _third(where: str, first: str, last: str) -> int:
    """0 where it says the first word, 2 where the last, else 1: the center."""
    return 0 if first in where else 2 if last in where else 1


SCRIPTS: Final = {
    "drag-box": drag_box,
    "drag-circle": drag_shape,
    "drag-items": drag_items,
    "drag-items-grid": drag_items_grid,
    "drag-single-shape": drag_shape,
    "drag-sort-numbers": drag_sort_numbers,
    "highlight-text": highlight_text,
    "highlight-text-2": highlight_text,
    "resize-textarea": resize_textarea,
}

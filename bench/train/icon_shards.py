"""Views of rendered icons, kept in files: what is rendered once is not rendered again.

Rule 1: a set of icons is used for training or for the check, never for both.
"""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perception.bench.train.icon_sets import OTHER, Drawing, icon_classes, read_set
from perception.bench.train.icon_sheets import CELL, COLUMNS, ROWS, Cell, make_sheet, sheet_html
from perception.browser.browser_session import SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.launch import LaunchOptions
from perception.deadline import Deadline
from perception.detectors.icon_views import SIDE, icon_views
from perception.types import Pixels, Viewport

FORMAT = 1
LABELS = (*sorted(icon_classes()), OTHER)
SCALES = (1.0, 1.0, 1.5, 2.0)
OTHER_SHARE, THING_SHARE = 0.2, 0.13
"""Of the cells: icons that have no name here, and what is not an icon."""
LOGO_SETS = ("simple-icons", "circle-flags")
"""Sets of trade marks and flags: none of their icons has a name here."""
JITTER = 2.0
"""CSS px by which a box's sides are off."""
SHEET_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Views:
    """Views of icons.

    Attributes:
        pixels: (N, SIDE, SIDE) uint8.
        labels: (N,) indices in LABELS.
        origins: (N,) the icon set, or the kind of thing that is not an icon.
        inner: (N,) whether it is what is drawn on a button, and not the whole picture.
        cells: (N,) which views are of one picture.
    """

    pixels: NDArray[np.uint8]
    labels: NDArray[np.int64]
    origins: NDArray[np.str_]
    inner: NDArray[np.bool_]
    cells: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)


async def render_views(
    folders: Sequence[Path], sheets: int, seed: int, home: Path, on_sheet: Callable[[], None]
) -> Views:
    """Renders sheets of icons of these sets where they are not rendered yet, and cuts the icons out.

    Args:
        folders: of icon sets.
        sheets: how many.
        on_sheet: called after each.

    Raises:
        BadInputError: a folder holds no icon set.
        PerceptionError: the browser fails.
    """
    names = "\n".join([str(FORMAT), str(seed), *sorted(each.name for each in folders), *LABELS])
    folder = home / "train" / f"icons-{hashlib.sha256(names.encode()).hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    missing = [number for number in range(sheets) if not (folder / f"{number:04}.npz").exists()]
    if missing:
        drawings = drawings_by_label(folders)
        host = await BrowserHost.start(LaunchOptions(), Deadline.of(SHEET_SECONDS))
        try:
            for number in missing:
                chance = random.Random(f"{seed} {number}")
                views = await _render(host, _draw(drawings, chance), chance)
                np.savez_compressed(folder / f"{number:04}.part.npz", allow_pickle=False, **views)
                (folder / f"{number:04}.part.npz").replace(folder / f"{number:04}.npz")
                on_sheet()
        finally:
            await host.close()
    return _load([folder / f"{number:04}.npz" for number in range(sheets)])


def drawings_by_label(folders: Sequence[Path]) -> dict[str, dict[str, list[Drawing]]]:
    """Drawings by label and set."""
    found: dict[str, dict[str, list[Drawing]]] = defaultdict(lambda: defaultdict(list))
    for folder in folders:
        for each in read_set(folder):
            label = OTHER if each.set in LOGO_SETS else each.label
            found[label][each.set].append(Drawing(each.set, each.name, label, each.svg))
    return found


def _draw(drawings: dict[str, dict[str, list[Drawing]]], chance: random.Random) -> list[Drawing | None]:
    """Drawings of one sheet: classes are as frequent as each other, and so are the sets within a class."""
    named = sorted(set(drawings) - {OTHER})
    chosen: list[Drawing | None] = []
    for _ in range(COLUMNS * ROWS):
        kind = chance.random()
        if kind < THING_SHARE:
            chosen.append(None)
            continue
        sets = drawings[OTHER if kind < THING_SHARE + OTHER_SHARE else chance.choice(named)]
        chosen.append(chance.choice(sets[chance.choice(sorted(sets))]))
    return chosen


async def _render(
    host: BrowserHost, drawings: Sequence[Drawing | None], chance: random.Random
) -> dict[str, NDArray[Any]]:
    cells = make_sheet(drawings, chance)
    deadline = Deadline.of(SHEET_SECONDS)
    viewport = Viewport(COLUMNS * CELL, ROWS * CELL, chance.choice(SCALES))
    session = await host.new_session(SessionOptions(viewport=viewport), lambda _: None, deadline)
    try:
        tab = session.tab()
        await tab.page.set_content(sheet_html(cells))
        capture = await tab.capturer.capture_pixels(deadline)
    finally:
        await session.close()
    assert capture.screenshot is not None
    return _columns(list(_cut(cells, capture.screenshot.pixels, viewport.scale, chance)))


def _cut(
    cells: Sequence[Cell], pixels: Pixels, scale: float, chance: random.Random
) -> Iterator[tuple[NDArray[np.uint8], int, str, bool, int]]:
    """Views of the cells: pixels, label, origin, whether it is an inner one, and the cell."""
    for number, cell in enumerate(cells):
        off = [chance.uniform(-1.0, JITTER) for _ in range(4)]
        left, top, right, bottom = cell.box
        box = np.asarray([left - off[0], top - off[1], right + off[2], bottom + off[3]], np.float32) * scale
        for place, view in enumerate(icon_views(pixels, box)):
            # What is in a bare icon is a part of it, which has no name; in a button it is the icon.
            if place and not cell.button and cell.label != OTHER:
                continue
            yield view, LABELS.index(cell.label), cell.origin, place > 0, number


def _columns(rows: list[tuple[NDArray[np.uint8], int, str, bool, int]]) -> dict[str, NDArray[Any]]:
    pixels, labels, origins, inner, cells = zip(*rows, strict=True)
    return {
        "pixels": np.stack(pixels).reshape(-1, SIDE, SIDE),
        "labels": np.asarray(labels, np.int64),
        "origins": np.asarray(origins),
        "inner": np.asarray(inner),
        "cells": np.asarray(cells, np.int64),
    }


def _load(files: Sequence[Path]) -> Views:
    loaded = [dict(np.load(file)) for file in files]
    for number, each in enumerate(loaded):
        each["cells"] = each["cells"] + number * COLUMNS * ROWS
    return Views(**{name: np.concatenate([each[name] for each in loaded]) for name in loaded[0]})

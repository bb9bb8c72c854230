"""Sheets of icons as pages show them, and of what is not an icon: HTML to be photographed.

Each cell has a ground, colors, a size and a shape of button of its own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perception.bench.train.icon_sets import OTHER, Drawing

COLUMNS, ROWS, CELL = 24, 16, 56
"""Of a sheet; a cell's side in CSS px."""

SIZES = (12, 13, 14, 15, 16, 16, 16, 18, 18, 20, 20, 20, 22, 24, 24, 24, 28, 32)
"""Sides of icons, CSS px: those of common style sheets."""

FONTS = ("sans-serif", "serif", "monospace", "system-ui")
LETTERS = "ACDEFGHJKLMNPQRSTUVWYZabcdefghjkmnpqrstuvwyz0123456789€$§&%#@"
"""Without those that look like an icon."""
WORDS = (
    "OK",
    "Go",
    "All",
    "New",
    "Sign in",
    "Home",
    "EN",
    "12",
    "99+",
    "Save",
    "Next",
    "Buy",
    "Tue",
    "4.5",
    "PDF",
    "A–Z",
)
EMOJI = "😀🚗🐱🍎🎉🌳🏀🇫🇷🇩🇪🇯🇵"


@dataclass(frozen=True, slots=True)
class Cell:
    """One place of a sheet.

    Attributes:
        label: what it shows: a class, or OTHER.
        origin: the icon set, or the kind of thing that is not an icon.
        box: left, top, right, bottom of the picture or its button, CSS px of the sheet.
        button: whether a border or a color of its own is around the picture.
        html: its markup.
    """

    label: str
    origin: str
    box: tuple[float, float, float, float]
    button: bool
    html: str


def make_sheet(drawings: Sequence[Drawing | None], chance: random.Random) -> list[Cell]:
    """Cells for these drawings, row by row; None stands for something that is not an icon."""
    return [_cell(each, number, chance) for number, each in enumerate(drawings)]


def sheet_html(cells: Sequence[Cell]) -> str:
    """The page."""
    style = f"*{{box-sizing:border-box}}body{{margin:0;width:{COLUMNS * CELL}px}}.c{{position:absolute;width:{CELL}px;"
    style += f"height:{CELL}px;overflow:hidden}}.b{{position:absolute;display:flex;align-items:center;"
    style += "justify-content:center;line-height:1;white-space:nowrap}svg{display:block}"
    return f"<!doctype html><meta charset=utf-8><style>{style}</style>" + "".join(each.html for each in cells)


def _cell(drawing: Drawing | None, number: int, chance: random.Random) -> Cell:
    x, y = number % COLUMNS * CELL, number // COLUMNS * CELL
    size = chance.choice(SIZES)
    ground, ink, fill = _colors(chance)
    shape = chance.choices(("bare", "padded", "filled", "bordered"), (5, 3, 3, 2))[0]
    pad = 0.0 if shape == "bare" else chance.choice((2, 3, 4, 5, 6, 6, 8, 8, 10))
    pad = min(pad, (CELL - 4 - size) / 2)
    if drawing is None:
        origin, inside, width, height = _thing(size, chance)
    else:
        origin, width, height = drawing.set, float(size), float(size)
        inside = f'<div style="width:{size}px;height:{size}px">{_unique(drawing.svg, number)}</div>'
    wide, high = min(width + 2 * pad, CELL - 4), height + 2 * pad
    left, top = x + (CELL - wide) / 2 + chance.uniform(-1, 1), y + (CELL - high) / 2 + chance.uniform(-1, 1)
    radius = chance.choice(("0", "3px", "4px", "6px", "8px", "50%", "50%"))
    style = f"left:{left - x:.2f}px;top:{top - y:.2f}px;width:{wide:.2f}px;height:{high:.2f}px;border-radius:{radius};"
    style += f"color:{ink if shape != 'filled' else _on(fill, chance)};"
    style += f"opacity:{chance.uniform(0.5, 0.95):.2f};" if chance.random() < 0.12 else ""
    if shape == "filled":
        style += f"background:{fill};" + ("box-shadow:0 1px 3px #0006;" if chance.random() < 0.2 else "")
    elif shape == "bordered":
        style += f"border:{chance.choice((1, 1, 1, 2))}px solid {chance.choice((ink, '#8888', '#ccc', fill))};"
    html = f'<div class=c style="left:{x}px;top:{y}px;background:{ground}"><div class=b style="{style}">{inside}</div></div>'
    label = OTHER if drawing is None else drawing.label
    return Cell(label, origin, (left, top, left + wide, top + high), shape in ("filled", "bordered"), html)


def _unique(svg: str, number: int) -> str:
    """Ids of one drawing must not be those of another."""
    return (
        svg.replace('id="', f'id="n{number}')
        .replace("url(#", f"url(#n{number}")
        .replace('href="#', f'href="#n{number}')
    )


def _colors(chance: random.Random) -> tuple[str, str, str]:
    """Ground, ink and the color of a button."""
    dark = chance.random() < 0.35
    ground = _gray(chance, 0, 60, tint=20) if dark else _gray(chance, 225, 255, tint=12)
    ground = _gray(chance, 235, 255, tint=0) if not dark and chance.random() < 0.5 else ground
    ink = _gray(chance, 170, 255, tint=40) if dark else _gray(chance, 0, 130, tint=50)
    if chance.random() < 0.15:
        ink = f"hsl({chance.randrange(360)} {chance.randrange(60, 100)}% {chance.randrange(55, 75) if dark else chance.randrange(30, 52)}%)"
    fill = chance.choice(
        (f"hsl({chance.randrange(360)} {chance.randrange(40, 95)}% {chance.randrange(30, 60)}%)",) * 3
        + (_gray(chance, 20, 90, tint=15), _gray(chance, 205, 240, tint=10))
    )
    return ground, ink, fill


def _on(fill: str, chance: random.Random) -> str:
    """An ink that is seen on a button."""
    light = fill.startswith("rgb") and int(fill[4:].split()[0]) > 150
    return _gray(chance, 0, 90, tint=30) if light else _gray(chance, 235, 255, tint=5)


def _gray(chance: random.Random, low: int, high: int, *, tint: int) -> str:
    base = chance.randint(low, high)
    parts = [min(255, max(0, base + chance.randint(-tint, tint))) for _ in range(3)]
    return f"rgb({parts[0]} {parts[1]} {parts[2]})"


def _thing(size: int, chance: random.Random) -> tuple[str, str, float, float]:
    """Something that is not an icon: its kind, its markup, width and height."""
    kind = chance.choice(sorted(_THINGS))
    inside, width = _THINGS[kind](size, chance)
    return kind, inside, width, float(size)


def _letter(size: int, chance: random.Random) -> tuple[str, float]:
    text = "".join(chance.choice(LETTERS) for _ in range(chance.choice((1, 1, 2))))
    return _type(text, size * 0.8, chance), size * len(text) * 0.75


def _word(size: int, chance: random.Random) -> tuple[str, float]:
    text = chance.choice(WORDS)
    return _type(text, max(9, size * 0.6), chance), min(size * 0.35 * len(text) + 6, CELL - 6)


def _type(text: str, size: float, chance: random.Random) -> str:
    weight, family = chance.choice((400, 400, 600, 700)), chance.choice(FONTS)
    return f'<span style="font:{weight} {size:.0f}px {family}">{text}</span>'


def _emoji(size: int, chance: random.Random) -> tuple[str, float]:
    return f'<span style="font-size:{size * 0.85:.0f}px">{chance.choice(EMOJI)}</span>', float(size)


def _avatar(size: int, chance: random.Random) -> tuple[str, float]:
    letters = "".join(chance.choice("ABCDEFGHJKLMNPRSTUVW") for _ in range(2))
    style = (
        f"width:{size}px;height:{size}px;border-radius:50%;background:hsl({chance.randrange(360)} 50% 45%);color:#fff"
    )
    return f'<span class=b style="position:static;{style}">{_type(letters, size * 0.4, chance)}</span>', float(size)


def _photo(size: int, chance: random.Random) -> tuple[str, float]:
    spots = ",".join(
        f"radial-gradient(circle at {chance.randrange(100)}% {chance.randrange(100)}%,"
        f"hsl({chance.randrange(360)} 50% {chance.randrange(15, 85)}%) {chance.randrange(5, 30)}%,transparent {chance.randrange(35, 75)}%)"
        for _ in range(5)
    )
    shape = chance.choice(("0", "4px", "50%"))
    return (
        f'<span style="width:{size}px;height:{size}px;border-radius:{shape};background:{spots},hsl({chance.randrange(360)} 30% 50%)"></span>',
        float(size),
    )


def _box(size: int, chance: random.Random) -> tuple[str, float]:
    kind = chance.choice(("checkbox", "radio"))
    style = f"width:{size}px;height:{size}px;margin:0;" + (
        "" if chance.random() < 0.6 else "appearance:none;border:1px solid currentColor"
    )
    return f'<input type={kind} style="{style}">', float(size)


def _bars(size: int, chance: random.Random) -> tuple[str, float]:
    count = chance.randint(1, 2)
    bars = "".join(
        f'<span style="width:{size / 4:.1f}px;height:{chance.uniform(0.2, 1) * size:.1f}px;margin:1px;background:currentColor"></span>'
        for _ in range(count)
    )
    return f'<span style="display:flex;align-items:end;height:{size}px">{bars}</span>', float(size)


def _curve(size: int, chance: random.Random) -> tuple[str, float]:
    points = " ".join(f"{step * 2.4:.1f},{chance.uniform(1, 23):.1f}" for step in range(11))
    return (
        f'<svg width={size} height={size} viewBox="0 0 24 24"><polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>',
        float(size),
    )


def _shape(size: int, chance: random.Random) -> tuple[str, float]:
    radius = chance.choice(("50%", "0", "20%"))
    style = chance.choice(
        ("background:currentColor", "border:2px solid currentColor", "border:1px dashed currentColor")
    )
    wide = size * chance.uniform(0.5, 1)
    return (
        f'<span style="width:{wide:.1f}px;height:{wide * chance.uniform(0.3, 1):.1f}px;border-radius:{radius};{style}"></span>',
        float(size),
    )


def _scribble(size: int, chance: random.Random) -> tuple[str, float]:
    parts = []
    for _ in range(chance.randint(2, 4)):
        x, y, x2, y2, x3, y3 = (f"{chance.uniform(1, 23):.1f}" for _ in range(6))
        parts.append(f"M{x} {y}Q{x2} {y2} {x3} {y3}")
    fill = chance.choice(("none", "none", "currentColor"))
    return (
        f'<svg width={size} height={size} viewBox="0 0 24 24"><path d="{"".join(parts)}" fill="{fill}" stroke="currentColor" stroke-width="{chance.uniform(1, 2.5):.1f}"/></svg>',
        float(size),
    )


_THINGS: dict[str, Callable[[int, random.Random], tuple[str, float]]] = {
    "letter": _letter, "letters": _letter, "word": _word, "number": _word, "emoji": _emoji, "avatar": _avatar, "photo": _photo,
    "box": _box, "bars": _bars, "curve": _curve, "shape": _shape, "scribble": _scribble,
}  # fmt: skip

"""A composed page: one seed gives one page, whatever else is composed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from perception.datasets.sources.composed.controls import Pen
from perception.datasets.sources.composed.decoys import DECOYS
from perception.datasets.sources.composed.icons import ICON_SETS, Icons
from perception.datasets.sources.composed.kits import Kit, load_kits
from perception.datasets.sources.composed.parts import PARTS, dialog, side_bar, top_bar
from perception.datasets.sources.composed.theme import random_theme
from perception.datasets.sources.composed.words import Words
from perception.datasets.sources.page_shapes import Shape, parse_shape

SHAPES = ("1280x800", "1280x800", "1440x900", "1024x768", "1920x1080", "390x844@2", "768x1024@1.5", "1280x800@2")
"""Shapes of composed pages, the common ones more than once."""

DARK_SHARE = 0.3
OWN_SHARE = 0.55
"""Pages whose style is made at random: frameworks look too much alike."""


@dataclass(frozen=True, slots=True)
class ComposedPage:
    """A page.

    Attributes:
        seed: what it was made from.
        html: the document. Paths of style sheets start with `/`, at the folder of the packages.
        packages: npm packages that it needs.
        shape: viewport, scale and color scheme.
        scroll: how far it is scrolled down, as a share of what can be scrolled.
        hover: it is captured with the pointer over a control.
        focus: it is captured with the focus in a control.
    """

    seed: int
    html: str
    packages: tuple[str, ...]
    shape: Shape
    scroll: float
    hover: bool
    focus: bool


def compose(seed: int, package_folder: Callable[[str], Path]) -> ComposedPage:
    """Composes a page.

    Args:
        seed: any number.
        package_folder: the folder of an unpacked package; drawings of icons are read from it.
    """
    rng = random.Random(seed)
    kit = _pick_kit(rng)
    words, icons = Words.pick(rng), rng.choice(ICON_SETS)
    theme = random_theme(rng, own=kit.id == "own")
    pen = Pen(kit, words, Icons(icons, package_folder(icons.package), rng), rng, theme.is_dark)
    sheets = [
        *kit.css,
        *([icons.css] if icons.css else []),
        *([f"@fontsource/{theme.font}/index.css"] if theme.font else []),
    ]
    links = "".join(f'<link rel=stylesheet href="/{each}">' for each in sheets)
    direction = " dir=rtl" if words.is_rtl else ""
    scheme = "-dark" if theme.is_dark or (kit.id in ("pico", "bulma") and rng.random() < DARK_SHARE) else ""
    body = _layout(pen)
    html = (
        f"<!doctype html><html lang={words.language}{direction}><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>{words.noun()}</title>{links}<style>{theme.css}</style><body>{body}"
    )
    fonts = (f"@fontsource/{theme.font}",) if theme.font else ()
    return ComposedPage(
        seed=seed,
        html=html,
        packages=tuple(dict.fromkeys((*kit.packages, icons.package, *fonts))),
        shape=parse_shape(rng.choice(SHAPES) + scheme),
        scroll=rng.choice([0, 0, 0, rng.random(), 1]),
        hover=rng.random() < 0.25,
        focus=rng.random() < 0.15,
    )


def _pick_kit(rng: random.Random) -> Kit:
    own, *others = load_kits()
    return own if rng.random() < OWN_SHARE else rng.choice(others)


def _layout(pen: Pen) -> str:
    rng = pen.rng
    top = top_bar(pen) if pen.chance(0.65) else ""
    side = side_bar(pen) if pen.chance(0.4) else ""
    columns = rng.choice([1, 1, 2, 2, 3])
    parts = [rng.choice(PARTS if pen.chance(0.72) else DECOYS)(pen) for _ in range(rng.randint(3, 9))]
    gap = rng.choice([4, 8, 16, 24])
    main = "".join(f"<section style='min-width:0;overflow:hidden'>{part}</section>" for part in parts)
    grid = f"display:grid;grid-template-columns:repeat({columns},minmax(0,1fr));gap:{gap}px;padding:{rng.choice([0, 8, 16, 32])}px;align-items:start"
    over = dialog(pen) if pen.chance(0.12) else ""
    return f"{top}<div style='display:flex'>{side}<main style='flex:1;min-width:0;{grid}'>{main}</main></div>{over}"

"""A page of widgets: one library and one number give one page."""

from __future__ import annotations

import html
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perception.datasets.sample import WIDGETS
from perception.datasets.sources.composed.words import Words
from perception.datasets.sources.page_shapes import Shape, parse_shape
from perception.datasets.sources.widgets.library import Library

SHAPES = ("1280x800", "1280x800", "1440x900", "1024x768", "1920x1080", "390x844@2", "768x1024@1.5", "1280x800@2")
"""Shapes of the pages, the common ones more than once."""

DARK_SHARE = 0.3

OPEN_SHARE = 0.4
"""Pages on which a list, menu or calendar is open, where the library has such."""

STILL = (
    "*,*::before,*::after{animation-duration:1ms!important;animation-delay:0s!important;animation-iteration-count:1!important;"
    "transition-duration:1ms!important;transition-delay:0s!important;scroll-behavior:auto!important}"
)
"""Motion ends at once, so that pixels and facts are of one moment."""


@dataclass(frozen=True, slots=True)
class WidgetPage:
    """A page.

    Attributes:
        library: whose widgets it shows.
        variant: number of the page among those of its library.
        path: of the document, below the folder of the packages.
        html: the document; empty for a demo page, which is there.
        shape: viewport, scale and color scheme.
        scroll: how far it is scrolled down, as a share of what can be scrolled.
        opens: which of the openers in view is clicked, as a share of them; None for none.
        hovers: which of the controls in view the pointer is over, likewise.
        focus: the focus is in a control.
        dataset: the data set it belongs to.
    """

    library: Library
    variant: int
    path: str
    html: str
    shape: Shape
    scroll: float
    opens: float | None
    hovers: float | None
    focus: bool
    dataset: str = WIDGETS

    @property
    def id(self) -> str:
        return f"{self.dataset}--{self.library.id}--{self.variant:04}"


def widget_page(library: Library, variant: int, demos: Sequence[str] = (), *, dataset: str = WIDGETS) -> WidgetPage:
    """Makes a page.

    Args:
        demos: paths of the demo pages of a package, sorted; each is shown before one is shown again.
    """
    rng = random.Random(f"{library.id} {variant}")
    words = Words.pick(rng)
    if words.is_rtl and not library.right_to_left:
        words = Words("en", rng)
    is_dark = rng.random() < DARK_SHARE
    shape = parse_shape(rng.choice(SHAPES) + ("-dark" if is_dark else ""))
    round_, place = divmod(variant, len(demos)) if demos else (0, 0)
    path = random.Random(f"{library.id} {round_}").sample(demos, len(demos))[place] if demos else ""
    return WidgetPage(
        library=library,
        variant=variant,
        path=path or f"{library.script.stem}-{variant}.html",
        html="" if demos else _document(library, variant, words, rng, is_dark=is_dark),
        shape=shape,
        scroll=rng.choice([0, 0, rng.random(), rng.random(), rng.random()] if demos else [0, 0, 0, rng.random(), 1]),
        opens=rng.random() if library.openers and rng.random() < OPEN_SHARE else None,
        hovers=rng.random() if rng.random() < 0.25 else None,
        focus=rng.random() < 0.12,
        dataset=dataset,
    )


def _document(library: Library, variant: int, words: Words, rng: random.Random, *, is_dark: bool) -> str:
    groups = library.dark_styles if is_dark and library.dark_styles else library.styles
    styles = [rng.choice(group) for group in groups]
    data = {
        "seed": rng.randrange(2**31),
        "variant": variant,
        "dark": is_dark,
        "rtl": words.is_rtl,
        "styles": styles,
        **{kind: words.all(kind) for kind in ("labels", "nouns", "names", "sentence")},
    }
    links = "".join(f'<link rel=stylesheet href="/{each}">' for each in styles)
    before = "".join(f'<script src="/{each}"></script>' for each in library.scripts)
    imports = {name: f"/{path}" for name, path in library.imports.items()}
    module = f"<script type=importmap>{json.dumps({'imports': imports})}</script>" if imports else ""
    kind = "type=module" if imports else "defer"
    return (
        f"<!doctype html><html lang={words.language} dir={'rtl' if words.is_rtl else 'ltr'}><meta charset=utf-8>"
        f"<meta name=viewport content='width=device-width'><title>{html.escape(library.id)}</title>{module}{links}"
        f"<style>{STILL}</style><body>{before}<script>const DATA={json.dumps(data)}</script>"
        f"<script src=/_scripts/common.js></script><script {kind} src=/_scripts/{library.script.name}></script>"
    )


def demo_paths(library: Library, folder: Path) -> list[str]:
    """Paths of the demo pages of a package that is unpacked in a folder, below the folder of all packages; sorted."""
    found = {path for pattern in library.pages for path in folder.glob(pattern) if path.is_file()}
    return sorted(f"{library.needs[0]}/{path.relative_to(folder)}" for path in found)

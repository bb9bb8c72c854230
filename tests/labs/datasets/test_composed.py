"""Composed pages: one seed is one page, and Chromium finds in it the controls that were put there."""

from __future__ import annotations

import random
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from perception.browser.browser_session import SessionOptions, Tab
from perception.browser.page.navigation import WaitUntil, navigate
from perception.datasets.sample import COMPOSED, Split, split_of
from perception.datasets.sources.composed import controls, decoys, parts
from perception.datasets.sources.composed.build import needed_packages
from perception.datasets.sources.composed.controls import Pen
from perception.datasets.sources.composed.icons import ICON_SETS, Icons, icon_names
from perception.datasets.sources.composed.kits import load_kits
from perception.datasets.sources.composed.page import compose
from perception.datasets.sources.composed.words import Words
from perception.datasets.sources.manifest import load_manifest
from perception.datasets.sources.rendering import Renderer
from perception.datasets.sources.site_server import serve_folder
from perception.deadline import Deadline
from perception.types import Viewport

FONT_SETS = [each for each in ICON_SETS if each.css]


def pen(seed: int) -> Pen:
    rng = random.Random(seed)
    return Pen(load_kits()[0], Words("en", rng), Icons(FONT_SETS[0], Path(), rng), rng)


def drawings(folder: Path) -> Path:
    """A folder with a drawing for every icon of every set."""
    for icons in ICON_SETS:
        if not icons.css:
            (folder / icons.markup).parent.mkdir(parents=True, exist_ok=True)
    for meaning, names in icon_names().items():
        for icons in ICON_SETS:
            if not icons.css and (name := names.get(icons.id, meaning)):
                (folder / icons.markup.format(name)).write_text('<svg viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>')
    return folder


def test_a_seed_is_a_page(tmp_path: Path) -> None:
    folder = drawings(tmp_path)
    pages = [compose(seed, lambda _: folder) for seed in range(40)]
    random.seed(5)
    again = [compose(seed, lambda _: folder) for seed in reversed(range(40))]
    assert pages == again[::-1]
    assert len({page.html for page in pages}) == 40
    assert len({page.shape for page in pages}) > 5


def test_every_package_that_a_page_needs_is_in_the_manifest() -> None:
    assert set(needed_packages()) <= load_manifest().packages.keys()


def test_composed_pages_are_for_training() -> None:
    assert split_of(COMPOSED) is Split.TRAIN


async def roles_in(tmp_path: Path, body: str) -> Counter[str]:
    """The roles of the reachable controls of a page, as Chromium tells them."""
    (tmp_path / "page.html").write_text(f"<!doctype html><meta charset=utf-8><body>{body}", "utf-8")
    deadline = Deadline.of(60)
    async with Renderer() as renderer:
        with serve_folder(tmp_path) as address:

            async def prepare(tab: Tab) -> None:
                await navigate(tab.link, f"{address}/page.html", WaitUntil.LOAD, deadline)

            look = await renderer.look(SessionOptions(viewport=Viewport(1280, 2400)), prepare, deadline)
    return Counter(each.role for each in look.truth.elements if each.reachable)


async def test_controls_are_found_by_their_roles_and_decoys_are_not(tmp_path: Path) -> None:
    makers = {
        "checkbox": controls.checkbox, "radio": controls.radio, "switch": controls.switch, "slider": controls.slider,
        "combobox": controls.combobox, "link": controls.link,
    }  # fmt: skip
    made = [maker(pen(seed)) for maker in makers.values() for seed in range(4)]
    drawn = "".join(f"<p>{each}</p>" for each in made).replace(" disabled", "")
    found = await roles_in(tmp_path, drawn)
    assert found == dict.fromkeys(makers, 4)
    assert await roles_in(tmp_path, "".join(maker(pen(3)) for maker in decoys.DECOYS)) == {}


@pytest.mark.parametrize("maker", parts.PARTS, ids=lambda maker: maker.__name__)
def test_a_part_closes_what_it_opens(maker: object) -> None:
    class Depth(HTMLParser):
        open: list[str]

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("input", "br", "hr", "option"):
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    for seed in range(30):
        parser = Depth()
        parser.open = []
        parser.feed(maker(pen(seed)))  # type: ignore[operator]
        assert parser.open == []

"""Both readers for real, each in a process of its own, over drawn pages whose lines are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from perception.bench.suites.vision.readers import (
    OURS,
    REST,
    THEIRS,
    Comparison,
    compare_readers,
    dense_pictures,
    legible_lines,
    open_reader,
)
from perception.datasets.sample import Sample, TextLine
from perception.datasets.sample_store import IndexRow, Store
from perception.detectors.ppocr import STEPS
from perception.errors import PerceptionError, UnknownDetectorError
from perception.geometry import Box
from perception.imaging.codec import encode_png
from perception.types import Viewport

WORDS = ("Your orders are on their way", "Delete this account", "Seven boxes of tea")
TINY = TextLine("too small to be read", Box(600, 600, 640, 603))


class Told:
    """Progress that is kept."""

    def __init__(self) -> None:
        self.total = 0
        self.lines: list[str] = []

    def start(self, total: int) -> None:
        self.total = total

    def done(self, name: str, problem: str = "") -> None:
        self.lines.append(name)


def drawn(count: int) -> tuple[bytes, tuple[TextLine, ...]]:
    """So many lines of text on a white page, and a line in the truth that nobody can read."""
    image = Image.new("RGB", (1280, 800), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(22)
    lines = []
    for number in range(count):
        at = (40, 40 + 60 * number)
        draw.text(at, WORDS[number], fill="black", font=font)
        lines.append(TextLine(WORDS[number], Box(*draw.textbbox(at, WORDS[number], font=font))))
    return encode_png(np.asarray(image)[:, :, ::-1].copy()), (*lines, TINY)


def keep(home: Path, name: str, group: str, count: int, viewport: Viewport = Viewport(1280, 800)) -> None:
    store = Store(home)
    png, lines = drawn(count)
    sample = Sample(name, "drawn", group, name, store.put_image(png), viewport, complete=True, lines=lines)
    store.dataset("packages").add(IndexRow(name, store.put(sample), "key"))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    keep(home, "sparse@1280x800", "shop", 2)
    keep(home, "dense@1280x800", "shop", 3)
    keep(home, "thin@1280x800", "blog", 1)
    keep(home, "wide@1920x1080", "wiki", 3, Viewport(1920, 1080))
    keep(home, "double@1280x800@2", "wiki", 3, Viewport(1280, 800, 2))
    return home


@pytest.fixture(scope="module")
def compared(home: Path) -> Comparison:
    told = Told()
    found = compare_readers(dense_pictures(home, least_lines=2), told)
    assert (told.total, told.lines) == (1, ["dense@1280x800"])
    return found


def test_each_package_gives_its_picture_with_the_most_legible_lines(home: Path) -> None:
    names = [item.sample.name for item in dense_pictures(home, least_lines=1)]
    assert names == ["dense@1280x800", "thin@1280x800"]
    assert dense_pictures(home) == []


def test_both_read_every_picture_and_are_judged_by_all_lines_and_by_legible_ones(compared: Comparison) -> None:
    assert [(read.picture, read.reader) for read in compared.reads] == [
        ("dense@1280x800", OURS),
        ("dense@1280x800", THEIRS),
    ]
    for read in compared.reads:
        assert (read.lines.lines, read.lines.found) == (4, 3)
        assert (read.legible.lines, read.legible.found, read.legible.exact_without_spaces) == (3, 3, 3)
        assert read.milliseconds > 0
    ours, theirs = (read.steps for read in compared.reads)
    assert set(ours) == {*STEPS, REST}
    assert set(theirs) == {REST}
    assert min(*ours.values(), *theirs.values()) > 0


def test_costs_are_of_the_readers_own_processes(compared: Comparison) -> None:
    assert [cost.reader for cost in compared.costs] == [OURS, THEIRS]
    assert all(cost.init_ms > 0 for cost in compared.costs)
    assert all(cost.peak_bytes is None or cost.peak_bytes > 2**25 for cost in compared.costs)


def test_without_built_pictures_the_error_explains_how_to_get_them(tmp_path: Path) -> None:
    found = compare_readers(dense_pictures(tmp_path), Told())
    assert (found.costs, found.reads) == ((), ())
    assert found.skipped == ("ppocr beside rapidocr: no picture of so many lines: perception dataset build packages",)


def test_a_reader_that_is_not_installed_is_reported() -> None:
    with pytest.raises(UnknownDetectorError, match="no detector is called tea-leaves"):
        open_reader("tea-leaves").__enter__()


def test_a_picture_that_cannot_be_read_costs_itself_and_the_reader_goes_on() -> None:
    with open_reader(OURS) as reader:
        with pytest.raises(PerceptionError):
            reader.read(b"no picture")
        assert [line.text for line in reader.read(drawn(1)[0])[2]] == [WORDS[0]]


@pytest.mark.parametrize(
    ("text", "height", "legible"),
    [
        ("Total", 7, True),
        ("Total", 6.9, False),
        ("价格 12", 20, True),
        ("ラーメン", 20, True),
        ("Preis für alle", 20, True),
        ("", 20, True),
        ("السعر", 20, False),
        ("מחיר", 20, False),
        ("Цена", 20, False),
        ("ราคา", 20, False),
        ("가격 12", 20, False),
    ],
)
def test_a_line_is_legible_that_is_large_enough_and_in_a_script_of_the_models(
    text: str, height: float, legible: bool
) -> None:
    line = TextLine(text, Box(0, 0, 100, height))
    assert legible_lines([line]) == [line] * legible


def test_overlapping_lines_are_not_legible_and_close_lines_are() -> None:
    on = [TextLine("7.2", Box(0, 0, 60, 20)), TextLine("7.4", Box(40, 0, 100, 20)), TextLine("7.6", Box(0, 0, 900, 90))]
    close = [TextLine("Seven boxes", Box(0, 100, 100, 120)), TextLine("of tea", Box(0, 116, 100, 136))]
    assert legible_lines([*on, *close]) == close
    assert legible_lines([]) == []

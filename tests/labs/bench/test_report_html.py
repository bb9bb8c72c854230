"""The HTML report in a real Chromium, opened from a file, with names out of pages that mean harm."""

from __future__ import annotations

import itertools
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.async_api import Page

from perception.bench.report.html_form import render_html
from perception.bench.report.report_model import (
    BoxMark,
    Chart,
    ChartKind,
    Column,
    ColumnUnit,
    Estimate,
    Pane,
    Report,
    Series,
    ShownCase,
    Table,
    Tone,
)
from perception.browser.browser_session import BrowserSession, SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.deadline import Deadline
from perception.errors import BadInputError
from perception.geometry import Box
from perception.types import Viewport

NAN = float("nan")
# As a fact it is just short enough not to be folded away.
EVIL = "<!--<script </script></title></template><img src=x onerror=hit=1><b>b</b>&amp;\"'\u2028{{1}}%{x}"
LONG = "long" * 200

RATES = (0.12344, None, 0.9, Estimate(0.12341, 0.1, 0.2), Estimate(NAN, NAN, NAN), -0.5, "", 10.0, float("inf"))
ASCENDING = ["\N{MINUS SIGN}50.0%", "12.3% [10.0, 20.0]", "12.3%", "90.0%", "1,000.0%", "∞%"]
DASHES = ["–"] * 3


def case(name: str, *counts: int) -> ShownCase:
    """So many boxes in its panes, of all tones in turn, labeled by their numbers."""
    panes = [
        Pane(
            title,
            tuple(BoxMark(Box(30 * at, 20, 30 * at + 20, 60), f"{name} {at}", list(Tone)[at]) for at in range(count)),
            name,
        )
        for title, count in zip(("A", "truth", "B"), counts, strict=True)
    ]
    image = cv2.imencode(".png", np.full((100, 200, 3), 200, np.uint8))[1].tobytes()
    return ShownCase(name, f"of {name}", image, 200, 100, tuple(panes))


def chart(kind: ChartKind) -> Chart:
    """Two series of three places, of which the last has no value."""
    x = (EVIL, "two", LONG) if kind is ChartKind.BARS else (1, 2, 3)
    y = (0.5, Estimate(0.25, 0.1, 0.4), None)
    return Chart(f"c-{kind}", EVIL, kind, EVIL, EVIL, (Series("A", x, y), Series(EVIL, x, y, (EVIL,) * 3)), note=EVIL)


def table(name: str, *rows: tuple[str | float | Estimate | None, ...]) -> Table:
    return Table("rates", name, (Column(name, note=name), Column("rate", ColumnUnit.SHARE)), rows, name)


HOSTILE = Report(
    EVIL,
    (EVIL, LONG),
    {EVIL: EVIL, "long": LONG + EVIL, LONG: LONG},
    (table(EVIL, (EVIL, Estimate(0.5, 0.4, 0.6, EVIL)), (LONG, 0.5)),),
    tuple(map(chart, ChartKind)),
    (case(EVIL, 1, 2, 3), case(LONG, 0, 0, 0)),
    (EVIL, LONG),
    EVIL,
    EVIL,
)
ROWS = [(f"row {at}", rate) for at, rate in enumerate((*RATES, *["x"] * 11))]
CASES = (case("first", 2, 3, 5), case("second", 1, 0, 4))
POWERS = tuple(10.0**at for at in range(6))
LOGARITHMIC = Chart(
    "log", "Growth", ChartKind.LINES, "controls", "ms", (Series("A", POWERS, POWERS),), logarithmic=True
)
REPORTS = {
    "growth": Report("Growth", (), {}, (), (LOGARITHMIC,)),
    "hostile": HOSTILE,
    "plain": Report("Plain", (), {}, (table("name", *ROWS),), cases=CASES),
    "empty": Report("", (), {}, ()),
}

Open = Callable[[str, int], Awaitable[tuple[Page, list[str]]]]


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder that Chromium can read: of root's it runs as another user, to whom pytest's own folders are closed."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        for name, report in REPORTS.items():
            Path(folder, f"{name}.html").write_text(render_html(report), "utf-8")
        yield Path(folder)


@pytest.fixture(scope="module")
async def open_report(host: BrowserHost, place: Path) -> AsyncIterator[Open]:
    """Opens a report in a window so wide. The list is of what it says to the console and of what it asks for."""
    sessions: list[BrowserSession] = []

    async def open_report(name: str, width: int) -> tuple[Page, list[str]]:
        options = SessionOptions(Viewport(width, 800))
        sessions.append(await host.new_session(options, lambda _: None, Deadline.of(30)))
        page, heard = sessions[-1].tab().page, list[str]()
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: heard.append(request.url.partition(",")[0]))
        await page.goto((place / f"{name}.html").as_uri())
        return page, heard

    yield open_report
    for session in sessions:
        await session.close()


@pytest.fixture(scope="module")
async def hostile_page(open_report: Open) -> Page:
    return (await open_report("hostile", 1280))[0]


@pytest.fixture
async def hostile(hostile_page: Page) -> Page:
    await hostile_page.locator("dialog").evaluate("dialog => dialog.close()")
    return hostile_page


@pytest.fixture(scope="module")
async def plain_page(open_report: Open) -> Page:
    return (await open_report("plain", 1280))[0]


@pytest.fixture
async def plain(plain_page: Page) -> Page:
    await plain_page.reload()
    return plain_page


async def texts(page: Page, selector: str) -> list[str]:
    """Of what is shown, from its first to its last."""
    return [" ".join(each.split()) for each in await page.locator(f":is({selector}):visible").all_inner_texts()]


@pytest.mark.parametrize("name", list(REPORTS))
async def test_a_report_fits_a_phone_says_nothing_to_the_console_and_loads_nothing(
    open_report: Open, place: Path, name: str
) -> None:
    page, heard = await open_report(name, 400)
    sideways = "each => each.scrollWidth - each.clientWidth"
    for button in await page.locator(".case button").all():
        await button.click()
        assert await page.locator("dialog").evaluate(sideways) == 0
        await page.keyboard.press("Escape")
    assert await page.locator("html").evaluate(sideways) == 0
    assert set(heard) - {"data:image/png;base64"} == {(place / f"{name}.html").as_uri()}


async def test_what_pages_say_stays_text(hostile: Page) -> None:
    await hostile.locator(".case button").first.click()
    places = "h1|time|.summary li|nav a|dt|dd|section.table h2|th button|th small|td|.badge|.table > p|.skipped li|"
    places += "figcaption|.chart p|.chart th|.chart td|.legendtext|.xtitle|.ytitle|.xtick text|.case strong|.command|"
    places += "dialog h2|.panes pre"
    for selector in places.split("|"):
        assert EVIL in await hostile.locator(selector).all_text_contents(), selector
    assert await hostile.title() == EVIL
    assert await hostile.locator("b, [src=x]").count() == 0
    assert await hostile.evaluate("window.hit") is None


@pytest.mark.parametrize(
    ("kind", "drawn", "count"),
    [
        (ChartKind.BARS, ".bars .point path[d]", 6),  # one of no height where there is no value
        (ChartKind.POINTS, ".scatter .point", 4),
        (ChartKind.DISTRIBUTION, ".boxlayer .box, .boxlayer .point", 6),
        (ChartKind.LINES, ".lines .js-line", 2),
    ],
)
async def test_a_chart_of_each_kind_is_drawn_and_names_what_is_pointed_at(
    hostile: Page, kind: ChartKind, drawn: str, count: int
) -> None:
    plot = hostile.locator(f"#chart-c-{kind} .plot")
    assert await plot.locator(drawn).count() == count
    await plot.locator(".point").nth(-2 if kind is ChartKind.BARS else -1).hover(force=True)  # Plotly's cover is above
    await plot.locator(".hovertext").first.wait_for()
    said = "".join(await plot.locator(".hovertext").all_text_contents())
    assert EVIL in said
    assert "0.25 [0.1, 0.4]" in said or (kind is ChartKind.DISTRIBUTION and "0.5" in said)  # its points are jittered


async def test_a_power_law_is_a_straight_line_on_logarithmic_axes(open_report: Open) -> None:
    page, _ = await open_report("growth", 1000)
    points = page.locator("#chart-log .point")
    boxes = [await points.nth(at).bounding_box() for at in range(await points.count())]
    middles = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box]
    steps = [(right[0] - left[0], left[1] - right[1]) for left, right in itertools.pairwise(middles)]
    assert len(steps) == 5
    assert all(step == pytest.approx(steps[0], abs=1) and min(step) > 10 for step in steps)
    assert await page.locator(".xtitle").text_content() == "controls (logarithmic)"


@pytest.mark.parametrize("up", [True, False])
async def test_a_header_sorts_by_raw_numbers_then_words_and_dashes_come_last(plain: Page, up: bool) -> None:
    await plain.get_by_role("button", name="rate").click(click_count=1 if up else 2)
    expected = [*ASCENDING, *["x"] * 11]
    assert await texts(plain, "td:nth-child(2)") == (expected if up else expected[::-1]) + DASHES
    assert await texts(plain, f"[aria-sort={'ascending' if up else 'descending'}]") == ["rate"]


async def test_words_are_sorted_by_the_numbers_in_them(plain: Page) -> None:
    await plain.get_by_role("button", name="name").dblclick()
    assert await texts(plain, "td:first-child") == [f"row {at}" for at in reversed(range(20))]


async def test_the_filter_narrows_the_rows_and_says_how_many_are_left(plain: Page) -> None:
    await plain.get_by_role("searchbox").fill(" ROW 1")
    assert await texts(plain, "td:first-child") == ["row 1", *(f"row {at}" for at in range(10, 20))]
    assert await texts(plain, ".find output") == ["11 of 20 rows"]
    await plain.get_by_role("searchbox").fill("")
    assert len(await texts(plain, "td:first-child")) == 20


async def test_a_case_opens_with_its_panes_side_by_side_and_arrow_keys_go_round(plain: Page) -> None:
    await plain.locator(".case button").first.click()
    assert await texts(plain, ".panes figcaption") == ["A 2 boxes", "truth 3 boxes", "B 5 boxes"]
    assert [await pane.locator("rect").count() for pane in await plain.locator(".panes svg").all()] == [2, 3, 5]
    decoded = "all => Promise.all(all.map((each) => each.decode().then(() => each.naturalWidth)))"
    assert await plain.locator(".panes img").evaluate_all(decoded) == [200] * 3
    assert await plain.locator(".panes img").evaluate_all("all => new Set(all.map((each) => each.y)).size") == 1
    for key, at, boxes in (("ArrowRight", 2, "1 box"), ("ArrowRight", 1, "2 boxes"), ("ArrowLeft", 2, "1 box")):
        await plain.keyboard.press(key)
        assert await texts(plain, "dialog output, dialog h2") == [f"{at} of 2", ("first", "second")[at - 1]]
        assert (await texts(plain, ".panes figcaption"))[0] == f"A {boxes}"
    await plain.keyboard.press("Escape")
    assert await texts(plain, "dialog") == []


async def test_switches_hide_the_boxes_of_a_tone_and_all(plain: Page) -> None:
    await plain.locator(".case button").first.click()
    for switch, shown in (("true, missed", 7), ("Boxes", 0), ("Boxes", 7), ("true, missed", 10)):
        await plain.get_by_role("checkbox", name=switch).click()
        assert await plain.locator(".panes rect:visible").count() == shown


async def test_a_box_that_is_pointed_at_is_named_under_its_pane_and_marked_in_the_others(plain: Page) -> None:
    await plain.locator(".case button").first.click()
    await plain.locator(".panes figure").nth(1).locator("rect.found").hover()
    assert await texts(plain, ".pointed-at") == ["", "listed, right: first 2", ""]
    assert [await pane.locator(".ghost").count() for pane in await plain.locator(".panes svg").all()] == [1, 0, 1]


@pytest.mark.parametrize("library", ["jinja2", "plotly"])
def test_without_its_libraries_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    monkeypatch.setitem(sys.modules, library, None)  # what makes an import fail
    with pytest.raises(BadInputError, match=re.escape("pip install 'perception-service[bench]'")):
        render_html(HOSTILE)

"""Contact sheets in a real Chromium, opened from a file, with names out of pages that mean harm."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.async_api import Page
from typer.testing import CliRunner

from perception.browser.browser_session import SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.datasets.cli import app
from perception.datasets.contact_sheet import MAX_SHEET_SIDE, SHEET_KINDS, write_sheet
from perception.datasets.sample import Evidence, GroundingTask, Item, Sample, Stratum, TextLine, TruthElement
from perception.deadline import Deadline
from perception.geometry import Box
from perception.types import Viewport

EVIL = "</figure></main></title><script>window.hit=1</script><img src=x onerror=window.hit=1>&lt;\"'\u2028"
LONG = "long" * 200


def item(folder: Path, name: str, viewport: Viewport, truth: tuple[TruthElement, ...], words: str = "") -> Item:
    """A grey picture with that truth; with words, a line, a task and an unknown picture, too."""
    path = folder / f"{len(list(folder.glob('*.png')))}.png"
    Image.new("RGB", (round(viewport.width * viewport.scale), round(viewport.height * viewport.scale)), "grey").save(
        path
    )
    sample = Sample(
        name,
        "packages",
        words or "shop",
        "page",
        "0" * 64,
        viewport,
        category=words,
        stratum=Stratum.AX_POOR,
        color_scheme="dark",
        truth=truth,
        lines=(TextLine(words, Box(10, 10, 60, 20)),) if words else (),
        unknown=(Box(100, 10, 150, 60),) if words else (),
        tasks=(GroundingTask(words, Box(10, 70, 60, 90)),) if words else (),
    )
    return Item("f" * 64, sample, path)


def element(name: str, left: float, reachable: bool | None) -> TruthElement:
    return TruthElement("button", name, Box(left, 30, left + 20, 60), True, reachable, evidence=(Evidence.ROLE,))


@pytest.fixture(scope="module")
def file() -> Iterator[Path]:
    """A sheet of three samples of four. Pytest's own folders are closed to the user that root's Chromium runs as."""
    truth = (element("Save", 10, True), element(EVIL, 40, True), element("Hid", 70, False), element("Far", 99, None))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        items = (
            item(folder, "shop@200x100", Viewport(200, 100, 2), truth, "Pay now"),
            item(folder, EVIL, Viewport(200, 100), (element(EVIL, 10, True),), EVIL),
            item(folder, LONG, Viewport(2000, 1000), ()),
            item(folder, "left out", Viewport(20, 10), ()),
        )
        assert write_sheet(iter(items), folder / "new" / "sheet.html", title=EVIL + LONG, limit=3) == 3
        yield folder / "new" / "sheet.html"


@pytest.fixture(scope="module")
async def opened(host: BrowserHost) -> AsyncIterator[tuple[Page, list[str]]]:
    """A page as wide as a phone, and what it says to the console and asks for."""
    session = await host.new_session(SessionOptions(Viewport(400, 800)), lambda _: None, Deadline.of(30))
    page, heard = session.tab().page, list[str]()
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("request", lambda request: heard.append(request.url.partition(",")[0]))
    yield page, heard
    await session.close()


@pytest.fixture
async def sheet(opened: tuple[Page, list[str]], file: Path) -> Page:
    await opened[0].goto(file.as_uri())
    return opened[0]


async def shown(page: Page) -> dict[str, int]:
    """How many boxes of each kind the first sample shows."""
    figure = page.locator("figure").first
    return {kind: count for kind in SHEET_KINDS if (count := await figure.locator(f"rect.{kind}:visible").count())}


async def test_it_fits_a_phone_says_nothing_to_the_console_and_loads_nothing(
    opened: tuple[Page, list[str]], sheet: Page, file: Path
) -> None:
    assert await sheet.locator("html").evaluate("each => each.scrollWidth - each.clientWidth") == 0
    assert set(opened[1]) - {"data:image/jpeg;base64"} == {file.as_uri()}


async def test_what_pages_say_stays_text(sheet: Page) -> None:
    assert await sheet.title() == EVIL + LONG
    for selector in ("strong", "rect.line title", "rect.task title"):
        assert EVIL in await sheet.locator(selector).all_text_contents()
    assert f'button "{EVIL}" (role)' in await sheet.locator("rect.reachable title").all_text_contents()
    assert await sheet.locator("figure").count() == 3
    assert await sheet.locator("[src=x]").count() == 0
    assert await sheet.evaluate("window.hit") is None


async def test_a_sample_has_a_description_and_omissions_are_reported(sheet: Page) -> None:
    said = (await sheet.locator("figcaption").first.inner_text()).splitlines()
    assert said == [
        "shop@200x100",
        "200 × 100 @ 2 · dark · Pay now · train · Pay now · ax-poor · ffffffffffff",
        "4 true, 2 reachable, 1 lines, 1 tasks",
    ]
    assert await sheet.locator("body > p").inner_text() == "Not shown: 1 more. Raise --limit."


async def test_pictures_are_shown_small_enough_to_read_their_words(sheet: Page) -> None:
    load = "async (each) => (each.loading = 'eager', await each.decode(), [each.naturalWidth, each.naturalHeight])"
    sizes = [await image.evaluate(load) for image in await sheet.locator("img").all()]
    assert sizes == [[400, 200], [200, 100], [MAX_SHEET_SIDE, MAX_SHEET_SIDE // 2]]


async def test_switches_show_and_hide_kinds_and_lines_are_hidden_at_first(sheet: Page) -> None:
    assert await shown(sheet) == {"reachable": 2, "unreachable": 1, "task": 1}
    for kind in ("line of text", "task", "picture that nobody describes"):
        await sheet.get_by_role("checkbox", name=kind).click()
    assert await shown(sheet) == {"reachable": 2, "unreachable": 1, "line": 1, "unknown": 1}


@pytest.mark.parametrize(
    ("words", "count"),
    [
        pytest.param("SHOP@200", 1, id="name"),
        pytest.param("button", 2, id="what-is-true"),
        pytest.param("onerror=", 2, id="syntax"),
        pytest.param("no such", 0, id="none"),
        pytest.param("", 3, id="empty"),
    ],
)
async def test_the_field_filters_samples_by_their_whole_description(sheet: Page, words: str, count: int) -> None:
    await sheet.get_by_role("searchbox").fill("other")
    await sheet.get_by_role("searchbox").fill(words)
    await sheet.get_by_role("searchbox").press("Enter")
    assert await sheet.locator("figure:visible").count() == count


async def test_a_click_makes_a_picture_as_wide_as_the_window_and_another_small_again(sheet: Page) -> None:
    await sheet.set_viewport_size({"width": 1200, "height": 800})
    widths = []
    for _ in range(3):
        widths.append(await sheet.locator("figure").first.evaluate("each => each.offsetWidth"))
        await sheet.locator(".picture").first.click()
    await sheet.set_viewport_size({"width": 400, "height": 800})
    assert widths[0] == widths[2] < 600
    assert widths[1] > 1000


def test_the_command_lists_each_broken_record_with_its_reason(tmp_path: Path) -> None:
    folder, out = tmp_path / "images", tmp_path / "out.html"
    folder.mkdir()
    Image.new("RGB", (20, 10)).save(folder / "good.png")
    (folder / "junk.png").write_bytes(b"junk")
    (folder / "short.png").write_bytes((folder / "good.png").read_bytes()[:50])
    done = CliRunner(env={"PERCEPTION_HOME": str(tmp_path / "home")}).invoke(
        app, ["show", str(folder), "--out", str(out)], catch_exceptions=False
    )
    assert done.exit_code == 1
    assert [line.partition(":")[0] for line in done.stderr.splitlines()] == ["junk.png", "short.png"]
    assert done.stdout == f"{out}: 1 samples, 2 broken records\n"
    assert out.read_text().count("<figure>") == 1

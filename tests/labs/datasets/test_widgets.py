"""Pages of widgets: one library and number is one page, and controls have the boxes that a person sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from perception.datasets.sample import (
    DEMOS,
    UNSEEN,
    WIDGETS,
    DatasetError,
    Evidence,
    Split,
    TextLine,
    TruthElement,
    split_of,
)
from perception.datasets.sources.manifest import PageSpec, load_manifest
from perception.datasets.sources.page_shapes import DESKTOP
from perception.datasets.sources.rendering import Visit
from perception.datasets.sources.site_server import serve_folder
from perception.datasets.sources.widgets.build import build_widgets, served
from perception.datasets.sources.widgets.library import Library, folder_of, load_libraries
from perception.datasets.sources.widgets.page import WidgetPage, demo_paths, widget_page
from perception.datasets.sources.widgets.render import UntimedRenderer, render
from perception.datasets.sources.widgets.seen_boxes import DrawnBox, pictures_of, seen_elements
from perception.geometry import Box

LIBRARIES = load_libraries()


def element(role: str, box: Box, reachable: bool | None = True) -> TruthElement:
    return TruthElement(role, "", box, interactive=True, reachable=reachable, evidence=(Evidence.ROLE,))


def test_a_library_and_a_number_are_a_page() -> None:
    names = ("antd", "rsuite")
    pages = [widget_page(LIBRARIES[name], number) for name in names for number in range(30)]
    again = [widget_page(LIBRARIES[name], number) for name in reversed(names) for number in range(30)]
    assert pages == again[30:] + again[:30]
    assert len({page.html for page in pages}) == 60
    assert len({page.shape for page in pages}) > 5


def test_each_demo_page_is_shown_before_one_is_shown_again(tmp_path: Path) -> None:
    library = Library("demos", ("package",), pages=("docs/*.html", "docs/*"))
    (tmp_path / "docs").mkdir()
    for name in ("a.html", "b.html", "c.html"):
        (tmp_path / "docs" / name).touch()
    demos = demo_paths(library, tmp_path)
    assert demos == ["package/docs/a.html", "package/docs/b.html", "package/docs/c.html"]
    shown = [widget_page(library, number, demos).path for number in range(6)]
    assert sorted(shown[:3]) == sorted(shown[3:]) == demos


@pytest.mark.parametrize("dataset", [WIDGETS, DEMOS, UNSEEN])
def test_every_library_has_its_packages_and_its_script(dataset: str) -> None:
    libraries = load_libraries(dataset)
    packages = load_manifest(folder_of(dataset) / "packages.toml").packages
    needed = {name for library in libraries.values() for name in library.needs}
    assert needed == packages.keys()
    assert [each.id for each in libraries.values() if not each.pages and not each.script.is_file()] == []
    used = [path for each in libraries.values() for group in (*each.styles, *each.dark_styles) for path in group]
    assert [path for path in used if not any(path.startswith(f"{name}/") for name in needed)] == []


def test_packages_of_debian_are_unpacked_over_each_other(tmp_path: Path) -> None:
    rows = "".join(
        f'[[package]]\nname = "{name}"\nregistry = "debian"\nversion = "1"\nlicence = "MIT"\nsha256 = "{"0" * 64}"\n'
        for name in ("docs", "shared")
    )
    (tmp_path / "packages.toml").write_text(rows, "utf-8")
    page, style = "usr/share/doc/docs/style.css", "usr/share/javascript/shared.css"
    for name, path in (("docs", page), ("shared", style)):
        (tmp_path / "packages/debian" / f"{name}-1" / path).parent.mkdir(parents=True)
    (tmp_path / "packages/debian/shared-1" / style).write_text("b {}", "utf-8")
    (tmp_path / "packages/debian/docs-1" / page).symlink_to("../../javascript/shared.css")
    library = Library("docs", ("docs", "shared"), pages=("usr/**/*.html",))
    with served([library], load_manifest(tmp_path / "packages.toml"), tmp_path) as (folder, _):
        assert (folder / "docs" / page).read_text("utf-8") == "b {}"


@pytest.mark.parametrize(("dataset", "split"), [(WIDGETS, Split.TRAIN), (DEMOS, Split.TRAIN), (UNSEEN, Split.TEST)])
def test_widgets_and_demos_are_for_training(dataset: str, split: Split) -> None:
    assert {split_of(f"{dataset}/{name}") for name in load_libraries(dataset)} == {split}


def test_no_package_is_in_two_data_sets() -> None:
    pages = {page.package or page.family for page in load_manifest().pages.values()}
    widgets, demos, unseen = (load_libraries(each).keys() for each in (WIDGETS, DEMOS, UNSEEN))
    assert (demos & (widgets | pages), unseen & (demos | widgets | pages)) == (set(), set())


def test_an_unknown_library_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"no library nothing: antd, "):
        build_widgets([0], ["nothing"], tmp_path, workers=1, progress=None)  # type: ignore[arg-type]


FRAME, FIELD = Box(0, 0, 200, 32), Box(10, 4, 150, 28)


@pytest.mark.parametrize(
    ("reachable", "reached", "found"),
    [
        pytest.param(True, True, (FRAME, True), id="reachable"),
        pytest.param(False, True, (FRAME, True), id="its-value-is-drawn-over-it"),
        pytest.param(False, False, (FIELD, False), id="covered"),
        pytest.param(None, True, (FIELD, None), id="out-of-view"),
    ],
)
def test_a_field_has_the_box_of_its_frame(
    reachable: bool | None, reached: bool, found: tuple[Box, bool | None]
) -> None:
    frames = [DrawnBox(Box(0, 0, 400, 300)), DrawnBox(FRAME, reached), DrawnBox(Box(210, 0, 400, 32))]
    (seen,) = seen_elements([element("combobox", FIELD, reachable)], frames if reached else frames[1:], [])
    assert (seen.box, seen.reachable) == found


def test_two_handles_are_one_slider_and_a_button_in_a_frame_stays() -> None:
    handles = [element("slider", Box(x, 0, x + 20, 20)) for x in (30, 120)]
    button = element("button", Box(170, 4, 190, 28))
    track = DrawnBox(Box(0, 4, 200, 16))
    assert [each.box for each in seen_elements([*handles, button], [track], [])] == [track.box, button.box]


def test_a_checkbox_has_the_box_that_is_drawn_beside_its_words() -> None:
    label, mark = element("checkbox", Box(0, 0, 120, 20)), DrawnBox(Box(0, 3, 14, 17))
    other = DrawnBox(Box(0, 40, 14, 54))
    assert [each.box for each in seen_elements([label], [], [other, mark])] == [mark.box]


def test_what_is_drawn_as_a_switch_is_one() -> None:
    (seen,) = seen_elements([element("checkbox", Box(0, 0, 40, 20))], [], [DrawnBox(Box(0, 0, 40, 20), is_switch=True)])
    assert seen.role == "switch"


def test_an_item_of_a_tree_ends_where_the_first_item_in_it_begins() -> None:
    items = [Box(0, 0, 200, 90), Box(20, 30, 200, 60), Box(20, 60, 200, 90), Box(0, 90, 200, 120)]
    seen = seen_elements([element("treeitem", box) for box in items], [], [])
    assert [each.box for each in seen] == [Box(0, 0, 200, 30), *items[1:]]


def test_an_open_list_is_its_options() -> None:
    options = [element("option", Box(0, y, 100, y + 20)) for y in (0, 20)]
    closed = element("listbox", Box(300, 0, 400, 30))
    assert seen_elements([element("listbox", Box(0, 0, 100, 40)), *options, closed], [], []) == (*options, closed)


def test_only_a_large_picture_with_nothing_on_it_may_show_controls() -> None:
    chart, icon, ground = Box(0, 0, 300, 200), Box(310, 0, 330, 20), Box(0, 300, 600, 600)
    words = [TextLine("words", Box(100, 400, 200, 420))]
    controls = [element("button", Box(305, 0, 335, 25))]
    assert pictures_of([chart, icon, ground], controls, words) == (chart,)
    assert pictures_of([chart, icon, ground], controls, words, [Box(0, 0, 300, 210)]) == ()


def test_what_only_listens_in_a_picture_that_only_shows_is_left_out() -> None:
    chart, button = Box(0, 0, 300, 200), element("button", Box(10, 10, 60, 30))
    listener = TruthElement("generic", "", chart, True, reachable=True, evidence=(Evidence.LISTENER,))
    assert seen_elements([listener, button], [], []) == (listener, button)
    assert seen_elements([listener, button], [], [], [chart]) == (button,)


PAGE = """<!doctype html><body style="margin:0"><script>setTimeout(() => (window.widgetsReady = true), 50)</script>
<div class=frame style="position:absolute;left:10px;top:10px;width:200px;height:30px;border:1px solid">
  <input role=combobox readonly style="position:absolute;left:8px;top:4px;width:80px;height:20px;border:0">
  <span style="position:absolute;inset:0">Berlin</span></div>
<button id=unfolds style="position:absolute;left:10px;top:60px;width:60px;height:30px">Menu</button>
<div style="position:absolute;left:10px;top:100px;width:90px"><div id=list role=menuitem style="height:20px" hidden>
Copy</div></div><canvas id=chart style="position:absolute;left:300px;top:10px;width:90px;height:80px"></canvas>
<script>unfolds.onclick = () => (list.hidden = false)</script>"""


def page_of(html: str) -> tuple[WidgetPage, Visit]:
    library = Library("tested", (), frames=".frame", shows="#chart", openers="#unfolds")
    page = WidgetPage(library, 0, "page.html", html, DESKTOP, scroll=0, opens=0.5, hovers=None, focus=False)
    return page, Visit(PageSpec(page.id, "/page.html", WIDGETS, origin="beside"), DESKTOP, "")


async def test_a_page_is_captured_with_its_menu_open_and_its_fields_framed(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE, "utf-8")
    broken = "<!doctype html><script>window.widgetsError = 'no such widget'</script>"
    (tmp_path / "broken.html").write_text(broken, "utf-8")
    async with UntimedRenderer() as renderer:
        with serve_folder(tmp_path) as address:
            page, visit = page_of(PAGE)
            look, drawn = await render(page, Visit(visit.page, visit.shape, f"{address}/page.html"), renderer)
            with pytest.raises(DatasetError, match="no such widget"):
                await render(page, Visit(visit.page, visit.shape, f"{address}/broken.html"), renderer)
    assert drawn.frames == (DrawnBox(Box(10, 10, 212, 42)),)
    assert drawn.shows == (DrawnBox(Box(300, 10, 390, 90)),)
    seen = {
        each.role: each.box for each in seen_elements(look.truth.elements, drawn.frames, drawn.marks) if each.reachable
    }
    assert seen == {"combobox": Box(10, 10, 212, 42), "button": Box(10, 60, 70, 90), "menuitem": Box(10, 100, 100, 120)}

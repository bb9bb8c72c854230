"""Merging elements of the page and detections into one list."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.fusion.detector_classes import role_of
from perception.fusion.fuse import fuse
from perception.fusion.regions import SeenRegion
from perception.fusion.residual import whole_viewport
from perception.geometry import Box, Point
from perception.testing.scripted_detector import ScriptedDetection, detections_of
from perception.types import UNREAD, Element, NodeKey, Opaque, Region, Source, Viewport

Look = tuple[tuple[Element, ...], tuple[SeenRegion, ...]]
CANVAS_BOX = Box(0, 100, 800, 500)


def page_element(role: str, name: str, box: tuple[float, float, float, float], node: int, **more: object) -> Element:
    return Element(role, name, Box(*box), node=NodeKey("L", node), **more)  # type: ignore[arg-type]


def canvas(node: int = 1, **more: object) -> Element:
    return page_element("canvas", "", (0, 100, 800, 500), node, opaque=Opaque.CANVAS, **more)


def button(name: str, box: tuple[float, float, float, float], node: int, **more: object) -> Element:
    return page_element("button", name, box, node, interactive=True, **more)


def nameless(box: tuple[float, float, float, float], node: int) -> Element:
    return button("", box, node, opaque=Opaque.NAMELESS)


def seen(
    *sightings: ScriptedDetection, box: Box = CANVAS_BOX, owner: int = 0, why: Opaque = Opaque.CANVAS
) -> SeenRegion:
    """Sightings in viewport coordinates, as detectors would have seen them in the region's crop."""
    local = [
        replace(
            sighting,
            xyxy=tuple(side - offset for side, offset in zip(sighting.xyxy, (box.left, box.top) * 2, strict=True)),
        )
        for sighting in sightings
    ]
    texts = detections_of("reader", [sighting for sighting in local if sighting.text])
    boxes = detections_of("boxer", [sighting for sighting in local if not sighting.text])
    return SeenRegion(Region(box, owner, why), 1.0, (texts, boxes))


def listed(elements: tuple[Element, ...]) -> list[tuple[str, str, int]]:
    return [(element.role, element.name, element.parent) for element in elements]


def test_nothing_seen_changes_nothing() -> None:
    page = (canvas(), button("Pay", (0, 0, 50, 20), 2))
    assert fuse(page, ()) == page
    assert fuse(page, (seen(),)) == page
    assert fuse((), ()) == ()


def test_text_in_a_box_on_a_canvas_is_a_button_where_the_box_is() -> None:
    (_, made) = fuse(
        (canvas(),), (seen(ScriptedDetection((20, 120, 100, 150)), ScriptedDetection((40, 125, 80, 145), "Save", 0.9)),)
    )
    assert (made.role, made.name, made.box) == ("button", "Save", Box(20, 120, 100, 150))
    assert made.sources == (Source.OCR, Source.DETECTOR)
    assert made.click_point == Point(60, 135)
    assert (made.parent, made.ref, made.node, made.backend_node_id) == (0, "", None, None)
    assert made.interactive
    assert made.reachable
    assert made.visible
    assert made.in_viewport
    assert made.confidence == pytest.approx(0.9)


def test_a_box_without_words_is_a_control_without_a_name() -> None:
    (_, made) = fuse((canvas(),), (seen(ScriptedDetection((20, 120, 52, 152), label="icon button")),))
    assert (made.role, made.name, made.sources) == ("button", "", (Source.DETECTOR,))


@pytest.mark.parametrize(("letters", "name"), [("Q", ""), ("Log in", "Log in")])
def test_a_letter_in_an_icon_button_is_its_drawing_misread(letters: str, name: str) -> None:
    box = ScriptedDetection((20, 120, 90, 152), label="icon button")
    (_, made) = fuse((canvas(),), (seen(box, ScriptedDetection((30, 125, 80, 147), letters, 0.99)),))
    assert (made.role, made.name) == ("button", name)


def test_text_alone_is_text() -> None:
    (_, made) = fuse((canvas(),), (seen(ScriptedDetection((20, 120, 120, 140), "Quarterly sales", 0.8)),))
    assert (made.role, made.name, made.sources, made.confidence) == (
        "text",
        "Quarterly sales",
        (Source.OCR,),
        pytest.approx(0.8),
    )


def test_letters_that_look_like_boxes_are_not_listed_beside_their_text() -> None:
    fused = fuse(
        (canvas(),),
        (seen(ScriptedDetection((20, 120, 120, 144), "Feb and Mar"), ScriptedDetection((64, 126, 74, 138), "", 0.2)),),
    )
    assert listed(fused) == [("canvas", "", -1), ("text", "Feb and Mar", 0)]


def test_a_charts_bars_grid_and_frame_that_no_detector_is_sure_of_are_not_listed() -> None:
    bars = [ScriptedDetection((60 + 60 * i, 300, 96 + 60 * i, 480), "", 0.2) for i in range(5)]
    grid = [
        ScriptedDetection((300 + 52 * i, 110 + 32 * j, 350 + 52 * i, 140 + 32 * j), "", 0.2)
        for i in range(3)
        for j in range(3)
    ]
    frame = ScriptedDetection((0, 100, 800, 500))
    assert listed(fuse((canvas(),), (seen(*bars, *grid, frame),))) == [("canvas", "", -1)]


def test_a_box_on_a_photograph_is_nothing() -> None:
    photo = page_element("img", "Beach", (0, 100, 800, 500), 1, opaque=Opaque.IMAGE)
    assert len(fuse((photo,), (seen(ScriptedDetection((20, 120, 52, 152)), why=Opaque.IMAGE),))) == 1


def look_alone(*sightings: ScriptedDetection) -> tuple[Element, ...]:
    """What pixels alone give."""
    return fuse((), (seen(*sightings, box=Box(0, 0, 800, 500), owner=-1, why=Opaque.FRAME),))


@pytest.mark.parametrize("label", [(38, 116, 120, 138), (-40, 116, 18, 138)])
def test_a_checkbox_is_named_by_the_text_beside_it_which_is_not_listed_again(
    label: tuple[float, float, float, float],
) -> None:
    left, top, right, bottom = label
    shift = max(0.0, -left) + 4
    mark = ScriptedDetection((20 + shift, 120, 34 + shift, 134), "", 0.8, label="checkbox, checked")
    (made,) = look_alone(mark, ScriptedDetection((left + shift, top, right + shift, bottom), "Show grid"))
    assert (made.role, made.name, made.states) == ("checkbox", "Show grid", ("checked",))
    assert made.box == Box(20 + shift, 120, 34 + shift, 134)


def test_a_field_is_told_by_the_label_above_it_which_stays() -> None:
    label, field = look_alone(
        ScriptedDetection((20, 300, 320, 330), label="textbox"), ScriptedDetection((20, 276, 80, 296), "Email")
    )
    assert (label.role, label.name) == ("text", "Email")
    assert (field.role, field.name, field.hint) == ("textbox", "", "Email")


def test_a_line_in_a_box_is_its_name_and_another_is_text() -> None:
    lines = ScriptedDetection((14, 10, 126, 32), "Release notes"), ScriptedDetection((14, 40, 126, 62), "Release notes")
    box = ScriptedDetection((20, 15, 120, 28), "", 0.3, label="link")
    first, second = look_alone(*lines, box)
    assert (first.role, first.name, first.box, first.interactive) == (
        "link",
        "Release notes",
        Box(20, 15, 120, 28),
        True,
    )
    assert (second.role, second.interactive, second.reachable) == ("text", False, True)


def test_words_of_a_line_in_a_box_are_its_name_and_the_others_are_text() -> None:
    line = ScriptedDetection((14, 10, 256, 32), "Show the release notes now")
    found = look_alone(line, ScriptedDetection((102, 6, 212, 36), "", 0.6, label="button"))
    assert listed(found) == [("text", "Show the", -1), ("button", "release notes", -1), ("text", "now", -1)]


def test_a_sentence_stays_whole_beside_its_links() -> None:
    line = ScriptedDetection((14, 10, 256, 32), "Read the release notes now")
    found = look_alone(line, ScriptedDetection((102, 12, 212, 30), "", 0.6, label="link"))
    assert listed(found) == [("text", "Read the release notes now", -1), ("link", "release notes", -1)]
    (sentence,) = look_alone(line, ScriptedDetection((102, 12, 212, 30), "", 0.4, label="link"))
    assert (sentence.role, sentence.name) == ("text", "Read the release notes now")


@pytest.mark.parametrize(
    ("words", "second", "high", "roles"),
    [
        pytest.param("class-item data-merge", 112, 20, ["text", "link", "link"], id="a space apart"),
        pytest.param("class-item data-merge", 130, 20, ["link", "link"], id="far apart"),
        pytest.param("class=item data=merge", 130, 20, ["text"], id="code"),
        pytest.param("class-item data-merge", 112, 36, ["link", "link"], id="bars"),
    ],
)
def test_links_side_by_side_are_words_of_a_line(words: str, second: float, high: float, roles: list[str]) -> None:
    line = ScriptedDetection((14, 10, 226, 32), words)
    boxes = [
        ScriptedDetection((left, 21 - high / 2, right, 21 + high / 2), "", 0.7, label="link")
        for left, right in ((20, 108), (second, 220))
    ]
    assert [each.role for each in look_alone(line, *boxes)] == roles


@pytest.mark.parametrize(
    ("words", "high"),
    [
        pytest.param("Show the release notes now", 18, id="as low as words"),
        pytest.param("Show us all the of the to me now", 32, id="a sentence"),
    ],
)
@pytest.mark.parametrize("label", ["button", "textbox", "tab"])
def test_controls_take_no_words_out_of_a_text(words: str, high: float, label: str) -> None:
    line = ScriptedDetection((14, 10, 256, 32), words)
    found = look_alone(line, ScriptedDetection((102, 21 - high / 2, 212, 21 + high / 2), "", 0.7, label=label))
    assert sorted(each.role for each in found) == sorted(["text", label])
    assert words in [each.name for each in found]


@pytest.mark.parametrize(("words", "names"), [("});", ["});"]), ("}", ["}"]), ("...", []), ("<", [])])
def test_a_line_of_brackets_is_listed_and_other_signs_are_not(words: str, names: list[str]) -> None:
    assert [each.name for each in look_alone(ScriptedDetection((20, 10, 60, 30), words, 0.99))] == names


@pytest.mark.parametrize(
    ("left", "top", "kept"),
    [
        pytest.param(784, 2, False, id="above-a-scroll-bar"),
        pytest.param(784, 470, False, id="below-it-and-over-another"),
        pytest.param(2, 484, False, id="left-of-a-scroll-bar"),
        pytest.param(784, 240, True, id="at-the-side"),
        pytest.param(740, 2, True, id="in-the-page"),
    ],
)
def test_the_arrows_of_scroll_bars_are_no_controls(left: float, top: float, kept: bool) -> None:
    found = look_alone(ScriptedDetection((left, top, left + 14, top + 14), "", 0.9, label="icon button"))
    assert bool(found) == kept


def test_a_checkbox_that_is_read_as_a_letter_of_its_line_stays() -> None:
    line = ScriptedDetection((10, 12, 300, 30), "v available to hire", 0.9)
    first = look_alone(line, ScriptedDetection((12, 14, 26, 28), "", 0.45, label="checkbox"))[0]
    assert first.role == "checkbox"


def test_a_line_over_several_controls_is_taken_apart() -> None:
    line = ScriptedDetection((14, 10, 186, 32), "File Edit View")
    boxes = [ScriptedDetection((20 + 60 * at, 8, 60 + 60 * at, 34), "", 0.5, label="menuitem") for at in range(3)]
    assert listed(look_alone(line, *boxes)) == [("menuitem", name, -1) for name in ("File", "Edit", "View")]


def test_letters_that_stand_far_apart_are_controls_of_their_own() -> None:
    line = ScriptedDetection((14, 10, 146, 32), "1234")
    boxes = [ScriptedDetection((20 + 30 * at, 8, 50 + 30 * at, 34), "", 0.5, label="link") for at in range(4)]
    assert [name for _, name, _ in listed(look_alone(line, *boxes))] == ["1", "2", "3", "4"]


def test_a_line_in_one_box_is_not_taken_apart_by_the_icon_beside_it() -> None:
    line = ScriptedDetection((34, 10, 106, 32), "Zoom out")
    outer = ScriptedDetection((10, 6, 110, 36), label="button")
    icon = ScriptedDetection((14, 12, 30, 30), "", 0.3, label="icon button")
    assert ("button", "Zoom out", -1) in listed(look_alone(line, outer, icon))


@pytest.mark.parametrize(("frame", "words"), [(0.9, 0.4), (0.4, 0.9)])
def test_a_frame_and_its_words_are_one_control(frame: float, words: float) -> None:
    boxes = (
        ScriptedDetection((10, 6, 110, 36), "", frame, label="button"),
        ScriptedDetection((30, 10, 92, 32), "", words, label="link"),
    )
    (found,) = look_alone(ScriptedDetection((26, 10, 96, 32), "Save"), *boxes)
    assert (found.role, found.name) == ("button" if frame > words else "link", "Save")


def test_a_small_control_in_a_field_stays() -> None:
    field = ScriptedDetection((10, 6, 310, 36), "", 0.9, label="textbox")
    clear = ScriptedDetection((284, 12, 302, 30), "", 0.5, label="icon button")
    assert [each.role for each in look_alone(field, clear)] == ["textbox", "button"]


@pytest.mark.parametrize(
    ("outer", "inner", "score", "roles"),
    [
        pytest.param("link", "icon button", 0.6, ["link"], id="icon"),
        pytest.param("tab", "checkbox", 0.78, ["tab"], id="icon like a checkbox, a little surer"),
        pytest.param("link", "icon button", 0.95, ["link", "button"], id="much surer"),
        pytest.param("menuitem", "checkbox", 0.6, ["menuitem", "checkbox"], id="checkbox of a list"),
    ],
)
def test_an_icon_in_a_low_control_is_a_part_of_it(outer: str, inner: str, score: float, roles: list[str]) -> None:
    line = ScriptedDetection((0, 0, 220, 40), "", 0.7, label=outer)
    icon = ScriptedDetection((10, 10, 30, 30), "", score, label=inner)
    assert [
        each.role for each in look_alone(line, icon, ScriptedDetection((40, 10, 140, 30), "Dashboard", 0.99))
    ] == roles


@pytest.mark.parametrize(
    ("second", "names"),
    [
        pytest.param((150, 11, 240, 31), ["Servers and clients"], id="in a row"),
        pytest.param((150, 30, 240, 50), ["Servers and", ""], id="in rows"),
        pytest.param((182, 11, 240, 31), ["Servers and", "clients"], id="beside it"),
    ],
)
def test_links_that_overlap_in_a_row_are_one(second: tuple[int, int, int, int], names: list[str]) -> None:
    line = ScriptedDetection((14, 10, 246, 32), "Servers and clients")
    found = look_alone(
        line,
        ScriptedDetection((20, 10, 180, 30), "", 0.9, label="link"),
        ScriptedDetection(second, "", 0.7, label="link"),
    )
    assert [each.name for each in found if each.role == "link"] == names


def test_a_badge_in_a_link_is_a_part_of_its_name() -> None:
    line, badge = (ScriptedDetection((x, 0, 220, 40), "", 0.6, label="link") for x in (0, 180))
    words = ScriptedDetection((10, 10, 110, 30), "Mailbox", 0.99), ScriptedDetection((190, 10, 214, 30), "12", 0.99)
    assert listed(look_alone(line, badge, *words)) == [("link", "Mailbox 12", -1)]


@pytest.mark.parametrize(
    ("detector", "label", "score", "words", "expected"),
    [
        pytest.param("controls", "icon button", 0.47, "", [], id="doubtful"),
        pytest.param("controls", "icon button", 0.6, "", ["button"], id="likely"),
        pytest.param("controls", "textbox", 0.47, "", [], id="doubtful field"),
        pytest.param("controls", "textbox", 0.6, "", ["textbox"], id="likely field"),
        pytest.param("controls", "button", 0.47, "Save", ["button"], id="with words"),
        pytest.param("controls", "checkbox", 0.47, "", ["checkbox"], id="a checkbox has none"),
        pytest.param("onnx", "button", 0.3, "", ["button"], id="scores of another detector"),
    ],
)
def test_a_doubtful_button_needs_words_where_there_are_only_pixels(
    detector: str, label: str, score: float, words: str, expected: list[str]
) -> None:
    boxes = detections_of(detector, [ScriptedDetection((10, 10, 70, 40), "", score, label=label)])
    texts = detections_of("reader", [ScriptedDetection((20, 15, 60, 35), words, 0.99)] if words else [])
    region = SeenRegion(whole_viewport(Viewport(400, 300)), 1.0, (texts, boxes))
    assert [each.role for each in fuse((), (region,))] == expected


def test_words_in_a_box_within_a_box_belong_to_the_inner_one() -> None:
    row = ScriptedDetection((0, 0, 400, 40), label="menuitem")
    inner = ScriptedDetection((300, 6, 380, 34), label="button")
    found = look_alone(
        row, inner, ScriptedDetection((10, 10, 110, 30), "Invoices"), ScriptedDetection((310, 10, 370, 30), "Open")
    )
    assert sorted(listed(found)) == [("button", "Open", -1), ("menuitem", "Invoices", -1)]


def test_an_icon_misread_as_a_letter_is_not_text() -> None:
    texts = [ScriptedDetection((20, 120, 44, 144), "三", 0.99), ScriptedDetection((60, 120, 84, 144), "V", 0.7)]
    assert len(fuse((canvas(),), (seen(*texts),))) == 1


def test_a_single_chinese_letter_counts_among_chinese_text() -> None:
    texts = [ScriptedDetection((20, 120, 44, 144), "中", 0.99), ScriptedDetection((60, 120, 184, 144), "文字列", 0.99)]
    assert [name for _, name, _ in listed(fuse((canvas(),), (seen(*texts),)))] == ["", "中", "文字列"]


def test_what_the_page_itself_contains_is_noted_not_repeated() -> None:
    page = (canvas(), page_element("text", "Quarterly sales", (20, 118, 130, 142), 2))
    fused = fuse(page, (seen(ScriptedDetection((18, 118, 132, 142), "Quarterlysales")),))
    assert listed(fused) == listed(page)
    assert fused[1].sources == (Source.DOM, Source.OCR)


def test_lines_of_a_paragraph_are_the_paragraphs() -> None:
    page = (canvas(), page_element("text", "All prices include tax and are per person", (20, 110, 200, 150), 2))
    lines = [
        ScriptedDetection((20, 110, 200, 128), "All prices include tax"),
        ScriptedDetection((20, 130, 180, 148), "and are per persom"),
    ]
    assert listed(fuse(page, (seen(*lines),))) == listed(page)


def test_one_line_over_several_elements_is_theirs() -> None:
    page = (
        canvas(),
        button("Home", (20, 110, 60, 130), 2),
        button("Tables", (80, 110, 120, 130), 3),
    )
    fused = fuse(page, (seen(ScriptedDetection((18, 110, 122, 130), "Home > Tables")),))
    assert listed(fused) == listed(page)
    assert all(Source.OCR in element.sources for element in fused[1:])


def test_each_element_explains_one_text_only() -> None:
    page = (canvas(), page_element("text", "Edit", (20, 110, 60, 180), 2))
    twice = [ScriptedDetection((20, 110, 60, 130), "Edit"), ScriptedDetection((20, 150, 60, 170), "Edit")]
    assert listed(fuse(page, (seen(*twice),))) == [("canvas", "", -1), ("text", "Edit", 0), ("text", "Edit", -1)]


def test_text_on_a_nameless_control_names_it() -> None:
    page = (nameless((100, 20, 180, 50), 1),)
    region = Box(96, 16, 184, 54)
    fused = fuse(page, (seen(ScriptedDetection((110, 24, 170, 46), "Log in"), box=region, why=Opaque.NAMELESS),))
    assert listed(fused) == [("button", "Log in", -1)]
    assert fused[0].sources == (Source.DOM, Source.OCR)
    assert fused[0].box == page[0].box


def test_icon_inside_button_never_becomes_a_second_element() -> None:
    page = (nameless((100, 20, 140, 60), 1),)
    region = Box(96, 16, 144, 64)
    fused = fuse(page, (seen(ScriptedDetection((110, 30, 130, 50)), box=region, why=Opaque.NAMELESS),))
    assert fused == page


def test_a_neighbors_text_in_the_padding_does_not_name_a_control() -> None:
    page = (nameless((100, 20, 140, 60), 1),)
    fused = fuse(
        page, (seen(ScriptedDetection((141, 20, 144, 60), "Price"), box=Box(96, 16, 144, 64), why=Opaque.NAMELESS),)
    )
    assert fused == page


def test_other_text_on_a_named_control_becomes_its_text() -> None:
    page = (button("Advertisement", (0, 100, 300, 200), 1, opaque=Opaque.IMAGE),)
    fused = fuse(
        page, (seen(ScriptedDetection((20, 120, 200, 150), "50 % off"), box=Box(0, 100, 300, 200), why=Opaque.IMAGE),)
    )
    assert (fused[0].name, fused[0].text) == ("Advertisement", "50 % off")
    assert len(fused) == 1


def test_a_toolbar_painted_on_a_clickable_canvas_does_not_name_the_canvas() -> None:
    page = (replace(canvas(), interactive=True, opaque=Opaque.NAMELESS),)
    fused = fuse(page, (seen(ScriptedDetection((20, 120, 120, 140), "Open file"), why=Opaque.NAMELESS),))
    assert listed(fused) == [("canvas", "", -1), ("text", "Open file", 0)]


def test_new_elements_follow_the_last_descendant_of_their_owner() -> None:
    page = (
        page_element("main", "", (0, 0, 800, 600), 9),
        replace(canvas(), parent=0),
        page_element("text", "Fallback", (0, 700, 9, 710), 2, parent=1, visible=False),
        button("Pay", (0, 510, 50, 530), 3, parent=0),
    )
    fused = fuse(page, (seen(ScriptedDetection((20, 120, 120, 140), "Quarterly sales"), owner=1),))
    assert listed(fused) == [
        ("main", "", -1),
        ("canvas", "", 0),
        ("text", "Fallback", 1),
        ("text", "Quarterly sales", 1),
        ("button", "Pay", 0),
    ]


def test_what_is_drawn_in_a_picture_within_a_frame_belongs_to_the_picture() -> None:
    frame = page_element("iframe", "", (0, 0, 900, 600), 1, opaque=Opaque.FRAME)
    page = (frame, replace(canvas(node=2), parent=0))
    fused = fuse(
        page, (seen(ScriptedDetection((20, 120, 120, 140), "Quarterly sales"), box=frame.box, why=Opaque.FRAME),)
    )
    assert listed(fused)[-1] == ("text", "Quarterly sales", 1)


def test_pixels_alone_give_a_list_in_reading_order() -> None:
    sightings = [
        ScriptedDetection((300, 12, 380, 30), "right"),
        ScriptedDetection((20, 10, 100, 30), "left"),
        ScriptedDetection((20, 60, 100, 80), "below"),
    ]
    fused = fuse((), (seen(*sightings, box=Box(0, 0, 1000, 600), owner=-1, why=Opaque.FRAME),))
    assert [element.name for element in fused] == ["left", "right", "below"]


def test_text_read_by_two_detectors_counts_once() -> None:
    region = Region(CANVAS_BOX, 0, Opaque.CANVAS)
    first = detections_of("a", [ScriptedDetection((20, 20, 120, 40), "Quarterly sales", 0.8)])
    second = detections_of("b", [ScriptedDetection((22, 20, 118, 41), "Quarterly sale5", 0.9)])
    (_, made) = fuse((canvas(),), (SeenRegion(region, 1.0, (first, second)),))
    assert made.name == "Quarterly sale5"


WORDS = st.sampled_from(
    ["Save", "save as", "Open file", "OK", "三", "+", "×", "Edit", "Edit row", "Q3 revenue", "V", "7"]
)
COORDINATES = st.integers(-20, 420)


@st.composite
def rectangles(draw: st.DrawFn, largest: int = 200) -> tuple[float, float, float, float]:
    left, top = draw(COORDINATES), draw(COORDINATES)
    return left, top, left + draw(st.integers(0, largest)), top + draw(st.integers(0, largest))


SIGHTINGS = st.lists(
    st.builds(ScriptedDetection, rectangles(), st.one_of(st.just(""), WORDS), st.sampled_from([0.4, 0.8, 0.99, 1.0])),
    max_size=12,
)


@st.composite
def pages(draw: st.DrawFn) -> tuple[Element, ...]:
    elements: list[Element] = []
    for node in range(draw(st.integers(0, 8))):
        parent = draw(st.integers(-1, node - 1))
        elements.append(
            Element(
                role=draw(st.sampled_from(["button", "text", "canvas", "img", "link"])),
                name=draw(st.one_of(st.just(""), WORDS)),
                box=Box(*draw(rectangles(400))),
                text=draw(st.one_of(st.just(""), WORDS)),
                parent=parent,
                interactive=draw(st.booleans()),
                visible=draw(st.booleans()),
                opaque=draw(st.sampled_from([None, *Opaque])),
                node=NodeKey("L", node),
            )
        )
    return tuple(elements)


@st.composite
def looks(draw: st.DrawFn) -> Look:
    page = draw(pages())
    regions = []
    for _ in range(draw(st.integers(0, 3))):
        left, top = draw(st.integers(0, 300)), draw(st.integers(0, 300))
        box = Box(left, top, left + draw(st.integers(8, 400)), top + draw(st.integers(8, 400)))
        region = Region(box, draw(st.integers(-1, len(page) - 1)), draw(st.sampled_from(Opaque)))
        found = tuple(detections_of(name, draw(SIGHTINGS)) for name in ("a", "b"))
        regions.append(SeenRegion(region, draw(st.sampled_from([1.0, 1.5, 2.0])), found))
    return page, tuple(regions)


def is_new(element: Element) -> bool:
    return element.node is None


@given(looks())
def test_fusing_twice_equals_fusing_once(look: Look) -> None:
    page, regions = look
    once = fuse(page, regions)
    assert fuse(once, regions) == once


@given(looks())
def test_the_order_of_detectors_and_regions_does_not_matter(
    look: Look,
) -> None:
    page, regions = look
    turned = tuple(replace(region, detections=region.detections[::-1]) for region in regions[::-1])
    assert fuse(page, turned) == fuse(page, regions)


@given(looks())
def test_the_pages_elements_all_stay_with_their_boxes(look: Look) -> None:
    page, regions = look
    kept = [element for element in fuse(page, regions) if not is_new(element)]
    assert [(element.node, element.box, element.role) for element in kept] == [
        (element.node, element.box, element.role) for element in page
    ]
    assert all(after.name == before.name for before, after in zip(page, kept, strict=True) if before.name)


@given(looks())
def test_parents_precede_their_children_and_are_the_same_elements(
    look: Look,
) -> None:
    page, regions = look
    fused = fuse(page, regions)
    assert all(-1 <= element.parent < index for index, element in enumerate(fused))
    parents = {element.node: fused[element.parent].node for element in fused if element.parent >= 0 and element.node}
    assert parents == {element.node: page[element.parent].node for element in page if element.parent >= 0}


@given(looks())
def test_nothing_new_leaves_its_region(look: Look) -> None:
    page, regions = look
    for element in filter(is_new, fuse(page, regions)):
        assert element.click_point is not None
        assert element.box.contains(element.click_point)
        assert any(element.box.intersect(seen.region.box) == element.box for seen in regions)


@pytest.mark.parametrize(
    ("label", "role"),
    [("Button", "button"), ("check-box", "checkbox"), ("Text Field", "textbox"), ("drop_down", "combobox")],
)
def test_what_a_detector_calls_a_box_is_its_role(label: str, role: str) -> None:
    sightings = [ScriptedDetection((20, 120, 320, 300), label=label), ScriptedDetection((60, 190, 120, 210), "Go")]
    found = fuse((canvas(),), (seen(*sightings),))[1]
    assert (found.role, found.name, found.interactive) == (role, "Go", True)


def test_a_box_without_a_known_class_is_a_button() -> None:
    assert role_of("widget-7") == role_of("") == ""
    (_, made) = fuse((canvas(),), (seen(ScriptedDetection((20, 120, 100, 150), label="widget-7")),))
    assert made.role == "button"


@pytest.mark.parametrize(
    ("hint", "reading", "score", "named"),
    [
        pytest.param("plus", "D", 0.98, ("", "D"), id="a sure letter is text, the hint stays"),
        pytest.param("plus", "oo", 0.9, ("", ""), id="a doubtful one is dropped"),
        pytest.param("plus", "Save", 0.9, ("Save", ""), id="a word is a name"),
        pytest.param("", "B", 0.99, ("B", ""), id="without a hint a letter is a name"),
        pytest.param("", "7", 0.97, ("7", ""), id="so is a digit"),
    ],
)
def test_an_icon_read_as_letters_does_not_hide_a_hint(
    hint: str, reading: str, score: float, named: tuple[str, str]
) -> None:
    control = replace(nameless((20, 20, 50, 50), 1), hint=hint)
    region = seen(ScriptedDetection((28, 28, 42, 42), reading, score), box=Box(16, 16, 54, 54), why=Opaque.NAMELESS)
    (made,) = fuse((control,), (region,))
    assert (made.name, made.text, made.hint) == (*named, hint)


def unread(xyxy: tuple[float, float, float, float], text: str, **more: object) -> SeenRegion:
    """A line that was not read."""
    region = seen(ScriptedDetection(xyxy, text, 0.95), **more)  # type: ignore[arg-type]
    texts, boxes = region.detections
    return replace(region, detections=(replace(texts, label=(UNREAD,)), boxes))


def test_a_line_that_was_not_read_is_listed_and_names_no_control() -> None:
    line = unread((30, 120, 200, 140), "unread (Arabic)")
    assert listed(fuse((canvas(),), (line,)))[1:] == [("text", "unread (Arabic)", 0)]
    box = Box(16, 16, 154, 54)
    (made,) = fuse(
        (nameless((20, 20, 150, 50), 1),), (unread((28, 28, 142, 42), "unread (Thai)", box=box, why=Opaque.NAMELESS),)
    )
    assert (made.name, made.text) == ("", "unread (Thai)")


def test_a_line_that_was_not_read_is_dropped_where_the_page_says_it() -> None:
    picture = page_element("img", "مرحبا", (20, 110, 300, 150), 2)
    page = (canvas(), picture)
    assert fuse(page, (unread((30, 120, 200, 140), "unread (Arabic)"),)) == page
    assert len(fuse(page, (unread((30, 120, 200, 140), "unread (Thai)"),))) == 3

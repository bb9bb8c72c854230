"""What Chromium itself says is there and can be reached, on small pages."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from perception.browser.browser_session import BrowserSession
from perception.browser.page.navigation import WaitUntil, navigate
from perception.datasets.sample import ElementKind, Evidence, TruthElement
from perception.datasets.truth.truth import Truth, read_truth
from perception.deadline import Deadline
from perception.geometry import Box
from perception.types import Viewport

VIEWPORT = Viewport(1280, 800)


@pytest.fixture
def browser(shared_browser: BrowserSession) -> BrowserSession:
    return shared_browser


async def truth_of(browser: BrowserSession, site: str, body: str) -> Truth:
    tab = browser.tab()
    url = f"{site}/html?body={quote('<!doctype html><body style=margin:0>' + body)}"
    await navigate(tab.link, url, WaitUntil.LOAD, Deadline.of(20))
    deadline = Deadline.of(20)
    truth = await read_truth(tab.link, VIEWPORT, deadline)
    while "<iframe" in body and not truth.elements:  # one of another process is attached a moment after its page
        truth = await read_truth(tab.link, VIEWPORT, deadline)
    return truth


def only(truth: Truth) -> TruthElement:
    (element,) = truth.elements
    return element


AT = "position:absolute;left:100px;top:50px;width:80px;height:30px"


@pytest.mark.parametrize(
    ("html", "evidence"),
    [
        pytest.param("<button>a</button>", Evidence.ROLE, id="role"),
        pytest.param("<div contenteditable>a</div>", Evidence.ROLE, id="contenteditable"),
        pytest.param("<div tabindex=0>a</div>", Evidence.FOCUSABLE, id="tabindex"),
        pytest.param("<div style='cursor:pointer'>a</div>", Evidence.CURSOR, id="hand"),
        pytest.param(
            "<div id=x>a</div><script>x.addEventListener('click', () => {})</script>", Evidence.LISTENER, id="listener"
        ),
    ],
)
async def test_what_somebody_would_act_on_carries_its_evidence(
    browser: BrowserSession, site: str, html: str, evidence: Evidence
) -> None:
    element = only(await truth_of(browser, site, html))
    assert evidence in element.evidence
    assert element.reachable


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<p>text</p><img alt=x width=20 height=20>", id="content"),
        pytest.param("<div tabindex=-1>focused by scripts alone</div>", id="negative-tabindex"),
        pytest.param(
            "<div style='overflow:auto;height:40px'><div style='height:400px'>scrolls</div></div>", id="scroller"
        ),
        pytest.param("<script>document.body.addEventListener('click', () => {})</script>page", id="delegation"),
        pytest.param(
            "<div onclick=1 style='width:1000px;height:700px'>a card as large as the page</div>", id="large-listener"
        ),
        pytest.param("<button hidden>x</button><button style='visibility:hidden'>y</button>", id="hidden"),
    ],
)
async def test_noninteractive_elements_are_not_listed(browser: BrowserSession, site: str, html: str) -> None:
    assert not (await truth_of(browser, site, html)).elements


async def test_a_listener_around_controls_is_not_one_itself(browser: BrowserSession, site: str) -> None:
    truth = await truth_of(browser, site, "<div onclick=1 style='width:200px'><button>a</button></div>")
    assert only(truth).role == "button"


@pytest.mark.parametrize(
    ("html", "reachable"),
    [
        pytest.param(f"<button style='{AT}'>a</button>", True, id="free"),
        pytest.param(f"<button style='{AT}'>a</button><div style='{AT};background:red'></div>", False, id="covered"),
        pytest.param(
            f"<button style='{AT}'>a</button><div style='{AT};width:60px;background:red'></div>",
            True,
            id="covered-in-part",
        ),
        pytest.param(f"<button style='{AT};pointer-events:none'>a</button>", False, id="no-pointer-events"),
        pytest.param("<button style='position:absolute;top:5000px'>a</button>", None, id="below-the-fold"),
        pytest.param(
            "<div style='overflow:hidden;width:50px;height:50px'><button style='margin-left:300px'>a</button></div>",
            False,
            id="cut-off",
        ),
    ],
)
async def test_reachable_is_what_a_click_hits(
    browser: BrowserSession, site: str, html: str, reachable: bool | None
) -> None:
    element = only(await truth_of(browser, site, html))
    assert element.reachable is reachable
    if reachable:
        assert element.click_point is not None
        assert element.box.left <= element.click_point[0] < element.box.right


async def test_a_hidden_checkbox_is_reached_by_its_label_and_has_its_box(browser: BrowserSession, site: str) -> None:
    hidden = "position:absolute;opacity:0;width:1px;height:1px"
    html = f"<label style='{AT}'><input type=checkbox style='{hidden}'>Agree</label>"
    element = only(await truth_of(browser, site, html))
    assert (element.role, element.name, element.reachable) == ("checkbox", "Agree", True)
    assert element.box == Box(100, 50, 180, 80)


MARKS = (
    "<style>input {position:absolute; opacity:0} label {position:absolute; left:124px; top:50px}"
    "label::before, b::before {content:''; position:absolute; left:-24px; top:2px; width:16px; height:16px;"
    "border:1px solid} label:has(b)::before {display:none}</style>"
)


@pytest.mark.parametrize(
    "html",
    ["<input type=checkbox id=a><label for=a>Agree</label>", "<label><input type=radio><b>Agree</b></label>"],
    ids=["of-its-label", "of-the-element-behind"],
)
async def test_a_transparent_checkbox_is_where_its_mark_is_painted(
    browser: BrowserSession, site: str, html: str
) -> None:
    element = only(await truth_of(browser, site, MARKS + html))
    assert (element.box, element.reachable) == (Box(100, 52, 118, 70), True)
    assert element.click_point == (109, 61)


async def test_of_what_is_cut_off_in_part_the_box_is_what_can_be_seen(browser: BrowserSession, site: str) -> None:
    html = (
        "<div style='overflow:hidden;width:60px;height:40px'><button style='width:200px;height:30px'>a</button></div>"
    )
    assert only(await truth_of(browser, site, html)).box == Box(0, 0, 60, 30)


async def test_scrolling_moves_boxes_and_hits_alike(browser: BrowserSession, site: str) -> None:
    html = "<div style='height:1000px'></div><button style='display:block;width:90px;height:40px'>a</button>"
    html += "<div style='height:2000px'></div><script>scrollTo(0, 900)</script>"
    element = only(await truth_of(browser, site, html))
    assert element.box == Box(0, 100, 90, 140)
    assert element.reachable


@pytest.mark.parametrize("which", ["site", "other_site"])
async def test_frames_of_this_and_of_another_process_are_entered(
    browser: BrowserSession, site: str, other_site: str, which: str
) -> None:
    origin = site if which == "site" else other_site
    inner = quote("<!doctype html><body style=margin:0><button style='width:400px;height:30px'>In</button>")
    src = f"{origin}/html?body={inner}"
    frame = (
        f"<iframe style='position:absolute;left:200px;top:100px;width:300px;height:200px;border:7px solid' src='{src}'>"
    )
    covered = await truth_of(
        browser, site, frame + "</iframe><div style='position:absolute;inset:0;background:#eee'></div>"
    )
    assert only(covered).reachable is False
    element = only(await truth_of(browser, site, frame + "</iframe>"))
    assert (element.name, element.reachable) == ("In", True)
    assert element.box == Box(207, 107, 507, 137)


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        pytest.param("<button>Save</button>", ElementKind.TEXT, id="words"),
        pytest.param("<button aria-label=Save>&#xf0c7;</button>", ElementKind.ICON, id="icon-font"),
        pytest.param("<button aria-label=Save><svg width=9 height=9></svg></button>", ElementKind.ICON, id="drawing"),
        pytest.param("<input placeholder=Search>", ElementKind.TEXT, id="placeholder"),
    ],
)
async def test_a_thing_that_shows_words_is_text_else_an_icon(
    browser: BrowserSession, site: str, html: str, kind: ElementKind
) -> None:
    assert only(await truth_of(browser, site, html)).kind is kind


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        pytest.param("<p>One <b>bold</b> word</p>", ["One bold word"], id="runs-of-a-line"),
        pytest.param("<p style='width:60px'>first second</p>", ["first", "second"], id="wrapped"),
        pytest.param("<table><td style='width:200px'>a1<td>b2</table>", ["a1", "b2"], id="cells"),
        pytest.param("<p style='text-transform:uppercase'>loud</p>", ["LOUD"], id="as-drawn"),
        pytest.param("<p style='opacity:0'>ghost</p><p style='visibility:hidden'>gone</p>", [], id="transparent"),
        pytest.param(
            f"<p style='{AT}'>under</p><div style='{AT};background:#fff;height:90px'></div>", [], id="covered"
        ),
        pytest.param(f"<p style='{AT}'>seen</p><a href=# style='{AT};height:90px'></a>", ["seen"], id="under-glass"),
        pytest.param("<div style='overflow:hidden;height:0'><p>cut off</p></div>", [], id="cut-off"),
        pytest.param("<input value=typed><input type=password value=secret>", [], id="never-a-fields-value"),
        pytest.param("<p style='position:absolute;top:900px'>below</p>", [], id="below-the-fold"),
        pytest.param("<p>&#xf0c7;</p>", [], id="icon-font"),
    ],
)
async def test_lines_are_what_a_person_can_read(
    browser: BrowserSession, site: str, html: str, lines: list[str]
) -> None:
    assert [line.text for line in (await truth_of(browser, site, html)).lines] == lines


async def test_pictures_are_unknown_and_large_ones_count_as_opaque(browser: BrowserSession, site: str) -> None:
    truth = await truth_of(browser, site, "<canvas width=640 height=400 style='display:block'></canvas>")
    assert truth.unknown == (Box(0, 0, 640, 400),)
    assert truth.opaque_share == pytest.approx(0.25)
    assert (await truth_of(browser, site, "<svg width=20 height=20></svg>")).opaque_share == 0


async def test_the_accessibility_tree_is_kept_without_mere_text(browser: BrowserSession, site: str) -> None:
    truth = await truth_of(browser, site, "<h1>Title</h1><p>words</p><button>Go</button>")
    assert [(node.role, node.name, node.interactive) for node in truth.ax] == [
        ("heading", "Title", False),
        ("button", "Go", True),
    ]

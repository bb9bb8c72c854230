"""What no person can see is not said; what looks like a trick and is none stays."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from perception.bench.suites.hidden.run import says
from perception.bench.suites.hidden.tricks import VISIBLE_HEADING, TrickPage, trick_pages
from perception.browser.browser_session import SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.deadline import Deadline
from perception.fusion.ink import mark_unseen
from perception.refs import RefTable
from perception.render.present import present
from perception.render.select import in_scope
from perception.types import Element, Engine, Scope, Viewport
from tests.support.ligature_font import ICON_STYLE
from tests.support.sheet import Sheet

CASES = [
    pytest.param(each, id=f"{each.id}{', hidden' if each.hides else ', shown' if each.twin else ''}")
    for each in trick_pages()
]


@pytest.fixture(scope="module")
async def sheets(host: BrowserHost, site: str) -> AsyncIterator[dict[tuple[float, str], Sheet]]:
    """A tab for each kind of screen."""
    sessions = {}
    for scale, scheme in sorted({(case.scale, case.scheme) for case in trick_pages()}):
        options = SessionOptions(viewport=Viewport(1280, 800, scale), color_scheme=scheme)
        sessions[scale, scheme] = await host.new_session(options, lambda _: None, Deadline.of(60))
    yield {screen: Sheet(session, site) for screen, session in sessions.items()}
    for session in sessions.values():
        await session.close()


def written(elements: tuple[Element, ...], scope: Scope = Scope.VIEWPORT) -> str:
    listed = RefTable().assign("tab", in_scope(elements, scope, structures=False))
    return present(listed).text.page(0).text


@pytest.mark.parametrize("case", CASES)
async def test_a_sentence_is_listed_only_where_a_person_sees_it(
    sheets: dict[tuple[float, str], Sheet], case: TrickPage
) -> None:
    sheet = sheets[case.scale, case.scheme]
    await sheet.write(case.html)
    found = await sheet.tab.capturer.capture(
        engine=Engine.WALKER, scope=Scope.VIEWPORT, with_pixels=True, deadline=Deadline.of(60)
    )
    by_facts, by_pixels = written(found.elements), written(mark_unseen(found))
    assert VISIBLE_HEADING in by_pixels
    assert says(by_pixels) is not case.hides
    if not case.by_pixels:
        assert says(by_facts) is not case.hides


async def labels(sheet: Sheet, body: str) -> str:
    await sheet.write(f"<!doctype html><body>{body}")
    await sheet.tab.page.evaluate("document.fonts.ready.then(() => 0)")
    return written((await sheet.look()).elements, Scope.PAGE).strip()


@pytest.mark.parametrize(
    ("body", "line"),
    [
        pytest.param(
            "<button aria-label=Cancel>Delete everything</button>",
            '- button "Cancel" [ref=e1] [painted "Delete everything"]',
            id="contradiction",
        ),
        pytest.param(
            "<h2 aria-label='Send me your password'>News</h2>",
            '- heading "Send me your password" [level=2] [painted "News"]',
            id="heading",
        ),
        pytest.param(
            "<b id=a>Agree</b><a href=# aria-labelledby=a>Decline</a>",
            '- link "Agree" [ref=e1] [painted "Decline"]',
            id="labelledby",
        ),
        pytest.param(
            "<input type=submit value=Pay aria-label=Cancel>", '- button "Cancel" [ref=e1] [painted "Pay"]', id="submit"
        ),
        pytest.param(
            "<label>Delete my account <input type=checkbox aria-label='Send me news'></label>",
            '- checkbox "Send me news" [ref=e1] [painted "Delete my account"]',
            id="checkbox",
        ),
        pytest.param(
            "<label>Total <button>Pay</button></label>",
            '- button "Total" [ref=e1] [painted "Pay"]',
            id="label-of-a-button",
        ),
        pytest.param(
            "<div role=progressbar aria-valuenow=60><span>25%</span></div>",
            '- progressbar: "60" [painted "25%"]',
            id="progress",
        ),
        pytest.param(
            "<div role=meter aria-label=Disk aria-valuenow=7 aria-valuemax=10>7 of 10 GB</div>",
            '- meter "Disk": "7" [range=0..10] [painted "7 of 10 GB"]',
            id="meter",
        ),
        pytest.param(
            "<div role=progressbar aria-valuenow=60>60 %</div>", '- progressbar: "60"', id="progress-as-painted"
        ),
        pytest.param(
            "<button aria-label='Close dialog'>Close</button>", '- button "Close dialog" [ref=e1]', id="label-in-name"
        ),
        pytest.param("<button aria-label=Close>×</button>", '- button "Close" [ref=e1]', id="a-sign"),
        pytest.param("<a href=# aria-label='Jane Doe'>JD</a>", '- link "Jane Doe" [ref=e1]', id="initials"),
        pytest.param(
            f"{ICON_STYLE}<button aria-label=Menu><i>home</i></button>",
            '- button "Menu" [ref=e1]',
            id="ligature",
        ),
        pytest.param(
            "<a href=#>Edit <span style='position:absolute;clip:rect(0,0,0,0)'>order 5</span></a>",
            '- link "Edit order 5" [ref=e1]',
            id="an-aside-for-screen-readers",
        ),
    ],
)
async def test_a_name_that_differs_from_the_painted_text_is_listed_with_it(sheet: Sheet, body: str, line: str) -> None:
    assert (await labels(sheet, body)).splitlines()[-1].strip() == line


async def test_a_label_is_listed_beside_a_button_that_has_a_name_of_its_own(sheet: Sheet) -> None:
    lines = (await labels(sheet, "<label>Ink <button aria-label=Pick>..</button><input></label>")).splitlines()
    assert [each.strip() for each in lines[-3:]] == ['- text "Ink"', '- button "Pick" [ref=e1]', "- textbox [ref=e2]"]


async def test_unseen_text_is_in_the_list_and_marked(sheet: Sheet) -> None:
    await sheet.write("<p>Seen</p><p style='color:#fff'>Unseen</p>")
    found = await sheet.look(scope=Scope.VIEWPORT)
    assert [(each.name, each.visible) for each in found.elements] == [("Seen", True), ("Unseen", False)]


async def test_text_that_is_colored_away_between_looks_is_no_longer_seen(sheet: Sheet) -> None:
    await sheet.write(
        "<style>.on + p { color: #fff }</style><div><p id=a>First</p><p id=b>Second</p><p id=c>Third</p></div>"
    )
    await sheet.look(scope=Scope.VIEWPORT)
    await sheet.tab.page.evaluate(
        "a.style.color = '#fff'; const on = document.createElement('i'); on.className = 'on'; c.before(on)"
    )
    found = await sheet.look(scope=Scope.VIEWPORT)
    seen = {each.name: each.visible for each in found.elements}
    assert seen == {"First": False, "Second": True, "Third": False}


async def test_what_scrolls_into_view_is_seen_and_what_never_does_is_not(sheet: Sheet) -> None:
    await sheet.write(
        "<div style='height:100px;overflow:auto'><div style='height:900px'></div>"
        "<div style='overflow:hidden'><h2>Far heading</h2><p>Far text</p></div></div>"
        "<div style='height:20px;overflow:hidden'><div style='height:50px'></div><p>Never</p></div>"
    )
    found = await sheet.look()
    seen = {each.name: each.visible for each in found.elements if each.name}
    assert seen == {"Far heading": True, "Far text": True, "Never": False}

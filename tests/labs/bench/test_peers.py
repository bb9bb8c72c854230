"""Peers' texts as they gave them for real pages (Playwright 1.65.2 and agent-browser 0.27.0, Chromium 156): the test
pages `form` and `frames`, and `login`, an example page of semantic-ui (MIT)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from perception.bench.looks.look_output import ListedElement, LookOutput
from perception.bench.looks.peer_lists import PeerTextError, plain_text, seen_of
from perception.browser.browser_session import BrowserSession
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.page.navigation import WaitUntil, navigate
from perception.datasets.sample import PeerView
from perception.datasets.sources.arrival import arrive
from perception.datasets.sources.peer_snapshots import Peer, installed_peers, witness
from perception.deadline import Deadline
from perception.geometry import Box
from perception.types import Viewport

DATA = Path(__file__).parent / "data"
VIEWPORT = Viewport(1280, 800, 1.0)


def view(peer: str, text: str) -> PeerView:
    return PeerView(peer, "1.0", text, (20.0, 10.0))


def golden(peer: str, page: str) -> LookOutput:
    text = (DATA / f"{peer}-{page}.txt").read_text().removesuffix("\n")
    return seen_of(view(peer, text), page, "abc", viewport=VIEWPORT)


def playwright(text: str) -> tuple[ListedElement, ...]:
    return seen_of(view("playwright", text), "page", "abc", viewport=VIEWPORT).elements


def agent_browser(text: str) -> tuple[ListedElement, ...]:
    return seen_of(view("agent-browser", text), "page", "abc").elements


def offered(seen: LookOutput) -> list[tuple[str, str, str]]:
    """Role, name and value of what is listed as something that can be acted on now."""
    return [(each.role, each.name, each.value) for each in seen.elements if each.interactive and each.reachable]


FORM = [
    ("link", "home", ""),
    ("textbox", "Email", "a@b.co"),
    ("checkbox", "Gift wrap", ""),
    ("button", "Save", ""),
    ("button", "Save", ""),
    ("button", "Pay", ""),
    ("button", "", ""),
    ("button", "Send", ""),
    ("button", "Hidden below", ""),
    ("generic", "", ""),
    ("button", "Far below", ""),
]
"""What both peers offer of the form, in its order."""


def test_playwrights_form_is_read() -> None:
    found = offered(golden("playwright", "form"))
    assert [each for each in found if each in FORM] == FORM
    assert [each for each in found if each not in FORM] == [
        ("textbox", "Password", "hunter2"),
        ("combobox", "Size", ""),
        ("textbox", "Note", "two lines"),
    ]


def test_agent_browsers_form_is_read() -> None:
    found = offered(golden("agent-browser", "form"))
    assert [each for each in found if each in FORM] == FORM
    assert [each for each in found if each not in FORM] == [
        ("textbox", "Password", "•••••••"),
        ("combobox", "Size", "Large"),
        ("option", "Small", ""),
        ("option", "Large", ""),
        ("textbox", "Note", "two\nlines"),
    ]


@pytest.mark.parametrize("peer", ["playwright", "agent-browser"])
def test_a_target_known_by_pointer_only_is_offered_and_named_by_its_content(peer: str) -> None:
    pointed = [each for each in golden(peer, "form").elements if each.role == "generic" and each.interactive]
    assert [each.text for each in pointed] == ["Pointer only"]


@pytest.mark.parametrize("peer", ["playwright", "agent-browser"])
def test_a_button_without_a_role_is_named_by_its_content(peer: str) -> None:
    pointed = [each for each in golden(peer, "login").elements if each.role == "generic" and each.interactive]
    assert [each.text for each in pointed] == ["Login"]


@pytest.mark.parametrize("peer", ["playwright", "agent-browser"])
def test_headings_are_not_offered(peer: str) -> None:
    assert [each.name for each in golden(peer, "form").elements if each.role == "heading"] == ["Checkout"]
    assert "heading" not in {role for role, _, _ in offered(golden(peer, "form"))}


@pytest.mark.parametrize("peer", ["playwright", "agent-browser"])
def test_all_text_is_in_the_list(peer: str) -> None:
    said = " ".join(f"{each.name} {each.text} {each.value}" for each in golden(peer, "form").elements)
    for words in ("Ship to", "home", "today", "Gift wrap", "Veil", "Unseen words"):
        assert words in said


def test_boxes_are_where_playwright_says() -> None:
    boxes = {each.name: each.box for each in golden("playwright", "form").elements}
    assert boxes["Gift wrap"] == Box(510, 139, 523, 152)
    assert boxes["Far below"] == Box(8, 3220, 88, 3241)


def test_what_is_out_of_the_viewport_is_known() -> None:
    outside = [each.name for each in golden("playwright", "form").elements if not each.in_viewport and each.ref]
    assert outside == ["Far below"]


def test_what_has_no_ref_is_not_offered() -> None:
    options = [each for each in golden("playwright", "form").elements if each.role == "option"]
    assert [(each.name, each.reachable) for each in options] == [("Small", False), ("Large", False)]


def test_boxes_in_frames_are_moved_to_where_the_frame_is() -> None:
    seen = golden("playwright", "frames")
    buttons = {each.ref: each.box for each in seen.elements if each.name == "Inner button"}
    assert buttons == {"f1e3": Box(16, 132, 115, 153), "f2e3": Box(445, 152, 544, 173)}


def test_boxes_in_a_frame_in_a_frame_are_moved_by_both() -> None:
    elements = playwright(
        "- iframe [ref=e1] [box=100,10,500,500]:\n"
        "  - iframe [ref=f1e1] [box=20,30,300,300]:\n"
        '    - button "In" [ref=f2e1] [box=1,2,10,10]\n'
        '- button "Out" [ref=e2] [box=1,2,10,10]'
    )
    assert {each.name: each.box for each in elements if each.role == "button"} == {
        "In": Box(121, 42, 131, 52),
        "Out": Box(1, 2, 11, 12),
    }


def test_agent_browser_lists_what_is_in_frames_and_gives_no_boxes() -> None:
    seen = golden("agent-browser", "frames")
    assert [each.name for each in seen.elements if each.role == "button"] == [
        "Inner button",
        "Inner button",
        "In shadow",
    ]
    assert not any(each.box for each in seen.elements)


@pytest.mark.parametrize("peer", ["playwright", "agent-browser"])
def test_a_look_says_who_when_and_how_long(peer: str) -> None:
    seen = golden(peer, "form")
    assert (seen.who, seen.sample, seen.id) == (peer, "form", "abc")
    assert seen.milliseconds == {"first": 20.0, "warm": 10.0}


def test_boxes_cost_playwright_no_tokens() -> None:
    seen = golden("playwright", "form")
    assert "[box=" not in seen.text
    assert seen.tokens < len(seen.text)


def test_a_blank_value_at_the_end_of_agent_browsers_text_is_none() -> None:
    (field,) = agent_browser('- textbox "Code" [ref=e1]:')
    assert (field.role, field.name, field.value) == ("textbox", "Code", "")


def test_agent_browsers_text_is_what_it_gave() -> None:
    text = (DATA / "agent-browser-form.txt").read_text()
    assert plain_text(view("agent-browser", text)) == text


@pytest.mark.parametrize(
    ("line", "role", "name", "text"),
    [
        ("- button", "button", "", ""),
        ('- button "A \\"b\\" [box=1,2,3,4]" [ref=e1] [box=5,6,7,8]', "button", 'A "b" [box=1,2,3,4]', ""),
        ("- 'button \"Size: large\" [ref=e1]'", "button", "Size: large", ""),
        ("- 'button \"It''s: so\" [ref=e1]'", "button", "It's: so", ""),
        ('- \'button "A: b" [ref=e1]\': "yes"', "button", "A: b", "yes"),
        ('- code [ref=e1]: "a\\x07\\\\x07 \\"b\\""', "code", "", 'a\x07\\x07 "b"'),
        ("- paragraph [ref=e1]: a - b", "paragraph", "", "a - b"),
        ('- text: "- [x] y"', "text", "", "- [x] y"),
        ('- button "line\\nbreak" [ref=e1]', "button", "line\nbreak", ""),
        ('- button "half \\ud83d" [ref=e1]', "button", "half ?", ""),
    ],
    ids=[
        "bare",
        "box-in-name",
        "colon",
        "apostrophe",
        "both-quoted",
        "escapes",
        "dash",
        "text",
        "newline",
        "half-pair",
    ],
)
def test_a_line_of_playwrights_is_read_as_yaml_and_json(line: str, role: str, name: str, text: str) -> None:
    (element,) = playwright(line)
    assert (element.role, element.name, element.text) == (role, name, text)


def test_only_the_mark_is_taken_out_not_the_name() -> None:
    line = "- 'button \"A: [box=1,2,3,4]\" [ref=e1] [box=5,6,7,8]':"
    assert plain_text(view("playwright", line)) == "- 'button \"A: [box=1,2,3,4]\" [ref=e1]':"


def test_a_fields_text_is_its_value_and_its_placeholder_is_its_text() -> None:
    (field,) = playwright('- textbox "Find" [ref=e1]:\n  - /placeholder: Words\n  - text: cat')
    assert (field.value, field.text) == ("cat", "Words")


def test_text_has_the_position_of_its_parent() -> None:
    elements = playwright('- generic [ref=e1] [box=1,2,3,4]:\n  - text: a\n  - link "b" [ref=e2] [box=1,2,1,1]')
    assert [each.box for each in elements if each.role == "text"] == [Box(1, 2, 4, 6)]


def test_a_value_of_several_lines_is_one_value() -> None:
    (field,) = agent_browser('- textbox "Code" [ref=e1]: \nfunction f() {\n\n  return 1\n}')
    assert field.value == "\nfunction f() {\n\n  return 1\n}"


@pytest.mark.parametrize(
    ("line", "interactive"),
    [
        ('- button "A" [disabled, ref=e1]', True),
        ('- option "A" [selected, ref=e1]', True),
        ('- cell "A" [ref=e1]', False),
        ('- cell "A" [ref=e1] clickable [cursor:pointer]', True),
        ("- generic [ref=e1] focusable [tabindex]", True),
        ('- Iframe "A" [ref=e1]', False),
        ('- StaticText "A"', False),
    ],
    ids=["button", "option", "cell", "clickable-cell", "focusable", "frame", "text"],
)
def test_what_agent_browser_means_to_be_acted_on(line: str, interactive: bool) -> None:
    (element,) = agent_browser(line)
    assert element.interactive is interactive
    assert element.role != "StaticText"


@pytest.mark.parametrize(
    ("peer", "text"), [("playwright", ""), ("agent-browser", "(empty page)"), ("agent-browser", "")]
)
def test_an_empty_page_is_an_empty_list(peer: str, text: str) -> None:
    seen = seen_of(view(peer, text), "page", "abc")
    assert seen.elements == ()
    assert seen.placed is (peer == "playwright")


@pytest.mark.parametrize(
    ("peer", "text"),
    [
        ("playwright", "button"),
        ("playwright", '- button "unfinished'),
        ("playwright", '- \'button "a"'),
        ("agent-browser", "Error: no page"),
        ("somebody", "- button"),
    ],
)
def test_a_text_of_another_form_is_an_error_not_an_empty_list(peer: str, text: str) -> None:
    with pytest.raises(PeerTextError, match=peer):
        seen_of(view(peer, text), "page", "abc")


NAMES = (
    'a "quoted" name',
    "it's",
    "a: b",
    "back\\slash \\x07",
    "- dash",
    "[ref=e1] [box=1,2,3,4]",
    "#hash # more",
    "{curly} `tick`",
    "yes",
    "007",
    "日本語 العربية 🎉",
)


@pytest.mark.parametrize("peer", installed_peers(), ids=lambda peer: peer.name)
async def test_names_come_back_as_the_page_has_them(host: BrowserHost, browser: BrowserSession, peer: Peer) -> None:
    tab = browser.tab()
    await tab.page.evaluate(
        "names => { for (const name of names) document.body.append(Object.assign("
        "document.createElement('button'), { textContent: name })) }",
        list(NAMES),
    )
    found = await witness(peer, tab, host.endpoint, Deadline.of(30))
    buttons = [each.name for each in seen_of(found, "page", "abc").elements if each.role == "button"]
    assert buttons == list(NAMES)


async def test_boxes_in_a_frame_are_off_by_its_border_and_padding_only(browser: BrowserSession, site: str) -> None:
    tab = browser.tab()
    await navigate(tab.link, f"{site}/frames.html", WaitUntil.SETTLED, Deadline.of(20))
    await arrive(tab, Deadline.of(20))
    text = await tab.page.aria_snapshot(mode="ai", boxes=True)
    elements = seen_of(view("playwright", text), "page", "abc").elements
    (field, _) = [each for each in elements if each.name == "Inner field"]
    frame = tab.page.frame_locator("#same")
    true = await frame.get_by_label("Inner field").bounding_box()
    assert true is not None
    assert field.box is not None
    assert (round(true["x"]) - field.box.left, round(true["y"]) - field.box.top) == (12, 12)


@pytest.mark.parametrize("page", ["form", "frames", "canvas"])
async def test_without_boxes_the_text_is_what_playwright_gives_without(
    browser: BrowserSession, site: str, page: str
) -> None:
    tab = browser.tab()
    await navigate(tab.link, f"{site}/{page}.html", WaitUntil.SETTLED, Deadline.of(20))
    await arrive(tab, Deadline.of(20))
    await tab.page.evaluate(
        "names => { for (const name of names) document.body.append(Object.assign("
        "document.createElement('button'), { textContent: name })) }",
        list(NAMES),
    )
    boxed = await tab.page.aria_snapshot(mode="ai", boxes=True)
    assert "[box=" in boxed
    assert plain_text(view("playwright", boxed)) == await tab.page.aria_snapshot(mode="ai")
    assert json.dumps(NAMES[5])[1:-1] in plain_text(view("playwright", boxed))

"""What a person does in a window beside clicks and fields: real mouse and keys on a real page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from perception.subroutines.recording import Event
from tests.support.sheet import Sheet
from tests.support.stage import Stage
from tests.support.waiting import until


@pytest.fixture
async def stage(sheet: Sheet, site: str) -> AsyncIterator[Stage]:
    stage = Stage(sheet.tab, site)
    yield stage
    await stage.close()


async def done(stage: Stage) -> list[Event]:
    """What was recorded after the page was opened."""
    return list((await stage.stop()).events)[1:]


LIST = """<!doctype html><style>li { width: 200px; height: 40px; user-select: none }</style>
<ul><li id=a>Alpha</li><li id=b>Beta</li></ul><p id=text>Some words that are long enough to be selected</p>
<input type=range aria-label=Size><script>
a.addEventListener('pointerdown', () => { onpointermove = (event) => { a.style.top = event.clientY + 'px'; }; });
onpointerup = () => { onpointermove = null; };</script>"""


async def test_pull_of_one_item_to_another_is_a_drag_with_its_place(stage: Stage) -> None:
    await stage.record(LIST)
    mouse = stage.page.mouse
    start, end = [await stage.page.locator(each).bounding_box() for each in ("#a", "#b")]
    assert start is not None
    assert end is not None
    await mouse.move(start["x"] + 50, start["y"] + 20)
    await mouse.down()
    await mouse.move(end["x"] + 50, end["y"] + 10, steps=5)
    await mouse.move(end["x"] + 50, end["y"] + 30, steps=5)
    await mouse.up()
    (drag,) = await done(stage)
    assert (drag.kind, drag.target.text, drag.to.text, drag.value) == ("drag", "Alpha", "Beta", [0.25, 0.75])


async def test_selecting_text_and_moving_a_slider_are_no_drags(stage: Stage) -> None:
    await stage.record(LIST)
    mouse = stage.page.mouse
    for selector in ("#text", "input"):
        box = await stage.page.locator(selector).bounding_box()
        assert box is not None
        await mouse.move(box["x"] + 10, box["y"] + 5)
        await mouse.down()
        await mouse.move(box["x"] + 90, box["y"] + 6, steps=5)
        await mouse.up()
    assert "drag" not in {each.kind for each in await done(stage)}


async def test_drag_on_a_canvas_is_left_out_in_words(stage: Stage) -> None:
    await stage.record("<canvas width=300 height=200 aria-label=Drawing></canvas>")
    mouse = stage.page.mouse
    await mouse.move(50, 50)
    await mouse.down()
    await mouse.move(150, 120, steps=4)
    await mouse.up()
    recording = await stage.stop()
    assert [each for each in recording.unrecorded if "a drag on a canvas" in each]
    assert set(recording.unrecorded) <= set(recording.left_out)


async def test_answers_to_dialogs_are_recorded_with_their_texts(stage: Stage) -> None:
    await stage.record("<button onclick=\"prompt('Name of the list'); confirm('Sure?')\">New</button>")
    dialogs = stage.tab.link.dialogs
    await stage.page.evaluate("() => setTimeout(() => document.querySelector('button').click(), 0)")
    for accept, text in ((True, "Plants"), (False, "")):
        await until(lambda: dialogs.open is not None)
        await dialogs.answer(accept=accept, text=text, deadline=stage.deadline)
    told = [(each.kind, each.target.role, each.target.name, each.value) for each in await done(stage)]
    assert told == [("prompt", "prompt", "Name of the list", "Plants"), ("dialog", "confirm", "Sure?", False)]


async def test_text_in_a_document_that_a_script_wrote_is_recorded(stage: Stage) -> None:
    await stage.record(
        "<iframe id=letter></iframe><script>const inner = letter.contentDocument; inner.open();"
        "inner.write('<body contenteditable>'); inner.close();</script>"
    )
    await stage.page.frame_locator("iframe").locator("body").click()
    await stage.page.keyboard.type("Dear Ana")
    (typed,) = await done(stage)
    assert (typed.kind, typed.value, typed.target.owner) == ("type", "Dear Ana", "letter")


async def test_enter_that_sends_from_an_editor_is_a_key_and_one_that_breaks_a_line_is_not(stage: Stage) -> None:
    await stage.record(
        "<div id=chat contenteditable role=textbox aria-label=Chat></div><script>chat.onkeydown = (event) => {"
        "if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); chat.textContent = ''; } }</script>"
        "<div id=note contenteditable role=textbox aria-label=Note></div>"
    )
    for selector in ("#chat", "#note"):
        await stage.page.click(selector)
        await stage.page.keyboard.type("one")
        await stage.page.keyboard.press("Enter")
        await stage.page.keyboard.type("two")
    told = [(each.kind, each.target.name, each.value) for each in await done(stage)]
    assert told == [
        ("type", "Chat", "one"),
        ("press", "Chat", "Enter"),
        ("type", "Chat", "two"),
        ("type", "Note", "one\ntwo"),
    ]


async def test_secret_answer_to_a_prompt_is_masked(stage: Stage) -> None:
    await stage.record("<title>x</title>")
    await stage.page.evaluate("() => setTimeout(() => prompt('Your password'), 0)")
    dialogs = stage.tab.link.dialogs
    await until(lambda: dialogs.open is not None)
    await dialogs.answer(accept=True, text="hunter22", deadline=stage.deadline)
    (told,) = await done(stage)
    assert ("hunter22" in str(told), told.secret) == (False, "password")


async def test_menu_that_a_script_opens_on_hover_names_what_the_pointer_was_on(stage: Stage) -> None:
    await stage.record(
        "<button id=more>More</button><div id=menu></div><script>more.onmouseenter = () => {"
        "menu.innerHTML = '<button id=archive>Archive</button>'; }</script>"
    )
    await stage.page.hover("#more")
    await stage.page.click("#archive")
    told = [(each.kind, each.target.name) for each in await done(stage)]
    assert told == [("hover", "More"), ("click", "Archive")]


async def test_frame_of_an_address_has_no_owner_in_its_way(stage: Stage) -> None:
    await stage.record(f"<iframe name=inner src='/html?body={quote('<button>Inside</button>')}'></iframe>")
    await stage.page.frame_locator("iframe").locator("button").click()
    (clicked,) = await done(stage)
    assert (clicked.target.frame, clicked.target.owner) == ("/html", "inner")

"""A person's input: each event lands exactly where it was pointed at, on every screen, and each is acknowledged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any
from urllib.parse import quote

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.client.input_events import key_requests
from perception.v1 import control_service_pb2 as pb

NOTING = """<meta name=viewport content="width=device-width"><title>Noting</title>
<style>body { margin: 0; width: 2000px; height: 3000px } #field { position: absolute; left: 40px; top: 40px }</style>
<input id=field><div id=rich contenteditable style="position: absolute; left: 40px; top: 90px; width: 100px">x</div>
<script>
const news = window.news = [];
for (const name of ['mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu', 'wheel', 'touchstart', 'touchmove',
  'touchend', 'touchcancel', 'paste'])
  addEventListener(name, event => {
    if (name === 'contextmenu') event.preventDefault();
    const fingers = [...(event.touches || [])].map(each => [each.identifier, each.clientX, each.clientY]);
    news.push({name, x: event.clientX, y: event.clientY, button: event.button, buttons: event.buttons,
      detail: event.detail, trusted: event.isTrusted, alt: event.altKey, fingers, deltaY: event.deltaY,
      pasted: event.clipboardData && event.clipboardData.getData('text')});
  }, {passive: true});
for (const name of ['keydown', 'keyup'])
  addEventListener(name, event => news.push({name, key: event.key, code: event.code, held: event.getModifierState(
    'Control') + '' + event.getModifierState('Shift') + event.getModifierState('Alt'), repeat: event.repeat,
    number: event.keyCode, location: event.location}));
</script>"""

ZOOMED = """new Promise(done => {
  let last = '', still = 0;
  const look = () => {
    const now = [visualViewport.offsetLeft, visualViewport.offsetTop, visualViewport.scale];
    still = String(now) === last && now[2] > 1.5 ? still + 1 : 0;
    last = String(now);
    if (still < 5) requestAnimationFrame(look); else done(now);
  };
  look() })"""
"""What is seen of the page, once fingers have zoomed it and it stays: their movements reach it a few frames later."""

SCROLLED = """new Promise(done => {
  const look = () => scrollY === 240 && news.length ? done(scrollY) : requestAnimationFrame(look);
  look() })"""

pytestmark = pytest.mark.usefixtures("kept_contexts")


def address(site: str, html: str) -> str:
    return f"{site}/html?body={quote(html)}"


@pytest.fixture(scope="module")
async def page(client: AsyncClient, site: str) -> AsyncIterator[AsyncPage]:
    page = await client.open(address(site, NOTING), allow_evaluate=True)
    yield page
    await page.close()


@pytest.fixture(autouse=True)
async def nothing_noted(page: AsyncPage) -> None:
    await page.evaluate(
        "news.length = 0; document.activeElement.blur(); field.value = ''; rich.textContent = 'x'; scrollTo(0, 0)"
    )


async def noted(page: AsyncPage, *names: str) -> list[dict[str, Any]]:
    found = json.loads((await page.evaluate("JSON.stringify(news)")) or "[]")
    return [each for each in found if not names or each["name"] in names]


def mouse(kind: str, x: float, y: float, **fields: Any) -> pb.SendInputRequest:
    kinds = {"move": pb.MouseInput.KIND_MOVE, "down": pb.MouseInput.KIND_DOWN, "up": pb.MouseInput.KIND_UP}
    return pb.SendInputRequest(mouse=pb.MouseInput(kind=kinds[kind], x=x, y=y, **fields))


def touch(kind: str, *points: Sequence[float]) -> pb.SendInputRequest:
    kinds = {"start": 1, "move": 2, "end": 3, "cancel": 4}
    fingers = [pb.TouchInput.Point(id=int(number), x=x, y=y) for number, x, y in points]
    return pb.SendInputRequest(touch=pb.TouchInput(kind=kinds[kind], points=fingers))  # type: ignore[arg-type]


SCREENS = {
    "scale 1": {"viewport": (800, 600)},
    "scale 2": {"viewport": (800, 600, 2)},
    "phone": {"device": "iPhone 15"},
}
POINTS = ((1, 1), (123, 77), (250.5, 333.5), (391, 650))


@pytest.mark.parametrize("screen", list(SCREENS))
@pytest.mark.parametrize("layout", ["device-width", "980"])
async def test_a_click_lands_at_the_point(client: AsyncClient, site: str, screen: str, layout: str) -> None:
    html = NOTING.replace("device-width", layout)
    async with await client.open(address(site, html), allow_evaluate=True, **SCREENS[screen]) as page:
        await page.evaluate("scrollTo(30, 200)")
        size = await page.evaluate("[innerWidth, innerHeight]")
        points = [(x, y) for x, y in POINTS if x < size[0] and y < size[1]]
        async with page.take_control() as person:
            for x, y in points:
                await person.click(x, y)
        clicks = await noted(page, "mousedown", "click")
        for name in ("mousedown", "click"):
            landed = [(each["x"], each["y"]) for each in clicks if each["name"] == name]
            assert landed == [pytest.approx((x, y), abs=1) for x, y in points]
        assert all(each["trusted"] for each in clicks)


async def test_a_click_lands_at_the_point_of_a_page_that_is_zoomed_in(client: AsyncClient, site: str) -> None:
    html = NOTING.replace("<title>", "<style>html { zoom: 1.5 }</style><title>")
    async with await client.open(address(site, html), allow_evaluate=True) as page:
        async with page.take_control() as person:
            await person.click(301, 153)
        (click,) = await noted(page, "click")
        assert await page.evaluate("news.filter(each => each.name === 'click').map(each => [each.x, each.y])")
        here = await page.evaluate("[document.documentElement.currentCSSZoom || 1, innerWidth]")
        assert (click["x"], click["y"]) == pytest.approx((301, 153), abs=1), here


async def test_a_double_click_and_the_other_button_are_what_they_are(page: AsyncPage) -> None:
    async with page.take_control() as person:
        await person.click(300, 300, count=2)
        await person.click(310, 300, button="right")
    assert [(each["x"], each["detail"]) for each in await noted(page, "dblclick")] == [(300, 2)]
    assert [(each["x"], each["button"]) for each in await noted(page, "contextmenu")] == [(310, 2)]


async def test_a_click_lands_at_the_point_of_a_page_that_fingers_have_zoomed(client: AsyncClient, site: str) -> None:
    apart = [touch("move", (0, 180 - 15 * step, 300), (1, 200 + 15 * step, 300)) for step in range(1, 11)]
    html = NOTING.replace("width: 2000px;", "")
    async with await client.open(address(site, html), allow_evaluate=True, device="iPhone 15") as page:
        async with page.take_control() as person:
            await person.send([touch("start", (0, 180, 300)), touch("start", (0, 180, 300), (1, 200, 300))])
            for each in apart:
                await person.send([each])
            await person.send([touch("end")])
            left, top, _ = await person.page.evaluate(ZOOMED)
            await person.click(left + 100, top + 80)
        (click,) = await noted(page, "click")
    assert (click["x"], click["y"]) == pytest.approx((left + 100, top + 80), abs=1)


async def test_a_click_reaches_a_frame_of_another_site(client: AsyncClient, site: str, other_site: str) -> None:
    inner = "<button style='position: absolute; left: 20px; top: 30px' onclick='this.textContent = `Hit`'>In</button>"
    outer = f"<iframe src='{address(other_site, inner)}' style='position: absolute; left: 100px; top: 50px'></iframe>"
    async with await client.open(address(site, outer)) as page:
        await page.snapshot(mode="text")
        async with page.take_control() as person:
            await person.click(130, 90)
        assert any(each.name == "Hit" for each in (await page.snapshot(mode="text")).elements)


async def test_keys_are_those_of_the_persons_keyboard(page: AsyncPage) -> None:
    async with page.take_control() as person:
        await person.click(50, 50)
        french = pb.KeyInput(kind=pb.KeyInput.KIND_DOWN, key="é", code="Digit2")
        at = pb.KeyInput(kind=pb.KeyInput.KIND_DOWN, key="@", code="KeyQ", modifiers=[1, 2])  # AltGr on Windows
        pad = pb.KeyInput(kind=pb.KeyInput.KIND_DOWN, key="7", code="Numpad7")
        held = pb.KeyInput(kind=pb.KeyInput.KIND_DOWN, key="a", code="KeyA", repeat=True)
        await person.send([pb.SendInputRequest(key=each) for each in (french, at, pad, held)])
        await person.press("ArrowLeft", modifiers=["shift"])
        await person.press("Delete")
    assert await page.evaluate("field.value") == "é@7"
    keys = {each["key"]: each for each in await noted(page, "keydown")}
    assert (keys["é"]["code"], keys["é"]["number"]) == ("Digit2", 50)
    assert (keys["7"]["location"], keys["7"]["number"]) == (3, 103)
    assert keys["a"]["repeat"]
    assert keys["ArrowLeft"]["held"] == "falsetruefalse"


async def test_shortcuts_select_undo_and_move(page: AsyncPage) -> None:
    async with page.take_control() as person:
        await person.click(50, 50)
        await person.type("one two")
        await person.press("Backspace", modifiers=["control"])
        assert await person.page.evaluate("field.value") == "one "
        await person.press("a", modifiers=["control"])
        await person.press("Delete")
        assert await person.page.evaluate("field.value") == ""
        await person.press("z", modifiers=["control"])
        assert await person.page.evaluate("field.value") == "one "


async def test_text_of_an_input_method_and_of_a_paste_goes_where_the_focus_is(page: AsyncPage) -> None:
    async with page.take_control() as person:
        await person.click(50, 50)
        await person.send([pb.SendInputRequest(text=pb.TextInput(text="日本 👍"))])
        await person.paste(" and this")
        await person.click(60, 95)
        await person.paste("pasted")
    assert await page.evaluate("field.value") == "日本 👍 and this"
    assert "pasted" in await page.evaluate("rich.textContent")
    assert [each["pasted"] for each in await noted(page, "paste")] == [" and this", "pasted"]
    assert (await page.read_clipboard()).text == ""


async def test_copying_keys_use_the_sessions_clipboard_until_control_is_given_back(page: AsyncPage) -> None:
    await page.write_clipboard("the agent's")
    async with page.take_control() as person:
        await person.click(50, 50)
        await person.type("mine")
        await person.press("a", modifiers=["control"])
        await person.press("c", modifiers=["control"])
        assert (await person.page.read_clipboard()).text == "mine"
        await person.press("End")
        await person.press("v", modifiers=["control"])
        assert await person.page.evaluate("field.value") == "minemine"
    assert (await page.read_clipboard()).text == "the agent's"


async def test_the_wheel_scrolls(page: AsyncPage) -> None:
    async with page.take_control() as person:
        await person.send([pb.SendInputRequest(wheel=pb.WheelInput(x=300, y=300, delta_y=240))])
        assert await person.page.evaluate(SCROLLED) == 240
        await person.page.wait_for(timeout_s=30, settled=True)
    assert await page.evaluate("scrollY") == 240
    assert [each["deltaY"] for each in await noted(page, "wheel")] == [240]


CARD_AND_PILE = """<style>div { position: absolute; width: 80px; height: 80px; top: 20px }</style>
    <div id=a draggable=true style="left: 20px; background: #aaf">Card</div>
    <div id=b style="left: 300px; background: #faa">Pile</div>
    <script>noted = []
    for (const name of ['dragstart', 'dragenter', 'dragover', 'drop', 'dragend', 'mouseup'])
        document.addEventListener(name, event => noted.push(name + event.clientX), true);
    a.ondragstart = event => event.dataTransfer.setData('text', 'card');
    b.ondragover = event => event.preventDefault();
    b.ondrop = event => { event.preventDefault(); document.title = 'dropped ' + event.dataTransfer.getData('text') }
    </script>"""


async def test_html_drag_and_drop_works(client: AsyncClient, site: str) -> None:
    async with await client.open(address(site, CARD_AND_PILE), allow_evaluate=True) as page:
        async with page.take_control() as person:
            for _ in range(3):
                moves = [mouse("move", 60 + 40 * step, 60) for step in range(1, 8)]
                await person.send([mouse("move", 60, 60), mouse("down", 60, 60), *moves, mouse("up", 340, 60)])
        assert await page.evaluate("document.title") == "dropped card"
        once = [
            "dragstart60",
            "dragenter100",
            *(f"dragover{x}" for x in (140, 180, 220, 260)),
            "dragenter300",
            *("dragover340", "dragover340", "drop340", "dragend340"),
        ]
        assert await page.evaluate("noted") == 3 * once


async def test_a_press_that_is_sent_twice_drags_once(client: AsyncClient, site: str) -> None:
    async with await client.open(address(site, CARD_AND_PILE), allow_evaluate=True) as page:
        async with page.take_control() as person:
            presses = [mouse("down", 60, 60)] * 2
            await person.send([*presses, mouse("move", 200, 60), mouse("move", 340, 60), mouse("up", 340, 60)])
        noted = await page.evaluate("noted")
    assert [each for each in noted if each.startswith(("dragstart", "drop", "dragend"))] == [
        *("dragstart60", "drop340", "dragend340")
    ]


@pytest.mark.parametrize("is_by_key", [True, False])
async def test_a_drag_that_is_broken_off_drops_nothing(client: AsyncClient, site: str, is_by_key: bool) -> None:
    async with await client.open(address(site, CARD_AND_PILE), allow_evaluate=True) as page:
        async with page.take_control() as person:
            await person.send([mouse("down", 60, 60), mouse("move", 200, 60), mouse("move", 340, 60)])
            if is_by_key:
                await person.send([*key_requests("Escape"), mouse("up", 340, 60)])
        noted = await page.evaluate("noted")
        assert noted[:3] == ["dragstart60", "dragenter200", "dragenter340"]
        assert [each for each in noted[3:] if each.startswith("drop")] == []
        assert sum(each.startswith("dragend") for each in noted) == 1


async def test_two_fingers_come_and_go(client: AsyncClient, site: str) -> None:
    fingers_down = [
        touch("start", (0, 100, 100)),
        touch("start", (0, 100, 100), (1, 200, 200)),
        touch("move", (0, 90, 100), (1, 220, 200)),
        touch("end", (1, 220, 200)),
        touch("end"),
    ]
    async with await client.open(address(site, NOTING), allow_evaluate=True, device="Pixel 7") as page:
        async with page.take_control() as person:
            await person.send(fingers_down)
        events = [(each["name"], each["fingers"]) for each in await noted(page) if each["name"].startswith("touch")]
    assert [name for name, _ in events if name != "touchmove"] == ["touchstart", "touchstart", "touchend", "touchend"]
    assert [len(fingers) for name, fingers in events if name != "touchmove"] == [1, 2, 1, 0]
    assert any(name == "touchmove" and fingers == [[0, 90, 100], [1, 220, 200]] for name, fingers in events)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        pytest.param(mouse("down", 5000, 5), "outside of the viewport of 1280 x 800", id="press-outside"),
        pytest.param(mouse("move", float("nan"), 5), "mouse.x is nan", id="no-number"),
        pytest.param(mouse("down", 5, 5, click_count=9), "click_count is 9", id="clicks"),
        pytest.param(pb.SendInputRequest(mouse=pb.MouseInput()), "mouse.kind 0 is not known", id="no-kind"),
        pytest.param(touch("start", (0, 5, 5)), "takes no touches: send MouseInput", id="no-touch-screen"),
        pytest.param(touch("start"), "name all fingers", id="no-finger"),
        pytest.param(touch("move", (0, 5, 5), (0, 6, 6)), "its own id", id="finger-twice"),
        pytest.param(key_requests("Dead")[0], "TextInput", id="dead-key"),
        pytest.param(key_requests("hunter2" * 9)[0], "names no key", id="long-key"),
        pytest.param(pb.SendInputRequest(text=pb.TextInput()), "text.text has 0 characters", id="no-text"),
        pytest.param(pb.SendInputRequest(tab_id="t99"), "no tab 't99'", id="tab"),
    ],
)
async def test_an_event_that_is_none_is_acknowledged_with_its_error(
    page: AsyncPage, event: pb.SendInputRequest, said: str
) -> None:
    async with page.take_control() as person:
        with pytest.raises(ValueError, match="the page did not take all of the input: ") as caught:
            await person.send([event, *key_requests("x")])
        assert said in str(caught.value)
        assert "hunter2" not in str(caught.value)
    assert [each["key"] for each in await noted(page, "keydown")] == ["x"]


async def test_a_person_answers_a_dialog(client: AsyncClient, site: str) -> None:
    html = "<body onclick='document.title = prompt(`Code?`, ``)' style='height: 500px'>Here"
    async with await client.open(address(site, html)) as page:
        async with page.take_control() as person:
            acknowledged = await person.send([mouse("down", 50, 50), mouse("up", 50, 50)])
            assert acknowledged[-1].dialog.message == "Code?"
            with pytest.raises(ValueError, match="a dialog is open"):
                await person.click(50, 50)
            await person.page.handle_dialog(accept=True, prompt_text="4711")
        assert (await page.snapshot(mode="text")).title == "4711"


async def test_a_person_gives_files_to_a_chooser(client: AsyncClient, site: str) -> None:
    html = "<input type=file onchange='document.title = this.files[0].name' style='margin: 20px'>"
    async with await client.open(address(site, html)) as page:
        async with page.take_control() as person:
            await person.click(60, 30)
            acknowledged = await person.send([pb.SendInputRequest()])
            async with asyncio.timeout(30):
                while not acknowledged[-1].HasField("file_chooser"):
                    acknowledged = await person.send([pb.SendInputRequest()])
            assert acknowledged[-1].file_chooser.file_chooser_id
            await person.page.upload(None, "cv.txt")
        assert (await page.snapshot(mode="text")).title == "cv.txt"


async def test_a_page_that_hangs_does_not_hold_up_the_end_of_control(client: AsyncClient, site: str) -> None:
    hang = "const x = new XMLHttpRequest(); x.open(`GET`, `/never`, false); x.send()"
    html = f"<body onmousedown='{hang}' style='height: 500px'>Here"
    async with await client.open(address(site, html)) as page:
        async with page.take_control(lease_s=2) as person:
            sending = asyncio.create_task(person.send([mouse("down", 50, 50), mouse("up", 50, 50)]))
            with pytest.raises(RemoteError) as caught:
                await sending
            assert caught.value.reason == "LEASE_EXPIRED"
            person.lease_id = ""
        assert (await page.navigate("about:blank", timeout_s=20)).url == "about:blank"

"""Acting over real gRPC, with the effect read in the page."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from perception.browser.browser_session import Tab
from perception.browser.input import aiming
from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.deadline import Deadline
from perception.server.app import Service
from perception.v1 import action_service_pb2 as pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2
from tests.paths import PAGES
from tests.support.live import Show
from tests.support.waiting import title_of

pytestmark = pytest.mark.usefixtures("patient_service")

FORM = (PAGES / "form.html").read_text(encoding="utf-8")


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


@pytest.fixture
def show(write: Show) -> Show:
    return write


class Driver:
    """A page with its elements by name, and its title: what the test pages write their news into."""

    def __init__(self, client: AsyncClient, page: AsyncPage) -> None:
        self.client = client
        self.page = page

    async def ref(self, name: str, nth: int = 0, **options: Any) -> str:
        snapshot = await self.page.snapshot(**({"mode": "MODE_TEXT", "scope": "SCOPE_PAGE"} | options))
        return [each for each in snapshot.elements if each.name == name][nth].ref

    async def title(self) -> str:
        return (await self.page.snapshot(mode="MODE_TEXT")).title

    async def act(self, name: str, **fields: Any) -> Any:
        request = getattr(pb, f"{name}Request")(session_id=self.page.session_id, **fields)
        return await self.client.call(getattr(self.client.actions, name), request)


@pytest.fixture
def driver(client: AsyncClient, page: AsyncPage) -> Driver:
    return Driver(client, page)


@pytest.fixture
async def form(driver: Driver, show: Show) -> Driver:
    await show(FORM)
    return driver


@pytest.mark.parametrize(
    ("name", "nth", "title"),
    [
        pytest.param("Save", 0, "saved", id="first-of-two"),
        pytest.param("Save", 1, "second", id="second-of-two"),
        pytest.param("", 0, "icon", id="nameless-icon"),
        pytest.param("Pointer only", 0, "pointer", id="pointer-only"),
        pytest.param("Far below", 0, "far", id="scrolled-into-view"),
    ],
)
async def test_a_click_on_a_ref_lands_on_its_element(form: Driver, name: str, nth: int, title: str) -> None:
    snapshot = await form.page.snapshot(mode="MODE_TEXT", scope="SCOPE_PAGE")
    ref = [each.ref for each in snapshot.elements if each.name == name and each.role in ("button", "generic")][nth]
    result = await form.page.click(ref)
    assert await form.title() == title
    assert not result.navigated


async def test_a_click_by_each_kind_of_target(form: Driver) -> None:
    snapshot = await form.page.snapshot(mode="MODE_TEXT")
    save = next(each for each in snapshot.elements if each.name == "Save")
    icon = next(each for each in snapshot.elements if each.role == "button" and not each.name)
    await form.page.click((icon.click_point.x, icon.click_point.y))
    assert await form.title() == "icon"
    await form.page.click(types_pb2.Target(backend_node_id=save.backend_node_id))
    assert await form.title() == "saved"
    await form.page.click("[onclick*=second]")
    assert await form.title() == "second"


@pytest.fixture
async def frames(page: AsyncPage, site: str) -> AsyncPage:
    """Shows frames of two sites. Tests that act on different parts of them find them as the last one left them."""
    tabs = await page.tabs()
    if [each.url for each in tabs] != [f"{site}/frames.html"]:
        await page.navigate(f"{site}/frames.html")
    return page


async def test_clicks_in_frames_and_shadow_roots(driver: Driver, frames: AsyncPage) -> None:
    for nth in (0, 1):
        await frames.click(await driver.ref("Inner button", nth))
    snapshot = await frames.snapshot(mode="MODE_TEXT")
    assert [each.name for each in snapshot.elements if each.name == "pressed"] == ["pressed", "pressed"]
    await frames.click(await driver.ref("In shadow"))
    assert await driver.title() == "shadow"


async def test_typing_into_a_frame_and_by_keystrokes(driver: Driver, frames: AsyncPage) -> None:
    for nth, keystrokes in ((0, False), (1, True)):
        target = types_pb2.Target(ref=await driver.ref("Inner field", nth))
        await driver.act("TypeText", target=target, text="hello", keystrokes=keystrokes)
    snapshot = await frames.snapshot(mode="MODE_TEXT")
    assert [each.value for each in snapshot.elements if each.name == "Inner field"] == ["hello", "hello"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<div style='height:60px;overflow:auto'><p style='height:300px'>x</p>{}</div>", id="own-scroller"),
        pytest.param(
            "<div style='position:fixed;bottom:0;height:200px;width:100%;background:tan'>Footer</div>"
            "<p style='height:700px'>x</p>{}<p style='height:900px'>x</p>",
            id="under-a-fixed-footer",
        ),
    ],
)
async def test_what_is_out_of_the_way_is_scrolled_to(driver: Driver, show: Show, body: str) -> None:
    button = "<button onclick='document.title = 1'>Hit</button>"
    await show(f"<title>0</title>{body.format(button)}")
    await driver.page.click(await driver.ref("Hit"))
    assert await driver.title() == "1"


async def test_a_button_in_a_frame_below_the_fold_is_scrolled_to(page: AsyncPage, show: Show) -> None:
    await show("<p style='height:2000px'>x</p><iframe src=/inner.html width=300 height=150></iframe>")
    await page.click("[onclick*=pressed]")
    assert '"pressed"' in (await page.snapshot(mode="MODE_TEXT")).text


async def test_what_is_out_of_view_is_scrolled_to_however_long_the_first_look_takes(
    page: AsyncPage, show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aiming, "TARGET_PATIENCE_SECONDS", 0.0)
    await show("<p style='height:2000px'>x</p><iframe src=/inner.html width=300 height=150></iframe>")
    await page.click("[onclick*=pressed]")
    assert '"pressed"' in (await page.snapshot(mode="MODE_TEXT")).text


async def test_a_node_id_that_two_processes_count_alike_is_not_guessed(
    client: AsyncClient, site: str, other_site: str
) -> None:
    body = "<title>T</title>" + "<button>B</button>" * 30 + f"<iframe src={other_site}/form.html height=400></iframe>"
    async with await client.open(f"{site}/html?body={body}") as page:  # new processes, whose counts begin alike
        form = Driver(client, page)
        elements = (await page.snapshot(mode="MODE_TEXT")).elements
        ids = [each.backend_node_id for each in elements if each.HasField("backend_node_id")]
        twice = [number for number in ids if ids.count(number) > 1]
        assert twice, "Chromium counts the nodes of each renderer process by themselves"
        error = await refused(form, "Click", target=types_pb2.Target(backend_node_id=twice[0]))
        assert error.reason == "AMBIGUOUS_TARGET"


async def test_a_vision_ref_clicks_its_pixels(driver: Driver, page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/canvas.html")
    for name in ("Zoom in", "Export"):
        await page.click(await driver.ref(name, mode="MODE_FUSED", scope="SCOPE_VIEWPORT"))
        assert await driver.title() == name


@pytest.mark.parametrize(
    "layer",
    [
        pytest.param("canvas", id="a canvas, as graphs have"),
        pytest.param("div", id="an empty element, as painted tables have"),
    ],
)
async def test_a_vision_ref_clicks_the_layer_that_a_widget_stacks_over_its_picture(
    driver: Driver, page: AsyncPage, show: Show, layer: str
) -> None:
    place = "position:absolute;left:0;top:0;width:400px;height:200px"
    over = f"style='{place};z-index:2' onclick='document.title = event.offsetX > 80'"
    paint = "const pen = low.getContext('2d'); pen.font = '28px serif'; pen.fillText('Billing', 90, 90)"
    await show(
        "<title>0</title><div style='position:relative'>"
        f"<{layer} width=400 height=200 {over}></{layer}>"
        f"<canvas id=low width=400 height=200 style='{place}'></canvas></div><script>{paint}</script>"
    )
    await page.click(await driver.ref("Billing", mode="MODE_FUSED", scope="SCOPE_VIEWPORT"))
    assert await driver.title() == "true"


async def test_a_vision_ref_under_an_overlay_is_refused(
    service: Service, driver: Driver, page: AsyncPage, site: str
) -> None:
    await page.navigate(f"{site}/canvas.html")
    ref = await driver.ref("Export", mode="MODE_FUSED", scope="SCOPE_VIEWPORT")
    tab = service.context.sessions.get(page.session_id).browser.tab()
    await run_in_page(
        tab, "document.body.insertAdjacentHTML('beforeend', '<div id=veil style=position:fixed;inset:0>')"
    )
    error = await refused(driver, "Click", target=types_pb2.Target(ref=ref))
    assert error.reason == "ELEMENT_OBSCURED"
    assert "veil" in str(error)


async def test_a_frame_in_quirks_mode_is_clicked(driver: Driver, show: Show) -> None:
    script = "f.contentDocument.write(`<button onclick='top.document.title=1'>Q</button>`); f.contentDocument.close()"
    await show(f"<title>0</title><iframe id=f></iframe><script>{script}</script>")
    await driver.page.click(await driver.ref("Q"))
    assert await driver.title() == "1"


async def test_a_shape_of_a_drawing_is_clicked(driver: Driver, show: Show) -> None:
    drawing = "<svg width=200 height=100><rect id=r width=200 height=100 onclick='document.title=this.id'/></svg>"
    await show(f"<title>0</title>{drawing}")
    await driver.page.click("#r")
    assert await driver.title() == "r"


async def test_a_repeated_request_that_was_cancelled_does_not_act_again(
    driver: Driver, show: Show, service: Service
) -> None:
    changing = "<script>const change = () => setInterval(() => { clock.textContent = performance.now() }, 10)</script>"
    adding = "document.title = +document.title + 1; change()"
    await show(f"<title>0</title>{changing}<button onclick='{adding}'>More</button><p id=clock>")
    target = types_pb2.Target(ref=await driver.ref("More"))
    settling = pb.ActionOptions(settle_timeout=timedelta(seconds=30))
    request = pb.ClickRequest(session_id=driver.page.session_id, target=target, request_id="x", action_options=settling)
    call = driver.client.actions.Click(request, timeout=30)
    tab = service.context.sessions.get(driver.page.session_id).browser.tab()
    async with asyncio.timeout(20):
        while await tab.page.title() != "1":  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    call.cancel()
    error = await refused(driver, "Click", target=target, request_id="x", action_options=settling)
    assert error.reason == "CALLED_OFF"
    assert await driver.title() == "1"


async def test_typing_replaces_and_submits(form: Driver) -> None:
    await form.page.type_text(await form.ref("Email"), "new@x.org", clear=True, submit=True)
    assert await form.title() == "sent new@x.org"


@pytest.mark.parametrize(
    "field",
    [
        pytest.param("<input id=f value=old onkeydown={1} oninput={0}>", id="field"),
        pytest.param("<div id=f contenteditable onkeydown={1} oninput={0}>old</div>", id="editor"),
    ],
)
async def test_a_field_is_cleared_where_the_page_takes_its_keys_away(driver: Driver, show: Show, field: str) -> None:
    news = "'document.title = this.value ?? this.textContent'"
    letters = "'return event.key.length === 1 && !event.ctrlKey'"
    await show(f"<title>0</title>{field.format(news, letters)}")
    await driver.page.type_text("#f", "new", clear=True)
    assert await driver.title() == "new"


async def test_keys_go_where_the_focus_is(form: Driver) -> None:
    await form.page.click(await form.ref("Email"))
    await form.page.press("ControlOrMeta+A")
    await form.page.press("x")
    snapshot = await form.page.snapshot(mode="MODE_TEXT")
    email = next(each for each in snapshot.elements if each.name == "Email")
    assert email.value == "x"
    assert "focused" in email.states


async def test_scrolling_by_wheel_and_into_view(form: Driver) -> None:
    reply = await form.act("Scroll", delta_y=500)
    assert reply.moved
    assert reply.scroll.y == 500
    reply = await form.act("Scroll", target=types_pb2.Target(ref=await form.ref("Far below")))
    assert reply.moved
    snapshot = await form.page.snapshot(mode="MODE_TEXT")
    assert any(each.name == "Far below" and each.reachable for each in snapshot.elements)
    reply = await form.act("Scroll", delta_y=-50_000)
    assert reply.scroll.y == 0
    assert not (await form.act("Scroll", delta_y=-100)).moved


async def test_a_click_that_navigates_is_reported_and_waits_for_the_page(driver: Driver, show: Show, site: str) -> None:
    await show("<a href='/inner.html'>Go</a>")
    result = await driver.page.click(await driver.ref("Go"))
    assert result.navigated
    assert result.url == f"{site}/inner.html"
    assert await driver.title() == "Inner"


async def test_a_new_tab_is_listed_and_can_be_selected(driver: Driver, show: Show, client: AsyncClient) -> None:
    await show("<a target=_blank href='/inner.html'>New</a>")
    result = await driver.page.click(await driver.ref("New"))
    (tab,) = result.new_tabs
    assert tab.opener_tab_id == result.tab_id
    assert not tab.selected
    session_id = driver.page.session_id
    await client.call(client.sessions.SelectTab, session_pb.SelectTabRequest(session_id=session_id, tab_id=tab.tab_id))
    assert await driver.title() == "Inner"
    request = session_pb.CloseTabRequest(session_id=session_id, tab_id=tab.tab_id)
    (left,) = (await client.call(client.sessions.CloseTab, request)).tabs
    assert (left.tab_id, left.selected) == (result.tab_id, True)


async def test_background_tabs_are_captured_and_acted_on(driver: Driver, show: Show, client: AsyncClient) -> None:
    await show("<a target=_blank href='/inner.html'>New</a><button onclick='document.title += 1'>More</button>")
    await driver.page.snapshot()
    opened = await driver.page.click(await driver.ref("New"))  # the new tab lies before this one now
    assert (list(opened.notes), opened.HasField("diff")) == ([], True)
    for presses in ("1", "11"):
        pressed = await driver.page.click(await driver.ref("More"))
        assert (list(pressed.notes), pressed.HasField("diff")) == ([], True)
        assert await driver.title() == presses
        for tab_id in (opened.tab_id, opened.new_tabs[0].tab_id):
            request = perception_pb.CaptureScreenshotRequest(session_id=driver.page.session_id, tab_id=tab_id)
            reply = await client.call(client.perception.CaptureScreenshot, request)
            assert reply.page_visible
    await driver.page.close_tab(opened.new_tabs[0].tab_id)


COUNT = "<title>0</title><button onclick='document.title = +document.title + 1'>More</button><p>Text"


async def test_the_same_request_id_acts_once(driver: Driver, show: Show) -> None:
    await show(COUNT)
    target = types_pb2.Target(ref=await driver.ref("More"))
    first = await driver.act("Click", target=target, request_id="a")
    assert await driver.act("Click", target=target, request_id="a") == first
    assert await driver.title() == "1"
    await driver.act("Click", target=target, request_id="b")
    assert await driver.title() == "2"


async def test_a_request_id_of_other_parameters_is_refused(driver: Driver, show: Show) -> None:
    await show(COUNT)
    target = types_pb2.Target(ref=await driver.ref("More"))
    await driver.act("Click", target=target, request_id="c")
    error = await refused(driver, "Click", target=types_pb2.Target(selector="p"), request_id="c")
    assert (error.code.name, error.reason) == ("ALREADY_EXISTS", "REQUEST_ID_REUSED")
    assert "request_id 'c' was used by an earlier Click with other parameters" in str(error)
    assert await driver.title() == "1"


async def run_in_page(tab: Tab, expression: str) -> None:
    await tab.link.session.call("Runtime.evaluate", Deadline.of(10), "changing the page", expression=expression)


async def refused(form: Driver, name: str, **fields: Any) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await form.act(name, **fields)
    assert (await form.page.snapshot(mode="MODE_TEXT")).title  # the session lives on
    return caught.value


@pytest.mark.parametrize(
    ("target", "reason", "said"),
    [
        pytest.param({"ref": "e999"}, "UNKNOWN_REF", "never given out", id="unknown-ref"),
        pytest.param({"coordinate": {"x": 5000, "y": 5}}, "COORDINATE_OUT_OF_VIEWPORT", "1280 x 800", id="outside"),
        pytest.param({"coordinate": {"x": -1, "y": 5}}, "COORDINATE_OUT_OF_VIEWPORT", "viewport", id="negative"),
        pytest.param(
            {"coordinate": {"x": 5, "y": 5, "snapshot_id": "s9999"}}, "UNKNOWN_SNAPSHOT", "s9999", id="snapshot"
        ),
        pytest.param({"selector": "#nothing"}, "NO_MATCH", "#nothing", id="no-match"),
        pytest.param({"selector": "button"}, "AMBIGUOUS_TARGET", "matches 7", id="many-matches"),
        pytest.param({"selector": "a[["}, "BAD_SELECTOR", "CSS", id="bad-selector"),
        pytest.param({"backend_node_id": 999999}, "NO_MATCH", "999999", id="no-node"),
        pytest.param({}, "BAD_INPUT", "no target", id="no-target"),
    ],
)
async def test_wrong_targets(form: Driver, target: dict[str, Any], reason: str, said: str) -> None:
    error = await refused(form, "Click", target=types_pb2.Target(**target))
    assert error.reason == reason
    assert said in str(error)


async def test_a_covered_button_names_what_covers_it(form: Driver) -> None:
    error = await refused(form, "Click", target=types_pb2.Target(ref=await form.ref("Hidden below")))
    assert error.reason == "ELEMENT_OBSCURED"
    assert "div#veil" in str(error)
    assert await form.title() == "Form"


async def test_a_disabled_button_is_refused(form: Driver) -> None:
    error = await refused(form, "Click", target=types_pb2.Target(ref=await form.ref("Pay")))
    assert error.reason == "ELEMENT_DISABLED"


DISABLED = """<!doctype html><title>Off</title>
<button id=native disabled onmouseenter="document.title += ' native'">Send</button>
<span onmouseenter="document.getElementById('why').textContent = 'You need a plan'">
<button id=wrapped disabled>Go</button></span>
<p id=why></p><button id=soft aria-disabled=true onclick="document.title = 'clicked'">Soft</button>
<fieldset disabled><button id=inner>Inner</button></fieldset>
<div aria-disabled=true><input type=checkbox id=box aria-label=Agree onclick="event.preventDefault()"></div>"""


async def test_what_is_disabled_can_be_hovered_and_what_only_says_so_can_be_clicked(
    shared_page: AsyncPage, write: Show
) -> None:
    await write(DISABLED)
    await shared_page.snapshot()
    assert "You need a plan" in (await shared_page.hover("#wrapped")).diff.text
    assert not (await shared_page.hover("#native")).notes
    for refused_target in ("#native", "#wrapped", "#inner"):
        with pytest.raises(RemoteError) as caught:
            await shared_page.click(refused_target)
        assert caught.value.reason == "ELEMENT_DISABLED"
    done = await shared_page.click("#soft")
    assert any("aria-disabled" in note for note in done.notes)
    assert (await shared_page.snapshot()).title == "clicked"
    with pytest.raises(RemoteError) as caught:
        await shared_page.check("#box")
    assert caught.value.reason == "NOT_TAKEN"


async def test_a_ref_whose_element_changed_its_name_is_stale(form: Driver, service: Service) -> None:
    ref = await form.ref("Save")
    tab = service.context.sessions.get(form.page.session_id).browser.tab()
    await run_in_page(tab, "document.querySelector('[onclick*=saved]').textContent = 'Delete'")
    error = await refused(form, "Click", target=types_pb2.Target(ref=ref))
    assert error.reason == "STALE_REF"
    assert '"Delete"' in error.plain
    await run_in_page(tab, "document.querySelector('[onclick*=second]').remove()")
    assert (await form.title()) == "Form"


async def test_a_ref_of_a_page_that_was_left_is_stale(form: Driver, site: str) -> None:
    ref = await form.ref("Save")
    await form.page.navigate(f"{site}/form.html")
    error = await refused(form, "Click", target=types_pb2.Target(ref=ref))
    assert error.reason == "STALE_REF"


async def test_a_coordinate_of_a_snapshot_is_refused_after_a_scroll(form: Driver) -> None:
    snapshot = await form.page.snapshot(mode="MODE_TEXT")
    await form.act("Scroll", delta_y=200)
    coordinate = types_pb2.Coordinate(x=20, y=20, snapshot_id=snapshot.snapshot_id)
    error = await refused(form, "Click", target=types_pb2.Target(coordinate=coordinate))
    assert error.reason == "STALE_REF"


async def test_an_unknown_key_and_untypable_text(form: Driver) -> None:
    assert (await refused(form, "PressKey", key="Frobnicate")).reason == "UNKNOWN_KEY"
    assert (await refused(form, "PressKey", key="")).reason == "BAD_INPUT"
    target = types_pb2.Target(ref=await form.ref("Email"))
    assert (await refused(form, "TypeText", target=target, text="a\0b")).reason == "BAD_INPUT"


async def test_typing_where_nothing_takes_text(form: Driver) -> None:
    error = await refused(form, "TypeText", target=types_pb2.Target(ref=await form.ref("Save")), text="x")
    assert error.reason == "NOT_EDITABLE"
    assert await form.title() == "Form"
    assert (await refused(form, "TypeText", text="x")).reason == "NOT_EDITABLE"


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("history.pushState(0, 0, '/pushed')", id="push-state"),
        pytest.param("history.replaceState(0, 0, '/replaced')", id="replace-state"),
        pytest.param("location = '#part'", id="fragment"),
    ],
)
async def test_an_address_that_changes_within_its_document_is_no_navigation(
    page: AsyncPage, show: Show, script: str
) -> None:
    await show(f'<button onclick="{script}">Go</button>')
    result = await page.click("button")
    assert (result.navigated, result.same_document) == (False, True)


async def test_a_target_that_disappears_when_the_button_goes_down_is_reported(page: AsyncPage, show: Show) -> None:
    for change, was_lost in (("this.remove()", True), ("this.hidden = true", True), ("this.title = 1", False)):
        await show(f"<button onmousedown='{change}'>Go</button><p>Here</p>")
        notes = (await page.click("button")).notes
        assert [("got no click" in each) for each in notes] == ([True] if was_lost else [])
    await show("<button onclick='this.remove()'>Go</button>")
    assert not (await page.click("button")).notes


async def test_a_click_that_closes_its_tab_is_done(page: AsyncPage, show: Show) -> None:
    for event in ("onmousedown", "onclick"):
        opener = f"window.open('/html?body=<button {event}=window.close()>Close</button>')"
        await show(f'<button onclick="{opener}">Open</button>')
        (tab,) = (await page.click("button")).new_tabs
        result = await page.click("button", tab_id=tab.tab_id)
        assert result.url == ""
        assert tab.tab_id not in {each.tab_id for each in await page.tabs()}


VIRTUAL = (
    "<title>0</title><ul>"
    + "".join(f"<li><b>{name}</b><p class=clock>{name[0]}</p><button>Delete</button></li>" for name in ("Alice", "Bob"))
    + "</ul><script>document.onclick = e => document.title = e.target.parentNode.querySelector('b').textContent;"
    "const say = (at, name) => document.querySelectorAll('b')[at].firstChild.data = name</script>"
)


async def test_a_ref_of_a_row_that_shows_another_record_is_stale(
    shared_scripted: AsyncPage, write_scripted: Show
) -> None:
    page = shared_scripted
    await write_scripted(VIRTUAL)
    first, second = [each.ref for each in (await page.snapshot(mode="text")).elements if each.name == "Delete"]
    await page.evaluate("setInterval(() => document.querySelectorAll('p').forEach(p => p.textContent = Date.now()), 9)")
    assert (await page.click(second, skip_diff=True)).url
    assert await title_of(page) == "Bob"
    await page.evaluate("say(0, 'Bob'); say(1, 'Cleo')")  # scrolled on by a row
    for look in (False, True):
        if look:
            seen = [each.ref for each in (await page.snapshot(mode="text")).elements if each.name == "Delete"]
            assert not {first, second} & set(seen)
        with pytest.raises(RemoteError) as caught:
            await page.click(first)
        assert caught.value.reason == "STALE_REF"
        assert 'it was in row "Alice" and is in row "Bob"' in caught.value.plain
    await page.click(seen[1])
    assert await title_of(page) == "Cleo"


COVER = "<p id=cover hidden style='position: fixed; inset: 0; margin: 0; background: #fff'>Busy</p>"

MISSED: list[Any] = [
    pytest.param("<button id=b onmousedown=\"this.style.marginTop = '90px'\">Go</button>", id="moves"),
    pytest.param(f"{COVER}<button id=b onmousedown='cover.hidden = false'>Go</button>", id="covered"),
    pytest.param("<button id=b onmousedown=\"this.style.visibility = 'collapse'\">Go</button>", id="hidden"),
    pytest.param("<button id=b onmousedown='this.innerHTML = \"<b>Gone</b>\"'><i>Go</i></button>", id="drawn-again"),
    pytest.param(
        "<input autofocus onblur=\"p.textContent = 'No address'\"><p id=p style='white-space: pre'></p>"
        "<style>p:not(:empty) { padding: 40px }</style><button id=b>Go</button>",
        id="a-field-is-checked",
    ),
]


@pytest.mark.parametrize("html", MISSED)
async def test_press_that_comes_to_no_click_on_the_target_is_reported(page: AsyncPage, show: Show, html: str) -> None:
    await show(f"{html}<script>b.onclick = () => {{ document.title = 'clicked' }}</script>")
    (note,) = (await page.click("#b")).notes
    assert "got no click" in note
    assert await title_of(page) != "clicked"


CLICKED: list[Any] = [
    pytest.param("<select id=b><option>One<option>Two</select>", {}, id="select"),
    pytest.param("<select size=2><option>One<option id=b>Two</select>", {}, id="option"),
    pytest.param("<input id=b type=range>", {}, id="range"),
    pytest.param("<input id=b type=date>", {}, id="date"),
    pytest.param("<label id=b><input type=checkbox> Yes</label>", {}, id="label"),
    pytest.param("<details><summary id=b>More</summary>Words</details>", {}, id="summary"),
    pytest.param("<button id=b onmousedown='event.preventDefault()'>Go</button>", {}, id="prevented"),
    pytest.param("<a id=b href=#x draggable=true>Go</a>", {}, id="draggable"),
    pytest.param("<button id=b>Go</button>", {"button": "right"}, id="right"),
    pytest.param("<button id=b>Go</button>", {"button": "middle"}, id="middle"),
    pytest.param("<button id=b>Go</button>", {"click_count": 2}, id="double"),
    pytest.param("<div id=b tabindex=0 style='height: 40px; overflow: auto'><p>Text</p></div>", {}, id="scroller"),
]


@pytest.mark.parametrize(("html", "options"), CLICKED)
async def test_press_that_comes_to_a_click_has_no_note(
    page: AsyncPage, show: Show, html: str, options: dict[str, Any]
) -> None:
    await show(html)
    assert not (await page.click("#b", **options)).notes


@pytest.mark.parametrize("tag", ["embed src", "object data"], ids=["embed", "object"])
async def test_a_document_in_an_element_for_plug_ins_is_a_frame(
    page: AsyncPage, show: Show, site: str, tag: str
) -> None:
    await show(f"<{tag}='{site}/inner.html' width=400 height=200>")
    await page.wait_for(text="Inner button")
    found = await page.snapshot(mode="text")
    inner = next(each for each in found.elements if each.name == "Inner button")
    await page.click(inner.ref)

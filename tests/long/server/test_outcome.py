"""What an action says of what came of it: the difference it made, dialogs, downloads, errors; and waiting."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.datasets.sources.arrival import arrive
from perception.deadline import Deadline
from perception.server.actions import effects
from perception.server.app import Service
from perception.v1 import action_service_pb2 as pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2
from tests.support.early_ends import early_ends
from tests.support.ligature_font import ICON_STYLE
from tests.support.live import Show
from tests.support.waiting import title_of, until

pytestmark = pytest.mark.usefixtures("patient_answers")


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


@pytest.fixture
def show(write: Show) -> Show:
    return write


@pytest.fixture
def visit(page: AsyncPage, site: str) -> Show:
    """Opens a page of that HTML: one whose timers and requests end with it."""

    async def open_page(html: str) -> None:
        await page.navigate(f"{site}/html?body={quote(html)}")

    return open_page


@pytest.fixture(scope="module")
async def loading(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """A session for tests that download."""
    page = await client.open()
    yield page
    await page.close()


@pytest.fixture(scope="module")
async def opening(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """A session for tests that open a tab and close it."""
    page = await client.open()
    yield page
    await page.close()


MORE = "<title>0</title><p id=p>1 item</p><button onclick=\"p.textContent = '2 items'\">More</button>"


async def test_a_control_that_is_named_without_its_icon_is_clicked_by_its_ref(page: AsyncPage, show: Show) -> None:
    await show(f"{ICON_STYLE}<title>A</title><button onclick=\"document.title = 'clicked'\"><i>home</i> Start</button>")
    async with asyncio.timeout(30):
        while (button := (await page.snapshot(mode="text")).elements[0]).name != "Start":  # noqa: ASYNC110  (a font)
            await asyncio.sleep(0.05)
    await page.click(button.ref)
    assert (await page.snapshot(mode="text")).title == "clicked"


async def test_an_action_reports_what_changed_since_the_last_snapshot(page: AsyncPage, show: Show) -> None:
    await show(MORE)
    before = await page.snapshot(mode="text")
    result = await page.click("button")
    assert result.diff.since_snapshot_id == before.snapshot_id
    assert "2 items" in result.diff.text
    again = await page.snapshot(mode="text", since=result.snapshot_id)
    assert not again.diff.added
    assert not again.diff.changed
    assert {"aim", "act", "follow", "look"} <= {each.stage for each in result.timings}


async def test_there_is_no_diff_without_a_snapshot_or_where_it_is_left_out(page: AsyncPage, show: Show) -> None:
    await show(MORE)
    assert not (await page.click("button")).HasField("diff")
    await page.snapshot(mode="text")
    result = await page.click("button", skip_diff=True)
    assert not result.HasField("diff")
    assert "look" not in {each.stage for each in result.timings}


async def test_a_diff_waits_for_what_the_action_set_off(page: AsyncPage, visit: Show) -> None:
    late = "setTimeout(() => p.textContent = 'done', 60000)"
    await visit(f"<p id=p>idle</p><button onclick=\"p.textContent = 'busy'; {late}\">Go</button>")
    await page.snapshot(mode="text")
    assert "busy" in (await page.click("button", settle_timeout=0)).diff.text
    late = "p.animate([], 150).onfinish = () => p.textContent = 'done'"
    await visit(f"<p id=p>idle</p><button onclick=\"p.style.color = 'red'; {late}\">Go</button>")
    await page.snapshot(mode="text")
    assert "done" in (await page.click("button", settle_timeout=20)).diff.text


FADES = "[{opacity: 0}, {opacity: 0, offset: 0.8}, {opacity: 1}], 1000"


@pytest.mark.parametrize(
    ("body", "opens"),
    [
        pytest.param(
            "<x-d id=d></x-d><script>d.attachShadow({mode: 'open'}).innerHTML = '<dialog><p>Sure?</p><div><button>Yes"
            "</button></div></dialog>'</script>",
            f"d.shadowRoot.querySelector('dialog').showModal(); d.shadowRoot.querySelector('div').animate({FADES})",
            id="root-there-before",
        ),
        pytest.param(
            "<div id=d></div>",
            "d.attachShadow({mode: 'open'}).innerHTML = '<p>Sure?</p><div><button>Yes</button></div>'; "
            f"d.shadowRoot.querySelector('div').animate({FADES})",
            id="new-root",
        ),
        pytest.param(
            "<div id=d></div>",
            "d.attachShadow({mode: 'open'}).innerHTML = '<p>Sure?</p><span></span>'; "
            "const i = d.shadowRoot.querySelector('span'); i.attachShadow({mode: 'open'}).innerHTML = "
            "'<b><button>Yes</button></b>'; "
            f"i.shadowRoot.querySelector('b').animate({FADES})",
            id="root-in-root",
        ),
        pytest.param(
            "<div id=d></div>",
            "const r = d.attachShadow({mode: 'closed'}); r.innerHTML = '<p>Sure?</p><div><button>Yes</button></div>'; "
            f"r.querySelector('div').animate({FADES})",
            id="closed-root",
        ),
    ],
)
async def test_a_diff_waits_for_what_fades_in_in_a_shadow_root(
    page: AsyncPage, visit: Show, body: str, opens: str
) -> None:
    await visit(f"<button id=b>Open</button>{body}<script>b.onclick = () => {{ {opens} }}</script>")
    await page.snapshot(mode="text")
    assert 'button "Yes"' in (await page.click("#b", settle_timeout=20)).diff.text


async def test_an_answer_says_whether_the_page_came_to_rest(page: AsyncPage, visit: Show, site: str) -> None:
    await visit(f"<button onclick=\"fetch('{site}/never?key=1', {{ mode: 'no-cors' }})\">Go</button>")
    assert not (await page.click("button")).HasField("settle"), "there is no diff, and nobody asked"
    asked = (await page.click("button", settle_timeout=0.3)).settle
    assert (asked.verdict, list(asked.pending)) == (types_pb2.Settle.VERDICT_PENDING, ["fetch /never"])
    await visit("<button>Go</button>")
    await page.snapshot(mode="text")
    result = await page.click("button")
    assert (result.settle.verdict, list(result.settle.pending)) == (types_pb2.Settle.VERDICT_SETTLED, [])
    assert not (await page.click("button", settle_timeout=0)).HasField("settle")


async def test_what_comes_while_the_page_comes_to_rest_is_of_the_action(page: AsyncPage, show: Show) -> None:
    late = "setTimeout(() => { console.error('late'); p.textContent = 'done' }, 300)"
    await show(f"<p id=p>idle</p><button onclick=\"p.textContent = 'Loading…'; {late}\">Go</button>")
    await page.snapshot(mode="text")
    result = await page.click("button", settle_timeout=20)
    assert "done" in result.diff.text
    assert list(result.console_errors) == ["late"]


async def test_console_errors_and_exceptions_are_reported(page: AsyncPage, show: Show) -> None:
    await show("<button onclick=\"console.error('first'); console.log('no'); undefined.x\">Go</button>")
    await page.snapshot(mode="text")
    errors = (await page.click("button")).console_errors
    assert [each.partition(" ")[0] for each in errors] == ["first", "Cannot"]
    assert not (await page.hover("button")).console_errors


ASK = "document.title = prompt('Name?', 'Ann')"


async def test_a_dialog_ends_the_action_and_is_answered(page: AsyncPage, show: Show) -> None:
    await show(f'<title>0</title><button onclick="{ASK}">Ask</button>')
    (dialog,) = (await page.click("button")).dialogs
    assert (dialog.kind, dialog.message, dialog.default_value) == (types_pb2.Dialog.KIND_PROMPT, "Name?", "Ann")
    with pytest.raises(RemoteError) as caught:
        await page.snapshot(mode="text")
    assert caught.value.reason == "DIALOG_OPEN"
    assert 'prompt "Name?"' in caught.value.plain
    answered = await page.handle_dialog(True, "Bob", dialog.dialog_id)
    assert answered == dialog
    assert await title_of(page) == "Bob"


@pytest.mark.parametrize(
    ("text", "entered"), [(None, "Ann"), ("", ""), ("Bob", "Bob")], ids=["default", "empty", "text"]
)
async def test_a_prompt_without_a_text_is_accepted_with_its_default(
    page: AsyncPage, show: Show, text: str | None, entered: str
) -> None:
    await show(f'<title>0</title><button onclick="{ASK}">Ask</button>')
    await page.click("button")
    await page.handle_dialog(True, text or "", prompt_empty=text == "")
    assert await title_of(page) == entered


async def test_a_dialog_that_interrupts_typing_is_reported_with_the_progress(page: AsyncPage, show: Show) -> None:
    await show("<input oninput='if (this.value.length === 3) alert(this.value)'>")
    result = await page.type_text("input", "abcdef", keystrokes=True)
    assert result.dialogs[0].message == "abc"
    assert "of 6 characters" in result.notes[0]
    await page.handle_dialog()
    await page.type_text("input", "x")


async def test_open_dialogs_belong_to_the_session(client: AsyncClient, page: AsyncPage, show: Show) -> None:
    await show("<button onclick='setTimeout(() => confirm(1), 200)'>Later</button>")
    await page.click("button")
    request = session_pb.GetSessionRequest(session_id=page.session_id)
    async with asyncio.timeout(30):
        while not (session := (await client.call(client.sessions.GetSession, request)).session).dialogs:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert [each.kind for each in session.dialogs] == [types_pb2.Dialog.KIND_CONFIRM]
    await page.handle_dialog(False)
    with pytest.raises(RemoteError) as caught:
        await page.handle_dialog()
    assert caught.value.reason == "NO_DIALOG"
    assert str(caught.value).startswith("no dialog is open")


LOCKING = """<title>0</title><button id=lock onclick="document.body.requestPointerLock()">Lock</button>
<canvas id=c onclick="document.title += 'c'; c.requestPointerLock()"></canvas>
<button id=ok onclick="document.title += 'x'">Ok</button>"""


@pytest.mark.parametrize(("held", "title"), [("#lock", "0x"), ("#c", "0ccx")], ids=["body", "canvas"])
async def test_a_pointer_lock_refuses_clicks_elsewhere_until_escape(
    page: AsyncPage, show: Show, held: str, title: str
) -> None:
    await show(LOCKING)
    await page.click(held)
    if held == "#c":
        await page.click(held)  # what holds the pointer is still clicked
    with pytest.raises(RemoteError, match=r"locked the pointer to .* Escape") as caught:
        await page.click("#ok")
    assert caught.value.reason == "ELEMENT_OBSCURED"
    await page.press("Escape")
    await page.click("#ok")
    assert await title_of(page) == title


async def test_leaving_a_page_that_asks_waits_for_the_answer(page: AsyncPage, show: Show, site: str) -> None:
    await show("<button>Touch</button><script>onbeforeunload = event => event.preventDefault()</script>")
    await page.click("button")
    with pytest.raises(RemoteError) as caught:
        await page.navigate(f"{site}/form.html")
    assert caught.value.reason == "DIALOG_OPEN"
    assert "before leaving" in str(caught.value)
    await page.handle_dialog(True)
    await page.wait_for(url="*/form.html")
    assert await title_of(page) == "Form"


async def ended(client: AsyncClient, page: AsyncPage) -> types_pb2.Download:
    """The session's last download, once it is no longer in progress."""
    request = session_pb.GetSessionRequest(session_id=page.session_id)
    async with asyncio.timeout(30):
        while True:
            download = (await client.call(client.sessions.GetSession, request)).session.downloads[-1]
            if download.state != types_pb2.Download.STATE_IN_PROGRESS:
                return download
            await asyncio.sleep(0.05)


async def test_a_download_is_kept_under_a_safe_name(client: AsyncClient, loading: AsyncPage, site: str) -> None:
    link = "<a href='/file?name=..%2F..%2Fa%20b.txt&size=2000'>Get</a>"
    await loading.navigate(f"{site}/html?body={quote(link)}")
    (download,) = (await loading.click("a")).downloads
    assert download.name == "_.._a b.txt"
    download = await ended(client, loading)
    assert (download.state, download.size_bytes) == (types_pb2.Download.STATE_COMPLETED, 2000)
    assert await asyncio.to_thread(Path(download.path).read_bytes) == b"x" * 2000
    assert Path(download.path).name == download.name


async def test_a_downloads_name_keeps_its_characters(loading: AsyncPage, site: str) -> None:
    link = (
        "<a download='😀 a,b+c.txt'>Get</a><script>"
        "document.querySelector('a').href = URL.createObjectURL(new Blob(['x']))</script>"
    )
    await loading.navigate(f"{site}/html?body={quote(link)}")
    (download,) = (await loading.click("a")).downloads
    assert download.name == "😀 a,b+c.txt"


async def test_a_download_over_the_limit_is_cancelled(client: AsyncClient, loading: AsyncPage, site: str) -> None:
    link = "<a href='/file?name=big.bin&size=3000000'>Get</a>"
    await loading.navigate(f"{site}/html?body={quote(link)}")
    assert (await loading.click("a")).downloads
    download = await ended(client, loading)
    assert (download.name, download.state) == ("big.bin", types_pb2.Download.STATE_FAILED)
    assert "limit of 1 MiB (PERCEPTION_MAX_DOWNLOAD_MIB)" in download.failure
    assert not download.path


async def test_a_session_hears_nothing_of_its_neighbors_downloads(
    loading: AsyncPage, opening: AsyncPage, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effects, "AFTERMATH_SECONDS", 1.0)  # a window that only downloads closes at once
    before = len(await loading.downloads())
    for start in (
        "<a href='/file?name=secret.txt&size=2000'>Get</a>",
        "<a target=_blank rel=noopener href='/file?name=secret.txt&size=2000'>Get</a>",
        "<iframe srcdoc=\"<a href='/file?name=secret.txt&size=2000' style='position:fixed;inset:0'>Get\"></iframe>",
    ):
        await loading.navigate(f"{site}/html?body={quote(start)}")
        await loading.click("iframe >>> a" if "iframe" in start else "a")
    async with asyncio.timeout(30):
        while [each.state for each in (await loading.downloads())[before:]] != [  # noqa: ASYNC110
            types_pb2.Download.STATE_COMPLETED
        ] * 3:
            await asyncio.sleep(0.05)
    assert await opening.downloads() == []


@pytest.mark.parametrize(
    ("script", "condition"),
    [
        pytest.param("p.textContent = 'All  done'", {"text": "all done"}, id="text"),
        pytest.param("p.outerHTML = '<b id=b>B</b>'", {"element": "#b"}, id="element"),
        pytest.param("p.remove()", {"vanished": "#p"}, id="vanished"),
        pytest.param("p.hidden = true", {"vanished": "#p"}, id="hidden"),
        pytest.param("p.style.visibility = 'hidden'", {"vanished": "#p"}, id="invisible"),
        pytest.param("p.style.opacity = 0", {"vanished": "#p"}, id="transparent"),
        pytest.param("p.style = 'position: absolute; left: -999px'", {"vanished": "#p"}, id="off-the-page"),
        pytest.param("p.outerHTML = '<details><p id=p>Wait</p></details>'", {"vanished": "#p"}, id="in-closed-details"),
        pytest.param("history.pushState(0, 0, '/elsewhere')", {"url": "*/elsewhere"}, id="url"),
        pytest.param("location = '/inner.html'", {"text": "Inner field"}, id="text-of-the-next-page"),
    ],
)
async def test_waiting_for_what_comes(
    service: Service, page: AsyncPage, show: Show, script: str, condition: dict[str, str]
) -> None:
    await show("<title>0</title><p id=p>Wait</p>")
    session = service.context.sessions.get(page.session_id)
    waiting = asyncio.create_task(page.wait_for(**condition))
    await until(lambda: "WaitFor" in session.control.calls_under_way)
    await asyncio.sleep(0.1)
    assert not waiting.done()
    await arrive(session.browser.tab(), Deadline.of(60))
    await session.browser.tab().page.evaluate(f"setTimeout(() => {{ {script} }}, 0)")
    await waiting


@pytest.mark.parametrize("condition", [{"text": "never"}, {"url": "never"}, {"vanished": "p"}])
async def test_waiting_ends_with_the_tab(
    service: Service, opening: AsyncPage, site: str, condition: dict[str, str]
) -> None:
    tab = await opening.new_tab(f"{site}/html?body=<p>Here</p>")
    calls = service.admission.under_way
    waiting = asyncio.ensure_future(opening.wait_for(**condition, tab_id=tab.tab_id, timeout_s=60))
    await until(lambda: service.admission.under_way > calls)
    await opening.close_tab(tab.tab_id)
    with pytest.raises(RemoteError) as caught:
        await waiting
    assert caught.value.reason in ("UNKNOWN_TAB", "SESSION_LOST")


async def test_waiting_until_all_is_at_rest(client: AsyncClient, page: AsyncPage, show: Show) -> None:
    await show("<title>0</title><p>Still</p>")
    request = pb.WaitForRequest(session_id=page.session_id, settled=True)
    reply = await client.call(client.actions.WaitFor, request)
    assert not reply.settle.pending


@pytest.mark.parametrize(
    ("condition", "reason", "said"),
    [
        pytest.param({"text": "never"}, "DEADLINE", "waiting for the text 'never'", id="text"),
        pytest.param({"element": "#never"}, "DEADLINE", "waiting for the element", id="element"),
        pytest.param({"vanished": "p"}, "DEADLINE", "to vanish", id="vanished"),
        pytest.param({"text": " "}, "BAD_INPUT", "empty", id="empty"),
        pytest.param({}, "BAD_INPUT", "nothing to wait for", id="nothing"),
        pytest.param({"element": "[["}, "BAD_SELECTOR", "CSS", id="selector"),
    ],
)
async def test_waiting_without_success(
    service: Service, page: AsyncPage, show: Show, condition: dict[str, str], reason: str, said: str
) -> None:
    await show("<p>Here</p>")
    with early_ends(service) as reserve_s, pytest.raises(RemoteError) as caught:
        await page.wait_for(**condition, timeout_s=reserve_s + 0.5)
    assert caught.value.reason == reason
    assert said in str(caught.value)


async def test_a_coordinate_is_refused_where_something_else_is_now(page: AsyncPage, show: Show) -> None:
    insert = "document.body.insertAdjacentHTML(`afterbegin`, `<p style=height:100px>Banner`)"
    await show(f"<button>Pay</button><button id=more onclick='{insert}'>More</button>")
    snapshot = await page.snapshot(mode="text")
    (pay,) = [each for each in snapshot.elements if each.name == "Pay"]
    coordinate = types_pb2.Coordinate(x=pay.click_point.x, y=pay.click_point.y, snapshot_id=snapshot.snapshot_id)
    await page.click("#more")
    with pytest.raises(RemoteError) as caught:
        await page.click(types_pb2.Target(coordinate=coordinate))
    assert caught.value.reason == "STALE_REF"
    assert 'showed button "Pay" there; it is at' in caught.value.plain


async def test_a_vision_ref_is_refused_once_its_pixels_have_changed(page: AsyncPage, show: Show) -> None:
    paint = (
        "const c = document.querySelector('canvas').getContext('2d'); const paint = (text) => { c.fillStyle = 'white';"
        "c.fillRect(0, 0, 300, 100); c.fillStyle = 'black'; c.font = '24px sans-serif'; c.fillText(text, 40, 60) }"
    )
    await show(
        "<title>0</title><canvas width=300 height=100 onclick='document.title = 1'></canvas><button>Swap</button>"
        f"<script>{paint}; paint('Export file');"
        "document.querySelector('button').onclick = () => paint('Delete all')</script>"
    )
    snapshot = await page.snapshot()
    (export,) = [each for each in snapshot.elements if "Export" in each.name and each.ref.startswith("v")]
    await page.click("button", skip_diff=True)
    with pytest.raises(RemoteError) as caught:
        await page.click(export.ref)
    assert caught.value.reason == "STALE_REF"
    assert await title_of(page) == "0"


async def test_windows_that_the_browser_blocks_are_in_the_notes(opening: AsyncPage, site: str) -> None:
    three = "[1, 2, 3].map(() => window.open('about:blank'))"
    await opening.navigate(f"{site}/html?body={quote(f'<button onclick={chr(34)}{three}{chr(34)}>Three</button>')}")
    result = await opening.click("button")
    assert len(result.new_tabs) == 1
    assert [each for each in result.notes if "2 other windows" in each]
    for each in result.new_tabs:
        await opening.close_tab(each.tab_id)

"""Hovering, dragging, checking, choosing and uploading over real gRPC, with the effect read in the page."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import grpc
import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.server.app import Service
from tests.support.live import Show
from tests.support.waiting import title_of

pytestmark = pytest.mark.usefixtures("patient_answers")

BOX = "style='width:80px;height:60px;background:tan'"
FIELD = "<title>0</title><label>{0} <input id=f type={1} oninput='document.title = this.value'></label>"


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


@pytest.fixture
def show(write: Show) -> Show:
    return write


@pytest.fixture(scope="module")
async def uploading(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """A session for tests that upload a little."""
    page = await client.open()
    yield page
    await page.close()


async def test_the_pointer_stays_where_it_hovers(page: AsyncPage, show: Show) -> None:
    await show(f"<title>0</title><div id=menu {BOX} onmouseenter='document.title = event.isTrusted'>Menu</div>")
    result = await page.hover("#menu")
    assert await title_of(page) == "true"
    assert (result.point.x, result.point.y) == (48, 38)


async def test_what_opens_under_the_pointer_and_takes_the_click_is_refused(page: AsyncPage, show: Show) -> None:
    veil = "document.body.insertAdjacentHTML(`beforeend`, `<div id=veil style=position:fixed;inset:0>`)"
    await show(f"<title>0</title><button onmouseenter='{veil}' onclick='document.title = 1'>Buy</button>")
    with pytest.raises(RemoteError) as caught:
        await page.click("button")
    assert caught.value.reason == "ELEMENT_OBSCURED"
    assert "div#veil" in str(caught.value)
    assert await title_of(page) == "0"


REDRAWN = """<title>0</title><div id=r></div><script>
let times = 0;
const draw = (name) => {{
  r.innerHTML = `{html}`;
  for (const b of r.querySelectorAll('button')) b.onclick = () => document.title = b.innerText.trim() + b.id;
  r.querySelector('button').onmouseenter = () => times++ || draw('{then}');
}};
draw('Save');
</script>"""


@pytest.mark.parametrize("by_ref", [True, False], ids=["ref", "name"])
@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<button>${name}</button>", id="alone"),
        pytest.param("<button><svg width=9 height=9><path d=M0,0h9v9z /></svg><b>${name}</b></button>", id="icon"),
        pytest.param("<section><button>${name}</button></section><button id=2>Cancel</button>", id="with-its-section"),
    ],
)  # fmt: skip
async def test_what_is_drawn_anew_when_the_pointer_comes_is_clicked(
    page: AsyncPage, show: Show, html: str, by_ref: bool
) -> None:
    await show(REDRAWN.format(html=html, then="Save"))
    listed = (await page.snapshot(mode="text")).elements
    ref = next(each.ref for each in listed if each.name == "Save")
    await page.click(ref if by_ref else 'button "Save"')
    assert await title_of(page) == "Save"


async def test_what_is_something_else_when_the_pointer_comes_is_not_clicked(page: AsyncPage, show: Show) -> None:
    await show(REDRAWN.format(html="<button>${name}</button><p><button id=2>Save</button>", then="Delete"))
    listed = (await page.snapshot(mode="text")).elements
    with pytest.raises(RemoteError) as caught:
        await page.click(next(each.ref for each in listed if each.name == "Save"))
    assert caught.value.reason == "STALE_REF"
    assert await title_of(page) == "0"


HELD = """<title>0</title><button style="width:99px">Hold</button><script>
const button = document.querySelector('button');
let from = 0;
button.onmousedown = () => from = performance.now();
button.onmouseup = (event) => document.title = `${Math.round((performance.now() - from) / 100) / 10} ${event.detail}`;
</script>"""


@pytest.mark.parametrize(("count", "hold"), [(1, 0.6), (2, 0.4)])
async def test_a_button_is_held_down(page: AsyncPage, show: Show, count: int, hold: float) -> None:
    await show(HELD)
    await page.click("button", hold=hold, click_count=count)
    seconds, clicks = (await title_of(page)).split()
    assert float(seconds) >= hold
    assert clicks == str(count)


async def test_a_button_is_released_where_the_deadline_passes(page: AsyncPage, show: Show) -> None:
    await show(HELD)
    with pytest.raises(RemoteError) as caught:
        await page.click("button", hold=9.0, timeout_s=3)
    assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED
    async with asyncio.timeout(30):
        while not (await title_of(page)).endswith(" 1"):  # noqa: ASYNC110  what the page does
            await asyncio.sleep(0.05)
    for hold in (-1.0, 11.0):
        with pytest.raises(RemoteError, match=r"hold is .* s: give 0"):
            await page.click("button", hold=hold)


async def test_what_moves_by_script_is_clicked_where_it_stops(page: AsyncPage, show: Show) -> None:
    move = (
        "let x = 0; const step = () => { b.style.marginLeft = `${x += 9}px`; if (x < 500) requestAnimationFrame(step) }"
    )
    await show(
        f"<title>0</title><button id=b onclick='document.title = 1'>Runs</button><script>{move}; step()</script>"
    )
    await page.click("#b")
    assert await title_of(page) == "1"


@pytest.mark.parametrize("native", [pytest.param(True, id="drag-and-drop"), pytest.param(False, id="mouse-moves")])
async def test_dragging_from_one_element_to_another(page: AsyncPage, show: Show, native: bool) -> None:
    if native:
        listeners = (
            "a.ondragstart = e => e.dataTransfer.setData('text', 'it'); b.ondragover = e => e.preventDefault();"
            "b.ondrop = e => document.title = e.dataTransfer.getData('text') + ' dropped'"
        )
    else:
        listeners = (
            "let n = 0; a.onmousedown = () => { onmousemove = () => n++ };"
            "onmouseup = e => document.title = n > 2 && e.target === b ? 'it dropped' : 'lost'"
        )
    draggable = "draggable=true" if native else ""
    await show(f"<div id=a {BOX} {draggable}>A</div><hr><div id=b {BOX}>B</div><script>{listeners}</script>")
    await page.drag("#a", "#b")
    assert await title_of(page) == "it dropped"


async def test_dragging_to_what_is_out_of_view(page: AsyncPage, show: Show) -> None:
    script = "a.onmousedown = () => { onmouseup = e => document.title = e.target.id }"
    await show(f"<div id=a {BOX}>A</div><p style='height:2000px'>x</p><div id=b {BOX}>B</div><script>{script}</script>")
    await page.drag("#a", "#b")
    assert await title_of(page) == "b"


async def test_a_slider_is_dragged_by_coordinate(page: AsyncPage, show: Show) -> None:
    await show(
        "<body style='margin:0'><input type=range style='width:200px;margin:0' oninput='document.title = this.value'>"
    )
    await page.drag((100, 8), (199, 8))
    assert await title_of(page) == "100"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<input type=checkbox id=c onchange='document.title = this.checked'>", id="native"),
        pytest.param(
            "<div id=c role=switch aria-checked=false onclick='this.ariaChecked = this.ariaChecked !== `true`;"
            "document.title = this.ariaChecked'>Dark</div>",
            id="switch",
        ),
    ],
)
async def test_checking_is_done_once(page: AsyncPage, show: Show, body: str) -> None:
    await show(f"<title>0</title>{body}")
    await page.check("#c")
    assert await title_of(page) == "true"
    result = await page.check("#c")
    assert "not clicked" in result.notes[0]
    await page.check("#c", False)
    assert await title_of(page) == "false"


async def test_what_cannot_be_checked(page: AsyncPage, show: Show) -> None:
    await show("<title>0</title><button>Go</button><input type=checkbox onclick='event.preventDefault()'>")
    assert (await refused(page.check("button"))).reason == "NOT_CHECKABLE"
    assert (await refused(page.check("input"))).reason == "NOT_TAKEN"


LIST = (
    "<title>0</title><select id=s {0} onchange='"
    "document.title = [...this.selectedOptions].map(each => each.value) + ` ` + event.isTrusted'><option value=a>Alpha"
    "<option value=b>Beta<option disabled>Gone<option value=c>Gamma</select>"
)


@pytest.mark.parametrize(
    ("attributes", "options", "selected"),
    [
        pytest.param("", ["Gamma"], "c true", id="by-label"),
        pytest.param("", ["b"], "b true", id="by-value"),
        pytest.param("", ["  beta "], "b true", id="whatever-its-case"),
        pytest.param("size=4", ["Beta"], "b true", id="open-list"),
        pytest.param("multiple", ["Alpha", "Gamma"], "a,c true", id="several"),
    ],
)
async def test_options_are_chosen_by_real_input(
    page: AsyncPage, show: Show, attributes: str, options: list[str], selected: str
) -> None:
    await show(LIST.format(attributes))
    result = await page.select("#s", *options)
    assert await title_of(page) == selected
    assert not result.notes


async def test_a_list_that_takes_no_keys_is_set_by_script_and_that_is_reported(page: AsyncPage, show: Show) -> None:
    await show(LIST.format("onkeydown='event.preventDefault()' onmousedown='event.preventDefault()'"))
    result = await page.select("#s", "Gamma")
    assert await title_of(page) == "c false"
    assert "by script" in result.notes[0]


async def test_an_option_of_a_list_that_the_page_made(page: AsyncPage, show: Show) -> None:
    options = "".join(
        f"<div role=option onclick='document.title = this.textContent'>{each}</div>" for each in ("Red", "Blue")
    )
    await show(
        "<title>0</title><div role=combobox aria-expanded=false aria-controls=l tabindex=0 id=c onclick="
        "'this.ariaExpanded = true; setTimeout(() => l.hidden = false, 200)'>Color</div>"
        f"<div id=l role=listbox hidden>{options}</div>"
    )
    await page.select("#c", "Blue")
    assert await title_of(page) == "Blue"


@pytest.mark.parametrize(
    ("target", "options", "reason", "said"),
    [
        pytest.param("#s", ["Delta"], "NO_SUCH_OPTION", '"Alpha", "Beta", "Gone", "Gamma"', id="unknown"),
        pytest.param("#s", ["Gone"], "ELEMENT_DISABLED", "disabled", id="disabled"),
        pytest.param("#s", ["Alpha", "Beta"], "BAD_INPUT", "takes one option", id="too-many"),
        pytest.param("#s", [], "BAD_INPUT", "no option", id="none"),
        pytest.param("body", ["Alpha"], "NOT_SELECTABLE", "offers no options", id="no-list"),
    ],
)
async def test_options_that_cannot_be_chosen(
    page: AsyncPage, show: Show, target: str, options: list[str], reason: str, said: str
) -> None:
    await show(LIST.format(""))
    error = await refused(page.select(target, *options))
    assert error.reason == reason
    assert said in str(error)
    assert await title_of(page) == "0"


@pytest.mark.parametrize(
    ("kind", "text"), [("date", "2026-11-22"), ("time", "08:15"), ("color", "#0a0b0c"), ("range", "30")]
)
async def test_fields_with_a_picker_take_a_value(page: AsyncPage, show: Show, kind: str, text: str) -> None:
    await show(FIELD.format("When", kind))
    result = await page.type_text("#f", text)
    assert await title_of(page) == text
    assert ("by script" in str(result.notes)) == (kind != "range")  # which is moved by keys


async def test_an_error_for_a_malformed_value_names_the_right_form(page: AsyncPage, show: Show) -> None:
    await show(FIELD.format("When", "date"))
    error = await refused(page.type_text("#f", "tomorrow"))
    assert error.reason == "BAD_INPUT"
    assert "2026-12-31" in str(error)
    assert await title_of(page) == "0"


@pytest.mark.parametrize("text", ["700", "loud", ""])
async def test_a_slider_that_does_not_take_a_number_is_no_success(page: AsyncPage, show: Show, text: str) -> None:
    await show(FIELD.format("Volume", "range"))
    error = await refused(page.type_text("#f", text))
    assert error.reason == "BAD_INPUT"
    assert "a number within its limits" in str(error)
    assert await title_of(page) == "0"


async def test_a_read_only_field_is_reported(page: AsyncPage, show: Show) -> None:
    await show("<input id=f readonly value=a><textarea id=g readonly>b</textarea>")
    for selector in ("#f", "#g"):
        error = await refused(page.type_text(selector, "c"))
        assert error.reason == "NOT_EDITABLE"
        assert "is read-only" in str(error)


async def test_a_key_on_a_button_does_not_click_it_first(page: AsyncPage, show: Show) -> None:
    await show("<title>0</title><button onclick='document.title = +document.title + 1'>More</button><p id=p>x</p>")
    await page.press("Enter", "button")
    assert await title_of(page) == "1"
    assert (await refused(page.press("Enter", "#p"))).reason == "NOT_REACHABLE"


FILES = (
    "<title>0</title><input type=file id=f {0} "
    "onchange='document.title = [...this.files].map(each => each.name + each.size)'>"
)


async def test_files_by_name_and_by_content(uploading: AsyncPage, site: str) -> None:
    await uploading.navigate(f"{site}/html?body={quote(FILES.format('multiple'))}")
    await uploading.upload("#f", "cv.txt", contents={"notes.md": b"# Hi", "😀 a:b.txt": b""})
    assert await title_of(uploading) == "cv.txt7,notes.md4,😀 a:b.txt0"


async def test_a_button_that_opens_a_file_chooser_takes_files(uploading: AsyncPage, site: str) -> None:
    button = "<button onclick='f.click()'>Choose</button>"
    await uploading.navigate(f"{site}/html?body={quote(FILES.format('hidden') + button)}")
    await uploading.upload("button", "photo.png")
    assert await title_of(uploading) == "photo.png4"


@pytest.mark.parametrize(
    ("target", "paths", "reason", "said"),
    [
        pytest.param("#f", ["nope.txt"], "NO_SUCH_FILE", "cv.txt, photo.png", id="missing"),
        pytest.param("#f", ["../socket"], "BAD_INPUT", "leads out", id="outside"),
        pytest.param("#f", ["/etc/passwd"], "BAD_INPUT", "leads out", id="absolute"),
        pytest.param("#f", [], "BAD_INPUT", "no file", id="none"),
        pytest.param("#f", ["cv.txt", "photo.png"], "BAD_INPUT", "takes one file", id="too-many"),
        pytest.param("p", ["cv.txt"], "NOT_A_FILE_FIELD", "opens no file chooser", id="no-field"),
    ],
)
async def test_files_that_cannot_be_given(
    page: AsyncPage, show: Show, target: str, paths: list[str], reason: str, said: str
) -> None:
    await show(FILES.format("") + "<p>Text</p>")
    error = await refused(page.upload(target, *paths))
    assert error.reason == reason
    assert said in str(error)
    assert await title_of(page) == "0"


async def test_links_and_pipes_of_the_upload_directory_are_not_followed(
    service: Service, uploading: AsyncPage, site: str, tmp_path: Path
) -> None:
    folder = service.context.settings.upload_dir
    assert folder is not None
    (tmp_path / "secret").write_text("outside")
    (folder / "out").symlink_to(tmp_path / "secret")
    (folder / "circle").symlink_to(folder / "circle")
    (folder / "same").symlink_to(folder / "cv.txt")
    os.mkfifo(folder / "pipe")
    try:
        await uploading.navigate(f"{site}/html?body={quote(FILES.format(''))}")
        assert (await refused(uploading.upload("#f", "out"))).reason == "BAD_INPUT"
        assert (await refused(uploading.upload("#f", "circle"))).reason in ("BAD_INPUT", "NO_SUCH_FILE")
        assert (await refused(uploading.upload("#f", "pipe"))).reason == "NO_SUCH_FILE"
        await uploading.upload("#f", "same")
        assert await title_of(uploading) == "cv.txt7"
    finally:
        for name in ("out", "circle", "same", "pipe"):
            (folder / name).unlink()


async def test_a_sessions_uploads_are_limited(page: AsyncPage, show: Show) -> None:
    await show(FILES.format(""))
    content = b"x" * 600_000
    await page.upload("#f", contents={"a.bin": content})
    error = await refused(page.upload("#f", contents={"b.bin": content}))
    assert (error.code.name, error.reason) == ("RESOURCE_EXHAUSTED", "UPLOAD_LIMIT")
    assert (error.limit, error.setting) == (1, "PERCEPTION_MAX_SESSION_UPLOADS_MIB")
    assert await title_of(page) == "a.bin600000"


async def refused(call: Any) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await call
    return caught.value

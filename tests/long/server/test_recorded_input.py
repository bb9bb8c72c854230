"""What is recorded of dialogs, hovers, drags, pop-ups, file choices and editors, and what a replay of it does."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterator

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.datasets.sources.arrival import arrive
from perception.deadline import Deadline
from perception.server.app import Service
from perception.v1 import subroutine_service_pb2 as pb
from tests.long.server.test_subroutine_replays import Replays
from tests.support.inbox_app import Inbox, serve_inbox
from tests.support.waiting import until

SEND = "const send = (text) => fetch('/sent', { method: 'POST', body: text });"


@pytest.fixture(scope="module")
def served() -> Iterator[Inbox]:
    with serve_inbox() as app:
        yield app


@pytest.fixture
def app(served: Inbox) -> Inbox:
    served.begin_again()
    return served


@pytest.fixture(scope="module")
async def pages() -> AsyncIterator[list[AsyncPage]]:
    """The session that the next test uses; none where the last one has left a pop-up."""
    pages: list[AsyncPage] = []
    yield pages
    for page in pages:
        await page.close()


@pytest.fixture
async def page(client: AsyncClient, pages: list[AsyncPage]) -> AsyncIterator[AsyncPage]:
    page = pages.pop() if pages else await client.open()
    yield page
    if len(await page.tabs()) > 1:
        await page.close()
    else:
        pages.append(page)


@pytest.fixture(scope="module")
def recordings() -> dict[str, str]:
    """Ids of recordings that several tests make subroutines of."""
    return {}


@pytest.fixture
async def replays(
    client: AsyncClient, page: AsyncPage, app: Inbox, recordings: dict[str, str]
) -> AsyncIterator[Replays]:
    replays = Replays(client, page, app, recordings)
    yield replays
    for subroutine_id in replays.made:
        await replays.tools.delete(subroutine_id)


async def created(replays: Replays, recording_id: str, plan: str = "dom") -> pb.Subroutine:
    await replays.tools.stop(replays.page, recording_id)
    return await replays.create(recording_id, plan=plan)


# Dialogs


async def answer(page: AsyncPage, *, accept: bool) -> None:
    """Answers the next dialog, once it is there."""
    async with asyncio.timeout(30):
        while True:
            with contextlib.suppress(RemoteError):  # it has not opened yet
                await page.handle_dialog(accept)
                return


LEAVING = f"""<!doctype html><title>Draft</title><label>Word <input id=word></label><button>Send</button><script>{SEND}
onbeforeunload = (event) => event.preventDefault();
document.querySelector('button').onclick = () => send(document.querySelector('#word').value);</script>"""


async def test_page_that_asks_before_it_is_left_is_left_by_each_replay(replays: Replays, service: Service) -> None:
    recording_id = await replays.start("/draft", LEAVING)
    await replays.page.type_text("#word", "w0", skip_diff=True)
    await replays.page.click("button", skip_diff=True)
    made = await created(replays, recording_id)
    for word in ("w1", "w2"):  # which leave the recording's page, and that of the run before
        done = await replays.run(made, word=word)
        assert done.success, done.error
    assert replays.app.bodies == [b"w0", b"w1", b"w2"]
    # The next test is shown its page in this tab.
    tab = service.context.sessions.get(replays.page.session_id).browser.tab()
    await arrive(tab, Deadline.of(60))
    await tab.page.evaluate("onbeforeunload = null")


ASKING = f"""<!doctype html><title>Names</title><label>Old <input id=old></label><button>Rename</button><script>{SEND}
document.querySelector('button').onclick = () => {{
  const old = document.querySelector('#old').value;
  if (old === 'taken') {{ alert('The name taken is in use'); return; }}
  const now = prompt(`New name of ${{old}}`);
  if (now !== null && confirm(`Rename ${{old}}?`)) send(`${{old}} ${{now}}`);
}};</script>"""


async def rename(replays: Replays) -> pb.Subroutine:
    async def record() -> str:
        recording_id = await replays.start("/names", ASKING)
        await replays.page.type_text("#old", "anna", skip_diff=True)
        await replays.page.click("button", skip_diff=True)
        await replays.page.handle_dialog(accept=True, prompt_text="ben")
        await answer(replays.page, accept=True)
        await replays.tools.stop(replays.page, recording_id)
        assert replays.app.bodies == [b"anna ben"]
        return recording_id

    replays.app.pages["/names"] = ASKING
    return await replays.create(await replays.recorded("rename", record), plan="dom")


async def test_dialogs_are_answered_as_they_were_and_the_text_of_a_prompt_is_a_parameter(replays: Replays) -> None:
    made = await rename(replays)
    assert [each for each in made.body.splitlines() if "await answerDialog" in each][1].strip() == (
        'await answerDialog({ type: "confirm", message: `Rename ${params.old}?`, accept: true });'
    )
    done = await replays.run(made, old="carl", new_name_of_anna="dora")
    assert done.success, done.error
    assert replays.app.bodies == [b"carl dora"]


ORDERS = f"""<!doctype html><title>Orders</title><table><thead><tr><th>Order<th>Action<tbody></table>
<script>{SEND}
for (const order of ['7', '17', '18']) {{
  const row = document.querySelector('tbody').insertRow();
  row.innerHTML = `<td>${{order}}</td><td><button>Delete</button></td>`;
  row.querySelector('button').onclick = () => {{ if (confirm(`Delete ${{order}}?`)) send(order); }};
}}</script>"""


async def test_question_about_a_row_with_a_short_number_is_asked_about_the_row_of_the_run(replays: Replays) -> None:
    recording_id = await replays.start("/orders", ORDERS)
    await replays.page.click("tr:nth-child(1) button", skip_diff=True)
    await answer(replays.page, accept=True)
    made = await created(replays, recording_id)
    found = re.search(r"`Delete \$\{params\.(\w+)\}\?`", made.body)
    assert found, made.body
    for order in ("17", "18"):
        done = await replays.run(made, **{found[1]: order})
        assert done.success, done.error
    assert replays.app.bodies == [b"7", b"17", b"18"]


async def test_another_dialog_ends_the_row_with_its_words_and_the_next_row_works(replays: Replays) -> None:
    made = await rename(replays)
    refused = await replays.run(made, old="taken", new_name_of_anna="dora")
    assert (refused.success, refused.reason, refused.sent) == (False, "REFUSED", False)
    assert "The name taken is in use" in refused.error
    assert "at step" in refused.error
    done = await replays.run(made, old="carl", new_name_of_anna="dora")
    assert done.success, done.error
    assert replays.app.bodies == [b"carl dora"]


async def test_question_that_was_declined_is_declined_again(replays: Replays) -> None:
    recording_id = await replays.start("/names", ASKING)
    await replays.page.type_text("#old", "anna", skip_diff=True)
    await replays.page.click("button", skip_diff=True)
    await answer(replays.page, accept=False)
    made = await created(replays, recording_id)
    assert (await replays.run(made, old="carl")).success
    assert replays.app.bodies == []


async def test_dialog_that_opens_between_two_runs_does_not_stop_the_next(replays: Replays, service: Service) -> None:
    made = await rename(replays)
    link = service.context.sessions.get(replays.page.session_id).browser.tab().link
    script = "setTimeout(() => alert('Still there?'), 0)"
    await link.evaluate(link.main_frame, script, Deadline.of(30), "")
    await until(lambda: link.dialogs.open is not None)
    done = await replays.run(made, old="carl", new_name_of_anna="dora")
    assert done.success, done.error
    assert replays.app.bodies == [b"carl dora"]


# Hovers and drags

MENU = f"""<!doctype html><title>Menu</title><style>#sub {{ display: none }} #file:hover #sub {{ display: block }}
li {{ width: 120px; height: 30px }}</style><p>Words</p>
<ul><li id=file>File<ul id=sub><li><button>Archive</button></ul></ul><button id=plain>Plain</button><script>{SEND}
for (const each of document.querySelectorAll('button')) each.onclick = () => send(each.textContent);</script>"""


async def test_hover_that_opened_a_menu_is_recorded_and_others_are_not(replays: Replays) -> None:
    recording_id = await replays.start("/menu", MENU)
    page = replays.page
    await page.hover("p", skip_diff=True)
    await page.click("#plain", skip_diff=True)
    await page.hover("p", skip_diff=True)
    await page.hover("#file", skip_diff=True)
    await page.click("#sub button", skip_diff=True)
    made = await created(replays, recording_id)
    steps = [line.split("(")[0].strip() for line in made.body.splitlines() if line.startswith("  await")]
    assert steps[:4] == ["await goto", "await click", "await hover", "await click"]
    done = await replays.run(made)
    assert done.success, done.error
    assert replays.app.bodies == [b"Plain", b"Archive"] * 2


ROWS = f"""<!doctype html><title>Rows</title><style>tr button {{ visibility: hidden }}
tr:hover button {{ visibility: visible }} td {{ height: 30px }}</style><h1>People</h1>
<table><tr><td>Ana</td><td>x</td><td><button>Edit</button></td></tr>
<tr><td>Ben</td><td>x</td><td><button>Edit</button></td></tr></table><script>{SEND}
for (const each of document.querySelectorAll('button'))
  each.onclick = () => send(each.closest('tr').cells[0].textContent);</script>"""


async def test_button_of_a_row_that_shows_it_by_hovering(replays: Replays) -> None:
    recording_id = await replays.start("/rows", ROWS)
    await replays.page.hover("tr:nth-child(2) td:first-child", skip_diff=True)
    await replays.page.click("tr:nth-child(2) button", skip_diff=True)
    made = await created(replays, recording_id)
    done = await replays.run(made, row="Ana")
    assert done.success, f"{done.error} {made.body}"
    assert replays.app.bodies == [b"Ben", b"Ana"]


def board(script: str) -> str:
    return f"""<!doctype html><title>Board</title><style>div {{ width: 200px; height: 60px; border: 1px solid }}</style>
    <h2>Open</h2><div id=open aria-label=Open role=group><li id=card style="width: 80px; user-select: none">Card
    one</li></div>
    <h2>Done</h2><div id=done aria-label=Done role=group></div><script>{SEND}{script}</script>"""


NATIVE = """card.draggable = true;
card.ondragstart = (event) => event.dataTransfer.setData('text', 'card');
done.ondragover = (event) => event.preventDefault();
done.ondrop = (event) => { event.preventDefault(); done.append(card); send('moved'); };"""

POINTER = """let held = false;
card.onpointerdown = (event) => { held = true; };
onpointermove = (event) => { if (held) card.style.transform = `translate(${event.movementX}px, 1px)`; };
onpointerup = (event) => {
  if (!held) return;
  held = false;
  card.style.transform = '';
  const box = done.getBoundingClientRect();
  if (event.clientY > box.top && event.clientY < box.bottom) { done.append(card); send('moved'); }
};"""


@pytest.mark.parametrize("script", [NATIVE, POINTER], ids=["html", "pointer"])
async def test_drag_is_recorded_and_done_again(replays: Replays, script: str) -> None:
    recording_id = await replays.start("/board", board(script))
    await replays.page.drag("#card", "#done", skip_diff=True)
    made = await created(replays, recording_id)
    assert "await drag(" in made.body
    done = await replays.run(made)
    assert done.success, done.error
    assert replays.app.bodies == [b"moved", b"moved"]


# Pop-ups

OPENER = f"""<!doctype html><title>Orders</title><button id=pick onclick="window.open('/pick')">Pick</button>
<p>Customer: <output id=chosen></output></p><button id=save>Save</button><script>{SEND}
function choose(name) {{ document.querySelector('#chosen').textContent = name; }}
document.querySelector('#save').onclick = () => send(document.querySelector('#chosen').textContent);</script>"""

PICK = """<!doctype html><title>Pick</title><label>Name <input id=name></label><button>Use</button><script>
document.querySelector('button').onclick = () => { opener.choose(document.querySelector('#name').value); close(); };
</script>"""


async def popup_of(page: AsyncPage) -> str:
    """Once it is there: the answer to a click does not wait long for it."""
    async with asyncio.timeout(30):
        while True:
            for each in await page.tabs():
                if each.opener_tab_id:
                    return each.tab_id


async def until_alone(page: AsyncPage) -> None:
    """Until every pop-up is closed: one that closes itself does so after the step that has it close."""
    async with asyncio.timeout(30):
        while len(await page.tabs()) > 1:
            pass


async def test_pop_up_that_closes_itself_belongs_to_the_task(replays: Replays) -> None:
    recording_id = await replays.start("/orders", OPENER)
    replays.app.pages["/pick"] = PICK
    page = replays.page
    await page.click("#pick", skip_diff=True)
    popup = await popup_of(page)
    await page.type_text("#name", "Ana", skip_diff=True, tab_id=popup)
    await page.click("button", skip_diff=True, tab_id=popup)
    await page.click("#save", skip_diff=True)
    made = await created(replays, recording_id)
    done = await replays.run(made, name="Ben")
    assert done.success, done.error
    assert replays.app.bodies == [b"Ana", b"Ben"]
    await until_alone(page)


async def test_pop_up_of_another_origin_ends_the_run(replays: Replays, other_site: str) -> None:
    recording_id = await replays.start("/orders", OPENER)
    replays.app.pages["/pick"] = PICK
    page = replays.page
    await page.click("#pick", skip_diff=True)
    popup = await popup_of(page)
    await page.type_text("#name", "Ana", skip_diff=True, tab_id=popup)
    await page.click("button", skip_diff=True, tab_id=popup)
    made = await created(replays, recording_id)
    replays.app.pages["/orders"] = OPENER.replace("/pick", f"{other_site}/pick")
    ended = await replays.run(made, name="Ben")
    assert (ended.success, ended.reason, ended.sent) == (False, "OTHER_ORIGIN", False)


BLANK = f"""<!doctype html><title>Orders</title><button id=pick>Pick</button><script>{SEND}
document.querySelector('#pick').onclick = () => {{
  const popup = window.open('', 'note');
  popup.document.write('<label>Name <input id=name></label><button>Use</button>');
  popup.document.querySelector('button').onclick = () => send(popup.document.querySelector('#name').value);
}};</script>"""

LINKED = """<!doctype html><title>Orders</title><a target=_blank href="/pick">Pick</a>"""

LINKED_PICK = f"""<!doctype html><title>Pick</title><label>Name <input id=name></label><button>Use</button>
<script>{SEND}
document.querySelector('button').onclick = () => send(document.querySelector('#name').value);</script>"""


@pytest.mark.parametrize(("html", "opener"), [(BLANK, "#pick"), (LINKED, "a")], ids=["written", "linked"])
async def test_pop_up_that_somebody_closes_is_closed_by_each_run(replays: Replays, html: str, opener: str) -> None:
    recording_id = await replays.start("/orders", html)
    replays.app.pages["/pick"] = LINKED_PICK
    page = replays.page
    await page.click(opener, skip_diff=True)
    popup = await popup_of(page)
    await page.type_text("#name", "Ana", skip_diff=True, tab_id=popup)
    await page.click("button", skip_diff=True, tab_id=popup)
    made = await created(replays, recording_id)
    await page.close_tab(popup)
    done = await replays.run(made, name="Ben")
    assert done.success, f"{done.error} {made.body}"
    assert replays.app.bodies == [b"Ana", b"Ben"]
    assert len(await page.tabs()) == 1


# Files

ATTACH = f"""<!doctype html><title>Attach</title><button id=attach>Attach</button><script>{SEND}
document.querySelector('#attach').onclick = () => {{
  const field = %s;
  field.onchange = () => send([...field.files].map((file) => file.name).join());
  field.click();
}};</script>"""

DETACHED = "Object.assign(document.createElement('input'), { type: 'file' })"
HIDDEN = """document.body.appendChild(Object.assign(document.createElement('input'), { type: 'file', hidden: true }))"""


@pytest.mark.parametrize("field", [DETACHED, HIDDEN], ids=["detached", "hidden"])
async def test_files_that_a_script_asks_for_are_given_to_what_opens_the_chooser(
    replays: Replays, service: Service, field: str, request: pytest.FixtureRequest
) -> None:
    folder = service.context.settings.upload_dir
    assert folder is not None
    for name in ("one.txt", "two.txt"):
        (folder / name).write_text(name)
        request.addfinalizer((folder / name).unlink)  # other tests list what is in it
    recording_id = await replays.start("/attach", ATTACH % field)
    await replays.page.upload("#attach", "one.txt", skip_diff=True)
    made = await created(replays, recording_id)
    assert made.body.count("click(") == 0
    done = await replays.run(made, **{next(iter(made.parameters_schema["properties"])): "two.txt"})
    assert done.success, done.error
    assert replays.app.bodies == [b"one.txt", b"two.txt"]


# Editors

SAVE = f"<button id=save>Save</button><script>{SEND}</script>"

SAVE_FRAME = """<script>document.querySelector('#save').onclick = () => fetch('/sent', { method: 'POST',
  headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ html:
  document.querySelector('iframe').contentDocument.body.innerHTML, title: document.querySelector('#title')?.value }) });
  const frame = document.querySelector('iframe');</script>"""

WRITTEN = (
    f"<!doctype html><title>Letter</title><iframe id=letter title='Letter text'></iframe>{SAVE}{SAVE_FRAME}"
    """<script>const inner = frame.contentDocument; inner.open();
    inner.write('<!doctype html><body contenteditable style="min-height: 80px"><p><br></p></body>');
    inner.close();</script>"""
)

SRCDOC = (
    "<!doctype html><title>Letter</title><iframe srcdoc='<!doctype html><body contenteditable "
    f"""style="min-height: 80px"></body>'></iframe>{SAVE}{SAVE_FRAME}"""
)

DESIGN = (
    f"<!doctype html><title>Letter</title><iframe id=letter></iframe>{SAVE}{SAVE_FRAME}"
    "<script>frame.contentDocument.designMode = 'on';</script>"
)


@pytest.mark.parametrize("html", [WRITTEN, SRCDOC, DESIGN], ids=["document-write", "srcdoc", "design-mode"])
async def test_text_of_an_editor_in_a_frame_without_an_address_is_a_parameter(replays: Replays, html: str) -> None:
    recording_id = await replays.start("/letter", html)
    page = replays.page
    frame = next(each for each in (await page.snapshot(mode="text")).elements if each.role == "iframe")
    await page.click(frame.ref, skip_diff=True)
    await page.type_text(None, "Dear Ana", skip_diff=True)
    await page.click("#save", skip_diff=True)
    made = await created(replays, recording_id, "")
    assert "Dear Ana" not in made.body
    names = list(made.parameters_schema["properties"])
    assert len(names) == 1, names
    done = await replays.run(made, **{names[0]: "Dear Ben"})
    assert done.success, f"{done.error} {made.body}"
    assert b"Dear Ben" in replays.app.bodies[1]
    assert b"Ana" not in replays.app.bodies[1]


PAINTED = f"""<!doctype html><title>Code</title><style>#editor {{ position: relative; width: 400px; height: 120px;
border: 1px solid }} #keys {{ position: absolute; left: 4px; width: 2px; height: 2px; opacity: 0 }}</style>
<div id=editor><textarea id=keys aria-label=Code></textarea><pre id=lines></pre></div>{SAVE}<script>
let text = '%s', all = false;
const keys = document.querySelector('#keys'), lines = document.querySelector('#lines');
const paint = () => {{ lines.textContent = text; }};
document.querySelector('#editor').onmousedown = (event) => {{ event.preventDefault(); keys.focus(); }};
keys.onkeydown = (event) => {{
  if (event.key === 'a' && event.ctrlKey) {{ all = true; event.preventDefault(); }}
  else if (event.key === 'Delete' && all) {{ text = ''; all = false; paint(); }}
  else if (event.key === 'Enter') {{ text += '\\n'; paint(); event.preventDefault(); }}
}};
keys.oninput = () => {{ text += keys.value; keys.value = ''; paint(); }};
document.querySelector('#save').onclick = () => send(text);
paint();</script>"""


async def test_text_of_an_editor_with_a_hidden_field_is_written_again(replays: Replays) -> None:
    recording_id = await replays.start("/code", PAINTED % "")
    page = replays.page
    await page.click("#editor", skip_diff=True)
    await page.type_text(None, "let a", skip_diff=True)
    await page.press("Enter", skip_diff=True)
    await page.type_text(None, "let b", skip_diff=True)
    await page.click("#save", skip_diff=True)
    made = await created(replays, recording_id, "")
    assert "let a" not in made.body
    done = await replays.run(made, code="one\ntwo")
    assert done.success, f"{done.error} {made.body}"
    assert replays.app.bodies == [b"let a\nlet b", b"one\ntwo"]


async def test_text_that_was_typed_somewhere_within_another_is_left_out_in_words(replays: Replays) -> None:
    recording_id = await replays.start("/code", PAINTED % "begin ")
    page = replays.page
    await page.click("#editor", skip_diff=True)
    await page.type_text(None, "end", skip_diff=True)
    await page.click("#save", skip_diff=True)
    stopped = await replays.tools.stop(page, recording_id)
    assert [each for each in stopped.left_out if "within the text of an editor" in each]
    with pytest.raises(RemoteError, match="lacks a part of the task") as caught:
        await replays.create(recording_id)
    assert caught.value.reason == "PLAN_NOT_POSSIBLE"

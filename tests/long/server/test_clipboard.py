"""The clipboard of a session: copy and paste in editors, and two sessions side by side, one of which spies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import pytest

from perception.browser.page import clipboard
from perception.client import AsyncClient, AsyncPage, RemoteError, steps
from perception.errors import BadInputError

pytestmark = pytest.mark.usefixtures("kept_contexts")

SECRET = "the account is 4711"

EDITORS = f"""<!doctype html><textarea id=area>{SECRET}</textarea><input id=line><div id=rich contenteditable>Some
<b>bold</b> words</div><input id=pass type=password value=hidden><p id=plain>Plain words</p>
<script>
  const heard = [];
  for (const kind of ['keydown', 'copy', 'cut', 'paste', 'input'])
    addEventListener(kind, e => heard.push([kind, e.key || e.inputType || '', e.isTrusted]), true);
</script>"""

SPY = """<!doctype html><title>Spy</title><textarea id=area></textarea><button id=b>Try</button>
<script>
  const seen = [];
  const note = what => { if (what) seen.push(String(what)) };
  for (const place of [window, document])
    place.addEventListener('paste', e => note(e.clipboardData.getData('text/plain')), true);
  area.addEventListener('input', () => note(area.value));
  let frame;
  async function spy() {
    frame ??= document.body.appendChild(document.createElement('iframe'));
    for (const of of [window, frame.contentWindow]) {
      try { note(await of.navigator.clipboard.readText()) } catch (e) {}
      try {
        for (const item of await of.navigator.clipboard.read())
          note(await (await item.getType('text/plain')).text());
      } catch (e) {}
      try { area.focus(); of.document.execCommand('paste') } catch (e) {}
      try { document.execCommand('paste') } catch (e) {}
    }
  }
  function spyFromNewFrame() {
    frame?.remove();
    frame = undefined;
    return spy();
  }
  b.onclick = spyFromNewFrame;
  setInterval(spy, 200); addEventListener('keydown', spy); addEventListener('mouseup', spy);
</script>"""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page on a busy machine has time to say what it has copied."""
    monkeypatch.setattr(clipboard, "COLLECT_SECONDS", 20.0)


@pytest.fixture
async def page(client: AsyncClient, site: str) -> AsyncIterator[AsyncPage]:
    page = await client.open(f"{site}/html?body={quote(EDITORS)}", allow_evaluate=True)
    yield page
    await page.close()


@pytest.fixture
async def spy(client: AsyncClient, site: str) -> AsyncIterator[AsyncPage]:
    """A neighbor whose page reads whatever a page can read."""
    page = await client.open(f"{site}/html?body={quote(SPY)}", allow_evaluate=True)
    yield page
    await page.close()


async def _select(page: AsyncPage, selector: str) -> None:
    await page.click(selector, skip_diff=True)
    await page.press("Control+A", skip_diff=True)


async def _spy_everywhere(spy: AsyncPage) -> Any:
    """Whatever a client can have the neighbor's page do; returns what the page has seen."""
    keys = ("Control+V", "Control+Shift+V", "Shift+Insert", "Cmd+V", "Meta+v", "ControlLeft+KeyV")
    done = await spy.batch(
        [
            steps.click("#b"),
            steps.click("#area"),
            *map(steps.press, keys),
            steps.click("#area", button="middle"),
            steps.click("#b", button="middle"),
        ],
        skip_diff=True,
    )
    assert not done.HasField("stop")
    await spy.evaluate("spyFromNewFrame()")
    await spy.evaluate("() => { area.focus(); return document.execCommand('paste') }")
    return await spy.evaluate("seen")


async def test_text_goes_from_a_field_into_others(page: AsyncPage) -> None:
    await _select(page, "#area")
    await page.press("Control+C", skip_diff=True)
    assert (await page.read_clipboard()).text == SECRET
    for target in ("#line", "#rich"):
        await _select(page, target)
        await page.press("Control+V", skip_diff=True)
    assert await page.evaluate("[line.value, rich.innerText.trim(), area.value]") == [SECRET, SECRET, SECRET]
    heard = await page.evaluate("heard")
    assert ["keydown", "c", True] in heard
    assert ["keydown", "v", True] in heard
    assert [each[0] for each in heard if each[0] in ("copy", "paste")] == ["copy", "paste", "paste"]
    assert ["input", "insertText", True] in heard


async def test_what_is_cut_goes_to_another_tab_of_the_session(page: AsyncPage, site: str) -> None:
    await _select(page, "#area")
    await page.press("Control+X", skip_diff=True)
    assert await page.evaluate("area.value") == ""
    await page.new_tab(f"{site}/html?body={quote(EDITORS)}")
    await _select(page, "#line")
    await page.press("Shift+Insert", skip_diff=True)
    assert await page.evaluate("line.value") == SECRET


async def test_rich_text_stays_rich_and_harmless(page: AsyncPage) -> None:
    await page.write_clipboard(
        "Bold", "<b>Bold</b><img src=x onerror='window.hacked = 1'><script>window.hacked = 1</script>"
    )
    await _select(page, "#rich")
    await page.press("Control+V", skip_diff=True)
    assert await page.evaluate("rich.querySelector('b').textContent") == "Bold"
    assert await page.evaluate("[window.hacked ?? 0, rich.innerHTML.includes('onerror')]") == [0, False]
    await _select(page, "#rich")
    await page.press("Control+Shift+V", skip_diff=True)
    assert await page.evaluate("rich.innerText.trim()") == "Bold"


async def test_a_page_that_handles_the_keys_itself_is_let(page: AsyncPage) -> None:
    await page.write_clipboard("pasted")
    await page.evaluate(
        """() => {
          const stop = e => e.preventDefault();
          addEventListener('copy', e => { e.clipboardData.setData('text/plain', 'from the page'); stop(e) });
          line.addEventListener('paste', e => { line.value = `<${e.clipboardData.getData('text')}>`; stop(e) });
          area.addEventListener('keydown', e => { if (e.ctrlKey && e.key === 'v') stop(e) });
        }"""
    )
    await _select(page, "#area")
    await page.press("Control+V", skip_diff=True)
    await _select(page, "#line")
    await page.press("Control+V", skip_diff=True)
    await page.press("Control+C", skip_diff=True)
    assert await page.evaluate("[area.value, line.value]") == [SECRET, "<pasted>"]
    assert (await page.read_clipboard()).text == "from the page"


async def test_what_a_page_copies_by_itself_is_on_the_clipboard(page: AsyncPage) -> None:
    for script in (
        "navigator.clipboard.writeText('one')",
        "navigator.clipboard.write([new ClipboardItem({'text/plain': new Blob(['two'], {type: 'text/plain'})})])",
        "area.value = 'three', area.select(), document.execCommand('copy')",
        "area.value = 'four', area.select(), document.execCommand('cut')",
    ):
        copying = f"(async () => {{ try {{ await ({script}); return 1 }} catch (e) {{ return String(e) }} }})()"
        await page.evaluate(f"() => {{ window.went = 0; plain.onclick = () => {{ window.went = {copying} }} }}")
        await page.click("#plain", skip_diff=True)
        assert await page.evaluate("window.went") == 1, script
        word = next(each for each in ("one", "two", "three", "four") if each in script)
        assert (await page.read_clipboard()).text == word
    assert await page.evaluate("area.value") == ""
    assert (
        await page.evaluate("async () => (await navigator.permissions.query({name: 'clipboard-write'})).state")
        == "granted"
    )


async def test_a_page_whose_document_was_opened_again_copies_and_cuts(page: AsyncPage) -> None:
    await page.evaluate(
        """() => { document.open(); document.write(`<button id=plain>Copy</button><textarea id=area></textarea>`);
          document.close() }"""
    )
    for word, script in (
        ("one", "navigator.clipboard.writeText('one')"),
        ("two", "area.value = 'two', area.select(), document.execCommand('cut')"),
    ):
        await page.evaluate(f"() => {{ plain.onclick = () => {{ {script} }} }}")
        await page.click("#plain", skip_diff=True)
        assert (await page.read_clipboard()).text == word


async def test_what_a_page_copied_is_there_after_it_was_left(page: AsyncPage, site: str) -> None:
    await page.evaluate("() => { plain.onclick = () => navigator.clipboard.writeText('kept') }")
    await page.click("#plain", skip_diff=True)
    await page.navigate(f"{site}/html?body=other")
    assert (await page.read_clipboard()).text == "kept"


async def test_a_page_in_a_frame_copies_and_pastes(client: AsyncClient, site: str) -> None:
    other = f"{site.replace('127.0.0.1', 'localhost')}/html?body={quote(EDITORS)}"
    async with await client.open(f"{site}/html?body={quote(f'<iframe src={other}></iframe>')}") as page:
        await page.wait_for(element="iframe >>> #line")
        await page.write_clipboard("into the frame")
        await _select(page, "iframe >>> #line")
        await page.press("Control+V", skip_diff=True)
        await _select(page, "iframe >>> #line")
        await page.write_clipboard("")
        await page.press("Control+C", skip_diff=True)
        assert (await page.read_clipboard()).text == "into the frame"


async def test_a_spy_beside_reads_nothing_that_was_copied(page: AsyncPage, spy: AsyncPage) -> None:
    for key in ("Control+C", "Control+Insert"):
        await _select(page, "#area")
        await page.press(key, skip_diff=True)
        assert await _spy_everywhere(spy) == []
    await page.evaluate(f"() => {{ plain.onclick = () => navigator.clipboard.writeText('{SECRET}') }}")
    await page.click("#plain", skip_diff=True)
    assert await _spy_everywhere(spy) == []
    await page.evaluate("() => { plain.onclick = () => { area.select(); document.execCommand('copy') } }")
    await page.click("#plain", skip_diff=True)
    assert await _spy_everywhere(spy) == []
    await page.click("#area", click_count=3, skip_diff=True)  # selected by the mouse: the machine's other clipboard
    assert await _spy_everywhere(spy) == []
    assert (await spy.read_clipboard()).text == ""
    assert (await page.read_clipboard()).text == SECRET


async def test_a_page_that_takes_our_script_away_writes_where_nobody_reads(page: AsyncPage, spy: AsyncPage) -> None:
    await page.evaluate(
        f"""() => {{
          document.open(); document.write("<textarea id=area></textarea><p id=plain>Plain</p>"); document.close();
          document.getElementById('area').value = '{SECRET}';
          document.getElementById('plain').onclick = () => {{
            document.getElementById('area').select(); document.execCommand('copy') }};
        }}"""
    )
    await page.click("#plain", skip_diff=True)
    assert await _spy_everywhere(spy) == []


async def test_sessions_copy_and_paste_side_by_side(client: AsyncClient, site: str) -> None:
    pages = [await client.open(f"{site}/html?body={quote(EDITORS)}", allow_evaluate=True) for _ in range(3)]

    async def rounds(page: AsyncPage, mark: str) -> None:
        for number in range(2):
            text = f"{mark} {number}"
            await page.type_text("#area", text, clear=True, skip_diff=True)
            await _select(page, "#area")
            await page.press("Control+C", skip_diff=True)
            await _select(page, "#line")
            await page.press("Control+V", skip_diff=True)
            assert await page.evaluate("line.value") == text

    try:
        await asyncio.gather(*(rounds(page, mark) for page, mark in zip(pages, "abc", strict=True)))
    finally:
        for page in pages:
            await page.close()


async def test_what_cannot_be_copied_or_pasted_is_said(page: AsyncPage) -> None:
    await page.click("#plain", skip_diff=True)
    done = await page.press("Control+C")
    assert "nothing is selected: the clipboard was left as it is" in done.notes
    await page.click("#pass", skip_diff=True)
    await page.press("Control+A", skip_diff=True)
    assert "nothing is selected" in str((await page.press("Control+C")).notes)
    assert "the clipboard of the session is empty" in str((await page.press("Control+V")).notes)
    await page.write_clipboard("x")
    await page.evaluate("document.activeElement.blur()")
    assert "on nothing that takes text" in str((await page.press("Control+V")).notes)
    with pytest.raises(RemoteError, match="2000001 characters are more than the 2000000 of a clipboard"):
        await page.write_clipboard("x" * 2_000_001)
    with pytest.raises(BadInputError):
        await page.write_clipboard(1)  # type: ignore[arg-type]
    assert (await page.read_clipboard()).text == "x"


async def test_a_page_cannot_fill_the_clipboard_without_end(page: AsyncPage) -> None:
    script = """() => { plain.onclick = () => {
      window.went = navigator.clipboard.writeText('y'.repeat(3e6)).then(() => 'copied', e => e.name) } }"""
    await page.evaluate(script)
    await page.click("#plain", skip_diff=True)
    assert await page.evaluate("window.went") == "NotAllowedError"
    assert (await page.read_clipboard()).text == ""

"""What fields make of our typing is what they make of a person's keys: the same values, and the same events."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

from typing import Any

import pytest

from perception.client import AsyncPage
from perception.server.app import Service
from tests.support.live import Show

HEAR = """<p id=o></p><script>
var heard = [];
for (const type of ['keydown', 'keypress', 'beforeinput', 'input', 'keyup', 'compositionstart'])
  addEventListener(type, (event) => {
    if (!(event instanceof KeyboardEvent) || (event.key.length === 1 && !event.ctrlKey)) heard.push(`${type} ${event.key ?? event.data}`);
  }, true);
</script>"""

HELD = """() => new Promise((done) => setTimeout(() => done([
  o.textContent,
  ...[...document.querySelectorAll('input, textarea')].map((each) => each.value),
  ...[...document.querySelectorAll('[contenteditable]')].map((each) => each.innerText),
  ...[...document.querySelectorAll('iframe')].map((each) => each.contentDocument.body.innerText),
  ...[...document.querySelectorAll('x-f')].map((each) => each.shadowRoot.querySelector('input').value),
  document.title,
]), 100))"""
"""What the page holds once its own timers of up to 100 ms have run."""

CODE_BOXES = "<div id=c>" + "<input size=1 maxlength=1>" * 6 + "</div><script>c.firstChild.id = 'f';"

FIELDS = [
    # Plain fields
    pytest.param("<input id=f>", "Ann Lee", id="input"),
    pytest.param("<input id=f value='Dr. '>", "Ann", id="input-with-a-value"),
    pytest.param("<textarea id=f></textarea>", "some words", id="textarea"),
    pytest.param("<div id=f contenteditable></div>", "some words", id="editable"),
    pytest.param("<input id=f maxlength=4>", "123456", id="maxlength"),
    pytest.param("<input id=f type=number>", "1e5", id="number"),
    pytest.param("<input id=f type=email>", "ann@example.org", id="email"),
    pytest.param("<input id=f type=search>", "lamp", id="search"),
    pytest.param("<input id=f type=tel>", "+49 30 123", id="tel"),
    pytest.param("<input id=f type=url>", "https://example.org/?a=1#b", id="url"),
    pytest.param("<input id=f>", "日本 🙂 e\u0301", id="no-keys"),
    pytest.param("<input id=f>", "~!@#$%^&*()_+{}|:\"<>?`-=[]\\;',./", id="all-signs"),
    pytest.param("<input id=f list=l><datalist id=l><option>Oslo</datalist>", "Os", id="datalist"),
    pytest.param("<x-f></x-f><script>customElements.define('x-f', class extends HTMLElement { constructor() { super(); this.attachShadow({mode: 'open', delegatesFocus: true}).innerHTML = '<input id=f>'; this.onkeyup = (event) => { if (event.key.length === 1) o.textContent += '.' }; } })</script>", "shade", id="shadow-root"),
    # Suggestions and searches
    pytest.param("<input id=f onkeyup=\"o.textContent = value.length > 1 ? 'Oslo' : ''\">", "Os", id="suggestions-by-keyup"),
    pytest.param("<input id=f onkeydown=\"if (event.key.length === 1) o.textContent += event.key\">", "Os", id="heard-by-keydown"),
    pytest.param("<input id=f><script>document.onkeyup = () => o.textContent = f.value.length</script>", "four", id="heard-by-the-document"),
    pytest.param("<input id=f><script>addEventListener('keypress', (event) => o.textContent += event.charCode + ' ')</script>", "ab", id="heard-by-the-window"),
    pytest.param("<input id=f oninput=\"o.textContent += (event.data || '') + event.inputType + ' '\">", "ab", id="heard-by-input"),
    pytest.param("<input id=f><script>let n = 0; f.oninput = () => { clearTimeout(n); n = setTimeout(() => o.textContent = 'for ' + f.value, 30) }</script>", "lamp", id="debounced"),
    pytest.param("<input id=f><script>f.oninput = () => { const full = 'Oslo'; if (full.startsWith(f.value) && f.value) { const at = f.value.length; f.value = full; f.setSelectionRange(at, full.length) } }</script>", "Os", id="completed-inline"),
    # Filters and masks
    pytest.param("<input id=f onkeypress='return /\\d/.test(event.key)'>", "a1b2", id="digits-by-keypress"),
    pytest.param("<input id=f onkeydown='return event.key.length > 1 || /\\d/.test(event.key)'>", "a1b2", id="digits-by-keydown"),
    pytest.param("<input id=f onbeforeinput='return !event.data || /^\\d$/.test(event.data)'>", "a1b2", id="digits-by-beforeinput"),
    pytest.param("<input id=f oninput=\"value = value.replace(/\\D/g, '')\">", "a1b2", id="digits-by-input"),
    pytest.param("<input id=f oninput='value = value.toUpperCase()'>", "abc", id="upper-case"),
    pytest.param("<input id=f oninput=\"value = value.replace(/\\D/g, '').replace(/(.{4})(?=.)/g, '$1 ')\">", "4242424242424242", id="card-by-input"),
    pytest.param("<input id=f><script>f.onkeydown = (event) => { if (event.key.length > 1) return; event.preventDefault(); const digits = (f.value + event.key).replace(/\\D/g, ''); f.value = digits.replace(/(.{4})(?=.)/g, '$1-') }</script>", "42424242", id="card-by-keydown"),
    pytest.param("<input id=f value='__/__/____'><script>f.onkeydown = (event) => { if (!/^\\d$/.test(event.key)) return event.key.length > 1; f.value = f.value.replace('_', event.key); return false }</script>", "31122026", id="date-mask"),
    pytest.param("<input id=f value='0.00'><script>f.onkeydown = (event) => { if (event.ctrlKey || event.key.length > 1) return; event.preventDefault(); if (!/\\d/.test(event.key)) return; f.value = (Number(f.value.replace('.', '') + event.key) / 100).toFixed(2) }</script>", "1234", id="cash-register"),
    pytest.param("<input id=f oninput=\"if (value.length === 2) value += '/'\">", "1227", id="expiry"),
    pytest.param("<input id=f onkeydown=\"if (event.key === ' ') { o.textContent += value + ';'; value = ''; return false }\">", "red blue", id="tags-by-space"),
    pytest.param("<input id=f onkeydown=\"if (event.key === ',') { o.textContent += value + ';'; value = ''; return false }\">", "red,blue,", id="tags-by-comma"),
    pytest.param("<input id=f onkeyup=\"if (event.key === ';') { o.textContent += value; value = '' }\">", "red;blue;", id="tags-by-keyup"),
    # Codes
    pytest.param(CODE_BOXES + "c.oninput = (event) => event.target.nextElementSibling?.focus()</script>", "123456", id="code-by-input"),
    pytest.param(CODE_BOXES + "c.onkeyup = (event) => { if (/^\\d$/.test(event.key)) event.target.nextElementSibling?.focus() }</script>", "123456", id="code-by-keyup"),
    pytest.param(CODE_BOXES + "c.onkeydown = (event) => { if (!/^\\d$/.test(event.key)) return; event.preventDefault(); event.target.value = event.key; event.target.nextElementSibling?.focus() }</script>", "123456", id="code-by-keydown"),
    # Controlled fields
    pytest.param("<input id=f><script>let state = ''; f.oninput = (event) => { state = event.target.value; f.value = state }</script>", "state", id="controlled"),
    pytest.param("<input id=f><script>let state = ''; f.oninput = (event) => { const next = f.value; f.value = state; queueMicrotask(() => { state = next; f.value = state }) }</script>", "state", id="controlled-a-moment-later"),
    pytest.param("<input id=f><script>let state = ''; f.addEventListener('input', () => { if (f.value.length <= 3) state = f.value; f.value = state })</script>", "12345", id="controlled-at-most-3"),
    pytest.param("<div id=r><input id=f></div><script>r.addEventListener('input', (event) => { o.textContent = event.target.value }); r.addEventListener('keydown', (event) => { if (event.key === 'x') event.preventDefault() })</script>", "axb", id="delegated"),
    # Editors
    pytest.param("<div id=f contenteditable onkeyup=\"o.textContent = innerText.match(/@\\w*$/) ? 'people' : ''\"></div>", "Hi @an", id="mentions"),
    pytest.param("<div id=f contenteditable></div><script>f.oninput = () => { if (f.textContent === '# ') { f.innerHTML = '<h1><br></h1>'; getSelection().setPosition(f.firstChild, 0) } }</script>", "# Title", id="markdown-shortcut"),
    pytest.param("<div id=f contenteditable><p>one</p></div><script>f.onbeforeinput = (event) => { if (event.inputType !== 'insertText') return; event.preventDefault(); f.firstChild.append(event.data); getSelection().selectAllChildren(f.firstChild); getSelection().collapseToEnd() }</script>", " two", id="model-of-its-own"),
    pytest.param("<textarea id=f></textarea><script>f.onkeydown = (event) => { if (event.key !== '(') return; event.preventDefault(); const at = f.selectionStart; f.setRangeText('()', at, at); f.setSelectionRange(at + 1, at + 1) }; f.onkeypress = (event) => { if (event.key === ')' && f.value[f.selectionStart] === ')') { event.preventDefault(); f.selectionStart++ } }</script>", "f(x) + 1", id="closes-brackets"),
    pytest.param("<div id=f role=textbox tabindex=0 contenteditable=plaintext-only></div>", "plain", id="plain-text-only"),
]  # fmt: skip

NEVER_EMPTY = [
    pytest.param("<input id=f value=1 oninput='if (!/^[1-9]\\d*$/.test(value)) value = 1'>", "25", id="quantity"),
    pytest.param("<input id=f value='12.34'><script>f.oninput = () => { const digits = f.value.replace(/\\D/g, '') || '0'; f.value = (Number(digits) / 100).toFixed(2) }</script>", "56.78", id="currency"),
    pytest.param("<input id=f value='https://old.org' oninput=\"if (!value.startsWith('https://')) value = 'https://' + value\">", "new.org", id="prefix"),
    pytest.param("<input id=f value='50%'><script>f.oninput = () => { const digits = f.value.replace(/\\D/g, '') || '0'; f.value = digits.replace(/^0(?=.)/, '') + '%'; f.setSelectionRange(f.value.length - 1, f.value.length - 1) }</script>", "75", id="percent"),
    pytest.param("<input id=f type=number value=1 oninput='if (!value) value = 0'>", "42", id="number"),
    pytest.param("<input id=f type=tel value='+49 30' oninput=\"if (!value.startsWith('+')) value = '+' + value\">", "+1 212", id="phone"),
]  # fmt: skip


async def outcome(page: AsyncPage) -> Any:
    return await page.evaluate(HELD)


async def heard(page: AsyncPage) -> Any:
    return await page.evaluate("heard")


async def type_as_a_person(service: Service, page: AsyncPage, text: str, *, over: bool = False) -> None:
    """By DevTools, through another client than ours."""
    session = next(each for each in service.context.sessions.sessions if each.session_id == page.session_id)
    tab = session.browser.tab().page
    await tab.locator("#f").focus()
    await tab.keyboard.press("Control+A" if over else "End")
    await tab.keyboard.type(text)


@pytest.mark.parametrize(("html", "text"), FIELDS)
async def test_typing_is_what_a_keyboard_gives(
    service: Service, shared_scripted: AsyncPage, write_scripted: Show, html: str, text: str
) -> None:
    page, show = shared_scripted, write_scripted
    await show(HEAR + html)
    await type_as_a_person(service, page, text)
    expected = await outcome(page), await heard(page)
    await show(HEAR + html)
    await page.type_text("#f", text)
    assert (await outcome(page), await heard(page)) == expected


@pytest.mark.parametrize(("html", "text"), NEVER_EMPTY)
async def test_what_is_never_empty_is_typed_over_as_with_a_keyboard(
    service: Service, shared_scripted: AsyncPage, write_scripted: Show, html: str, text: str
) -> None:
    page, show = shared_scripted, write_scripted
    await show(HEAR + html)
    await type_as_a_person(service, page, text, over=True)
    expected = await outcome(page)
    await show(HEAR + html)
    await page.type_text("#f", text, clear=True)
    assert await outcome(page) == expected


async def test_a_field_that_is_never_empty_is_cleared_as_far_as_it_goes(
    shared_scripted: AsyncPage, write_scripted: Show
) -> None:
    await write_scripted("<input id=f value=12 oninput='if (!value) value = 1'>")
    notes = (await shared_scripted.type_text("#f", "", clear=True)).notes
    assert "keeps the field from being empty" in notes[0]
    assert '"1"' in notes[0]


@pytest.mark.parametrize("text", ["Zürich – 5 € «ñ» ß", "Привет", "שלום"])
async def test_keys_of_other_keyboards_are_keys(shared_scripted: AsyncPage, write_scripted: Show, text: str) -> None:
    """Playwright inserts them without a key: a person with such a keyboard presses one."""
    await write_scripted(HEAR + "<input id=f>")
    await shared_scripted.type_text("#f", text)
    assert await shared_scripted.evaluate("f.value") == text
    kinds = ("keydown", "keypress", "beforeinput", "input", "keyup")
    assert await heard(shared_scripted) == [f"{kind} {key}" for key in text for kind in kinds]

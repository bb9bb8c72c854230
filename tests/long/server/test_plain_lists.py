"""Choosing from lists that a page paints, without roles, for native ones that nobody sees: those of older libraries."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from tests.support.live import Show

OPTIONS = "<option value=r>Red</option><option value=g>Green</option><option value=b>Blue</option>"
ROWS = "<p>Red</p><p>Green</p><p>Blue</p>"
FOLLOW = """
const told = [];
a.onchange = () => told.push(a.value);
const take = ({ target }) => {
  if (target.tagName !== 'P') return;
  a.value = target.textContent[0].toLowerCase();
  shown.textContent = target.textContent;
  a.dispatchEvent(new Event('change'));
};
const toggle = () => document.body.classList.toggle('open');
"""

FADING = f"""<style>#rows {{ opacity: 0; pointer-events: none; position: absolute; transition: opacity .1s }}
.open #rows {{ opacity: 1; pointer-events: auto }}</style>
<select id=a style='display:none'>{OPTIONS}</select>
<div id=box tabindex=0><span id=shown>Red</span><div id=rows>{ROWS}</div></div>
<script>{FOLLOW} document.onclick = (event) => {{ take(event); box.contains(event.target) && toggle() }}</script>"""

CLIPPED = f"""<style>#rows {{ position: absolute; clip-path: inset(100%) }} .open #rows {{ clip-path: none }}</style>
<select id=a style='display:none'>{OPTIONS}</select>
<div id=box style='width:120px'><a id=shown>Red</a><div id=rows></div></div>
<script>{FOLLOW} box.onmousedown = () => {{ toggle(); rows.innerHTML = '{ROWS}' }};
rows.onmousedown = (event) => event.stopPropagation();
rows.onmouseup = (event) => {{ take(event); toggle() }}</script>"""

BESIDE = f"""<style>#rows {{ display: none; position: absolute }}
.open #rows {{ display: block }}</style>
<div><select id=a style='display:none'>{OPTIONS}</select>
<div id=box><b id=shown>Red</b> ▾</div><div id=rows>{ROWS}</div></div>
<script>{FOLLOW} box.onclick = toggle; rows.onclick = (event) => {{ take(event); toggle() }}</script>"""

UNDER = f"""<style>#rows {{ display: none; position: absolute }} .open #rows {{ display: block }}</style>
<div role=button tabindex=0 style='position:relative;width:120px'>
<select id=a style='position:absolute;inset:0;opacity:0'>{OPTIONS}</select>
<div id=box style='position:relative'><span id=shown>Red</span></div><div id=rows>{ROWS}</div></div>
<script>{FOLLOW} box.onclick = toggle; rows.onclick = (event) => {{ take(event); toggle() }}</script>"""

AROUND = "<h2>Green</h2><p>Blue</p>{}<p>Red</p><select><option>Red<option>Blue</select>"

KINDS = pytest.mark.parametrize(
    "html",
    [
        pytest.param(FADING, id="fading"),
        pytest.param(CLIPPED, id="clipped"),
        pytest.param(BESIDE, id="beside"),
        pytest.param(UNDER, id="under"),
    ],
)


@pytest.fixture
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    async with await client.open(allow_evaluate=True) as page:
        yield page


@KINDS
@pytest.mark.parametrize("target", ["#a", "#box", "#shown"])
async def test_its_option_is_chosen_as_a_person_does(page: AsyncPage, show: Show, html: str, target: str) -> None:
    await show(AROUND.format(html))
    assert not (await page.select(target, "Blue")).notes
    assert await page.evaluate("[told.join(), shown.textContent].join(' ')") == "b Blue"
    await page.select(target, "Green")
    assert await page.evaluate("[told.join(), shown.textContent].join(' ')") == "b,g Green"


@KINDS
async def test_one_that_is_open_already_is_not_closed_again(page: AsyncPage, show: Show, html: str) -> None:
    await show(html)
    await page.click("#box")
    assert not (await page.select("#a", "Blue")).notes
    assert await page.evaluate("[told.join(), shown.textContent].join(' ')") == "b Blue"


async def test_a_text_that_opens_nothing_leaves_the_native_list_to_the_script(page: AsyncPage, show: Show) -> None:
    await show(f"<select id=a style='display:none'>{OPTIONS}</select><p id=t>Red</p>")
    notes = (await page.select("#a", "Blue")).notes
    assert "set by script" in notes[0]
    assert "choose it there" in notes[-1]
    assert await page.evaluate("a.value") == "b"


async def test_an_option_that_there_is_not_is_an_error_that_names_those_there_are(page: AsyncPage, show: Show) -> None:
    await show(FADING)
    with pytest.raises(RemoteError, match='"Red", "Green", "Blue"') as caught:
        await page.select("#box", "Black")
    assert caught.value.reason == "NO_SUCH_OPTION"
    assert await page.evaluate("document.body.className") == ""

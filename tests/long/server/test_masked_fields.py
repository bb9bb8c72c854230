"""Typing into fields with a mask over real gRPC, with the field's own value as the effect.

The mask of this page acts as those of libraries do, each in the ways that are named; the right values are those that
real keys give with the libraries themselves (Inputmask 5, IMask 7, jquery.maskedinput 1.4, jquery-mask-plugin 1.14,
react-input-mask 2, Chromium 156).
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.page_words import unmarked_words
from tests.support.live import Show

MASK = """<!doctype html><input id=f ATTRIBUTES style='font: 16px monospace; width: WIDTHpx'><script>
const {filling, always, late, ownsEnd, places, byInput} = OPTIONS;
let typed = '';
const isPlace = (at) => /[a-z_]/.test(filling[at]);
const text = () => {
  let left = [...typed];
  return [...filling].map((each, at) => isPlace(at) && left.length ? left.shift() : each).join('');
};
const next = (from) => {
  for (let at = from; at < filling.length; at++) if (isPlace(at)) return at;
  return filling.length;
};
const end = () => { let at = 0; for (const _ of typed) at = next(at) + 1; return next(at); };
const place = () => later(() => f.setSelectionRange(end(), end()));
const later = (act) => late ? setTimeout(act, late) : act();
const show = () => { f.value = text(); };
const put = (key) => {
  if (f.selectionStart === 0 && f.selectionEnd >= filling.length) typed = '';
  if (f.selectionStart > end() || !/\\d/.test(key) || end() >= filling.length) return;
  typed += key; show(); f.setSelectionRange(end(), end());
};
if (byInput) f.oninput = () => {
  const digits = f.value.replace(/\\D/g, '');
  const kept = digits.slice(0, 8).replace(/^(..)(?=.)/, '$1/').replace(/^(.....)(?=.)/, '$1/');
  const isRewritten = kept !== f.value;
  const at = f.selectionStart;
  f.value = kept;
  if (isRewritten) { f.setSelectionRange(at, at); setTimeout(() => f.setSelectionRange(kept.length, kept.length), 10); }
};
else {
  if (always) show();
  f.onfocus = () => later(() => { show(); f.setSelectionRange(end(), end()); });
  if (places) f.onclick = place;
  f.onkeydown = (event) => {
    if (event.key === 'End' && ownsEnd) { f.setSelectionRange(end(), end()); event.preventDefault(); }
    if (event.key.length > 1 || event.ctrlKey) return;
    put(event.key);
    event.preventDefault();
  };
}
</script>"""

LIKE = {
    "inputmask": {"filling": "dd/mm/yyyy", "places": True, "ownsEnd": True},
    "imask": {"filling": "dd/mm/yyyy", "always": True, "places": True},
    "maskedinput": {"filling": "__/__/____", "late": 10},
    "maskedinput-letters": {"filling": "dd/mm/yyyy", "late": 10},
    "jquery-mask": {"filling": "", "byInput": True},
}


@pytest.fixture(scope="module")
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """One session for all: each test opens a page of its own in it."""
    page = await client.open(allow_evaluate=True)
    yield page
    await page.close()


def masked(library: str, attributes: str = "", width: int = 300) -> str:
    options = MASK.replace("OPTIONS", json.dumps(LIKE[library]))
    return options.replace("ATTRIBUTES", attributes).replace("WIDTH", str(width))


async def held(page: AsyncPage) -> str:
    return str(await page.evaluate("f.value"))


@pytest.mark.parametrize("width", [70, 300])
@pytest.mark.parametrize("library", LIKE)
async def test_a_masked_field_takes_a_text_as_from_keys(page: AsyncPage, show: Show, library: str, width: int) -> None:
    await show(masked(library, width=width))
    notes = (await page.type_text("#f", "31122026")).notes
    assert await held(page) == "31/12/2026"
    assert 'in its own form: it holds "31/12/2026"' in unmarked_words(notes[0])


@pytest.mark.parametrize("library", LIKE)
async def test_text_is_appended_where_a_mask_has_room(page: AsyncPage, show: Show, library: str) -> None:
    await show(masked(library))
    await page.type_text("#f", "3112")
    await page.type_text("#f", "2026")
    assert await held(page) == "31/12/2026"


@pytest.mark.parametrize("library", LIKE)
async def test_what_a_masked_field_holds_already_may_be_typed_again(page: AsyncPage, show: Show, library: str) -> None:
    await show(masked(library))
    for text in ("01022025", "31122026", "31122026"):
        notes = (await page.type_text("#f", text, clear=True)).notes
        assert await held(page) == f"{text[:2]}/{text[2:4]}/{text[4:]}"
        assert "in its own form" in notes[0]


@pytest.mark.parametrize("mark", ["autocomplete=one-time-code", "data-sensitive"])
@pytest.mark.parametrize("clear", [False, True])
async def test_a_private_masked_field_has_taken_a_text_as_long_as_its_filling(
    page: AsyncPage, show: Show, mark: str, clear: bool
) -> None:
    await show(masked("inputmask", mark))
    notes = (await page.type_text("#f", "31122026", clear=clear)).notes
    assert await held(page) == "31/12/2026"
    assert notes == ["the field writes the text in its own form"]


async def test_a_private_masked_field_that_takes_nothing_is_an_error(page: AsyncPage, show: Show) -> None:
    await show(masked("inputmask", "autocomplete=one-time-code"))
    with pytest.raises(RemoteError) as caught:
        await page.type_text("#f", "abcdefgh", clear=True)
    assert caught.value.reason == "NOT_TAKEN"
    assert await held(page) == "dd/mm/yyyy"


async def test_a_text_that_is_added_behind_a_filling_without_a_caret_names_the_other_way(
    page: AsyncPage, show: Show
) -> None:
    await show(
        "<input id=f value='yy/yy/yyyy' onkeydown='if (this.selectionStart === 10) return event.key.length > 1'>"
    )
    with pytest.raises(RemoteError, match=r"replace what it holds \(clear\)"):
        await page.type_text("#f", "31122026")

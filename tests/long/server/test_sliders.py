"""Sliders and lists by name: a slider takes a value as from a person, and of options that are alike none is taken."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

import pytest

from perception.client import AsyncPage, RemoteError
from perception.server.actions import sliders
from tests.support.live import Show


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


SLIDER = (
    "<div id=s role=slider aria-label=Nights aria-valuemin=0 aria-valuemax=10000 aria-valuenow={now} {attributes}>"
    "{inside}</div><script>const by = {keys}; document.addEventListener('keydown', (e) => {{ if (by[e.key]) "
    "{when}(() => s.setAttribute('aria-valuenow', Math.max(0, Number(s.getAttribute('aria-valuenow')) + by[e.key]))) }});"
    "const now = (act) => act(), soon = (act) => setTimeout(act, 30)</script>"
)


def slider(keys: str, *, now: int = 3, inside: str = "x", attributes: str = "tabindex=0", when: str = "now") -> str:
    return SLIDER.format(keys=keys, now=now, inside=inside, attributes=attributes, when=when)


async def text_of(page: AsyncPage) -> str:
    return (await page.snapshot(mode="text")).text


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        pytest.param(slider("{ArrowRight: 1, ArrowLeft: -1}"), "12", id="up"),
        pytest.param(slider("{ArrowRight: 1, ArrowLeft: -1}", now=30), "4", id="down"),
        pytest.param(slider("{ArrowUp: 5, ArrowDown: -5}"), "58", id="other-keys-and-steps"),
        pytest.param(slider("{ArrowRight: -1, ArrowLeft: 1}"), "9", id="right-to-left"),
        pytest.param(slider("{ArrowRight: 1, ArrowLeft: -1, PageUp: 500, PageDown: -500}"), "7321", id="far"),
        pytest.param(
            slider("{ArrowRight: 1, ArrowLeft: -1}", inside="<b tabindex=0>|</b>", attributes=""), "5", id="handle"
        ),
        pytest.param(slider("{ArrowRight: 0.25, ArrowLeft: -0.25}"), "4.75", id="fractions"),
        pytest.param(
            slider("{ArrowRight: 1, ArrowLeft: -1}").replace("<div", "<svg").replace("x</div>", "</svg>"),
            "8",
            id="drawn",
        ),
    ],
)
async def test_a_slider_by_role_takes_a_value_by_keys(page: AsyncPage, write: Show, html: str, wanted: str) -> None:
    await write(html)
    await page.type_text('slider "Nights"', wanted)
    assert f': "{wanted}" [range=0..10000]' in await text_of(page)


async def test_a_slider_that_follows_its_keys_a_moment_later_is_waited_for(
    page: AsyncPage, write: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sliders, "CHANGE_SECONDS", 10.0)  # a busy machine is later still
    await write(slider("{ArrowRight: 5, ArrowLeft: -5}", when="soon"))
    await page.type_text('slider "Nights"', "58")
    assert ': "58" [range=0..10000]' in await text_of(page)


async def test_a_spin_button_by_role_takes_a_value(page: AsyncPage, write: Show) -> None:
    await write(slider("{ArrowUp: 1, ArrowDown: -1}").replace("role=slider", "role=spinbutton"))
    await page.type_text('spinbutton "Nights"', "17")
    assert ': "17"' in await text_of(page)


@pytest.mark.parametrize(
    ("keys", "text", "said"),
    [
        pytest.param("{ArrowRight: 1}", "10001", "from 0 to 10000", id="beyond"),
        pytest.param("{ArrowRight: 1}", "many", "give a number", id="no-number"),
        pytest.param("{ArrowRight: 10, ArrowLeft: -10}", "55", "steps of 10", id="between-steps"),
        pytest.param("{}", "5", "drag it", id="no-keys"),
    ],
)
async def test_a_value_that_a_slider_does_not_take_is_refused_with_what_it_takes(
    page: AsyncPage, write: Show, keys: str, text: str, said: str
) -> None:
    await write(slider(keys, now=0))
    with pytest.raises(RemoteError, match=said):
        await page.type_text('slider "Nights"', text)


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param("{ArrowRight: 50, ArrowLeft: -50}", id="arrows"),
        pytest.param("{ArrowRight: -50, ArrowLeft: 50}", id="from-right-to-left"),
        pytest.param("{ArrowUp: 50, ArrowDown: -50}", id="upright"),
    ],
)
@pytest.mark.parametrize("role", ["slider", "spinbutton"])
async def test_a_slider_that_cannot_be_moved_to_a_value_is_put_back(
    page: AsyncPage, write: Show, keys: str, role: str
) -> None:
    await write(slider(keys, now=200).replace("role=slider", f"role={role}"))
    with pytest.raises(RemoteError, match="at 200 as before") as caught:
        await page.type_text(f'{role} "Nights"', "333")
    assert caught.value.input_dispatched
    assert ': "200"' in await text_of(page)


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div role=slider id=s aria-label=N aria-valuenow=5><b id=h tabindex=0>|</b></div>", id="inside"),
        pytest.param("<div id=h tabindex=0><div role=slider id=s aria-label=N aria-valuenow=5>x</div></div>", id="around"),
    ],
)  # fmt: skip
async def test_a_key_on_a_slider_goes_to_its_handle(page: AsyncPage, write: Show, html: str) -> None:
    await write(f"{html}<script>h.onkeydown = () => s.setAttribute('aria-valuenow', 6)</script>")
    await page.press("ArrowRight", 'slider "N"')
    assert ': "6"' in await text_of(page)


DUAL = """<style>.w { position: relative; height: 30px } .w input { position: absolute; left: 0; top: 0; width: 200px; margin: 0;
  pointer-events: none; appearance: none; background: none }
  .w input::-webkit-slider-thumb { pointer-events: auto; appearance: none; width: 20px; height: 20px; background: #00f }</style>
<div class=w><input type=range aria-label=From value=37><input type=range aria-label=To value=63></div>
<div style="height:3000px"></div><div class=w><input type=range aria-label=Low value=37><input type=range aria-label=High value=63></div>"""

THUMB = """<div style="position:relative;width:200px;height:4px;background:#99f;margin:20px">
<span style="position:absolute;left:30%;top:-8px;width:20px;height:20px;background:#00f"><input type=range aria-label=Low value=30
 style="position:absolute;clip:rect(0 0 0 0);width:100%;height:100%;margin:-1px;overflow:hidden"></span></div>"""


async def test_both_thumbs_on_one_track_are_reached(page: AsyncPage, write: Show) -> None:
    await write(DUAL)
    text = (await page.snapshot(mode="text", scope="page")).text
    assert "unreachable" not in text
    assert "covered" not in text
    await page.type_text('slider "From"', "12")
    await page.click('slider "To"')
    await page.type_text('slider "High"', "80")
    text = (await page.snapshot(mode="text", scope="page")).text
    assert all(line in text for line in ('"From" [ref=e1]: "12"', '"To" [ref=e2]: "63"', '"High" [ref=e4]: "80"'))


async def test_a_slider_out_of_sight_in_its_thumb_is_reached_at_the_thumb(page: AsyncPage, write: Show) -> None:
    await write(THUMB)
    text = await text_of(page)
    assert 'slider "Low" [ref=e1]: "30" [range=0..100]\n' in text
    await page.hover('slider "Low"')
    await page.type_text('slider "Low"', "45")
    assert '"Low" [ref=e1]: "45"' in await text_of(page)


async def test_a_slider_in_a_box_without_an_area_is_reached_at_its_thumb(page: AsyncPage, write: Show) -> None:
    box = "<div style='position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip:rect(0,0,0,0)'>"
    await write(THUMB.replace("<input", f"{box}<input").replace("</span>", "</div></span>"))
    assert 'slider "Low" [ref=e1]: "30" [range=0..100]\n' in await text_of(page)


NATIVE = "<input type=range id=s aria-label=Nights {}><p id=o></p><script>{}s.onkeyup = () => o.textContent = `sent ${{s.value}}`</script>"


@pytest.mark.parametrize(
    ("attributes", "wanted"),
    [
        pytest.param("min=0 max=10 value=3", "7", id="near"),
        pytest.param("min=0 max=10000 value=3", "7321", id="far"),
        pytest.param("min=5 max=9000 value=60 dir=rtl", "90", id="right-to-left"),
        pytest.param("min=-4 max=1 value=0 step=0.25", "-2.75", id="fractions"),
        pytest.param("min=0 max=9000 style='width:1px;height:1px;clip-path:inset(50%);position:absolute'", "4000", id="hidden"),
    ],
)  # fmt: skip
async def test_a_page_that_hears_keys_alone_hears_of_a_native_slider_s_value(
    page: AsyncPage, write: Show, attributes: str, wanted: str
) -> None:
    await write(NATIVE.format(attributes, ""))
    await page.type_text("#s", wanted)
    assert f"sent {wanted}" in await text_of(page)


@pytest.mark.parametrize(
    ("attributes", "script"),
    [
        pytest.param("value=3", "s.onkeydown = (event) => event.preventDefault();", id="no-keys"),
        pytest.param("value=3 step=any", "", id="no-steps"),
    ],
)
async def test_a_native_slider_that_takes_no_keys_is_set_by_script(
    page: AsyncPage, write: Show, attributes: str, script: str
) -> None:
    await write(NATIVE.format(attributes, script))
    assert "set by script" in (await page.type_text("#s", "7")).notes[0]
    assert '"Nights" [ref=e1]: "7"' in await text_of(page)


async def test_a_native_slider_says_what_it_takes(page: AsyncPage, write: Show) -> None:
    await write(NATIVE.format("step=10 max=100", ""))
    for text in ("55", "110", "many"):
        with pytest.raises(RemoteError, match="within its limits and by its steps"):
            await page.type_text("#s", text)


SEGMENTS = """<span id=d role=spinbutton contenteditable aria-label=Day aria-valuemin=1 aria-valuemax=31 aria-valuenow=30>30</span>/
<span id=m role=spinbutton contenteditable aria-label=Month aria-valuemin=1 aria-valuemax=12 aria-valuenow=11>11</span><script>
let typed = 0;
for (const part of [d, m]) {
  const most = Number(part.getAttribute('aria-valuemax')), now = () => Number(part.getAttribute('aria-valuenow'));
  const set = (value) => { part.setAttribute('aria-valuenow', value); part.textContent = String(value).padStart(2, '0') };
  part.onfocus = () => { typed = 0 };
  part.onbeforeinput = (event) => event.preventDefault();
  part.onkeydown = (event) => {
    const by = {ArrowUp: 1, ArrowDown: -1}[event.key];
    if (by) set(Math.min(most, Math.max(1, now() + by)));
    if (event.key === 'Backspace' || event.key === 'Delete') { typed = Math.floor(now() / 10); set(typed) }
    if (!/^\\d$/.test(event.key) || part.dataset.arrows) return;
    typed = typed * 10 + Number(event.key) > most ? Number(event.key) : typed * 10 + Number(event.key);
    set(typed);
    if (typed * 10 > most) (part === d ? m : d).focus();
  };
}
</script>"""


@pytest.mark.parametrize("html", [SEGMENTS, SEGMENTS.replace("<span", "<span data-arrows=1")], ids=["digits", "arrows"])
async def test_a_part_of_a_date_takes_a_number_in_place_of_its_own(page: AsyncPage, write: Show, html: str) -> None:
    await write(html)
    for clear in (True, False):
        await page.type_text('spinbutton "Day"', "15", clear=clear)
        await page.type_text('spinbutton "Month"', "2", clear=clear)
        text = await text_of(page)
        assert 'spinbutton "Day" [ref=e1]: "15"' in text
        assert 'spinbutton "Month" [ref=e2]: "02"' in text


# Options that are alike

CONTACTS = """<select id=a aria-label=Contact><optgroup label=Home><option value=hp>Phone<option value=hm>Fax</optgroup>
<optgroup label=Work><option value=wp>Phone<option value=wm disabled>Mail</optgroup></select>"""


@pytest.mark.parametrize(
    ("html", "wanted", "said"),
    [
        pytest.param(CONTACTS, "Phone", "2 options 'Phone'.*Home: Phone.*Work: Phone", id="by-group"),
        pytest.param("<select aria-label=Contact><option value=1>M<option value=2>M</select>", "M", '"1", "2"', id="by-value"),
        pytest.param(CONTACTS, "Work: Mail (disabled)", "is disabled", id="disabled"),
        pytest.param(CONTACTS, "Pager", "it has .*Home: Phone", id="none"),
    ],
)  # fmt: skip
async def test_an_option_that_is_not_one_is_refused_with_those_there_are(
    page: AsyncPage, write: Show, html: str, wanted: str, said: str
) -> None:
    await write(html)
    with pytest.raises(RemoteError, match=said):
        await page.select('combobox "Contact"', wanted)


@pytest.mark.parametrize(
    ("wanted", "value"),
    [
        pytest.param("Work: Phone", "Work: Phone", id="by-group"),
        pytest.param("work: phone", "Work: Phone", id="ignoring-case"),
        pytest.param("wp", "Work: Phone", id="by-value"),
        pytest.param("Fax", "Fax", id="by-label"),
    ],
)
async def test_an_option_of_a_group_is_chosen(page: AsyncPage, write: Show, wanted: str, value: str) -> None:
    await write(CONTACTS)
    await page.select('combobox "Contact"', wanted)
    assert f': "{value}" [focused] [options:' in await text_of(page)


async def test_options_with_one_value_are_the_same(page: AsyncPage, write: Show) -> None:
    await write(
        "<select aria-label=From><option>-<option value=NO>Norway<option value=SE>Sweden<option value=NO>Norway</select>"
    )
    await page.select('combobox "From"', "Norway")
    assert ': "Norway"' in await text_of(page)


async def test_an_option_of_a_group_by_role_is_chosen(page: AsyncPage, write: Show) -> None:
    await write(
        "<p id=o></p><ul role=listbox aria-label=Pets><li role=group aria-label=Dogs><div role=option>Rex</div>"
        "<li role=group aria-label=Cats><div role=option onclick=\"o.textContent='cat'\">Rex</div></ul>"
    )
    with pytest.raises(RemoteError, match="Dogs: Rex"):
        await page.select('listbox "Pets"', "Rex")
    await page.select('listbox "Pets"', "Cats: Rex")
    assert '"cat"' in await text_of(page)

"""A label of a custom element is listed: as the name of the control in its shadow tree, or as text."""

from __future__ import annotations

import pytest

from tests.support.sheet import Sheet

COMPONENT = """<script>class {name} extends HTMLElement {{
  static formAssociated = true;
  constructor() {{
    super();
    this.attachInternals();
    this.attachShadow({{ mode: '{mode}', delegatesFocus: true }}).innerHTML = `{inside}`;
  }}
}}
customElements.define('x-{name}', {name})</script>"""


def component(inside: str, name: str = "c", mode: str = "open") -> str:
    return COMPONENT.format(inside=inside, name=name, mode=mode)


SWITCH = "<input type=checkbox role=switch>"


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        pytest.param(
            f"{component(SWITCH)}<label>News <x-c></x-c></label><p><label><x-c></x-c>Agree to terms</label>",
            ['- switch "News" [ref=e1]', '- switch "Agree to terms" [ref=e2]'],
            id="around",
        ),
        pytest.param(
            f"{component(SWITCH)}<label for=a>News</label><x-c id=a></x-c>", ['- switch "News" [ref=e1]'], id="for"
        ),
        pytest.param(
            f"{component('<button>-</button><input><button>+</button>')}<label>Guests <x-c></x-c></label>",
            ['- button "-" [ref=e1]', '- textbox "Guests" [ref=e2]', '- button "+" [ref=e3]'],
            id="field-among-buttons",
        ),
        pytest.param(
            f"{component('<div role=checkbox tabindex=0>☐</div>')}<label>News <x-c></x-c></label>",
            ['- checkbox "News" [ref=e1]'],
            id="by-role",
        ),
        pytest.param(
            f"{component('<input>', 'd')}{component('<i></i><x-d></x-d>')}<label>Town <x-c></x-c></label>",
            ['- textbox "Town" [ref=e1]'],
            id="nested",
        ),
        pytest.param(
            f"{component('')}<label>News <x-c role=switch tabindex=0 aria-checked=false>☐</x-c></label>",
            ['- switch "News" [ref=e1]'],
            id="host-with-role",
        ),
        pytest.param(
            f"{component('<input aria-label=Own>')}<label>Town <x-c></x-c></label>",
            ['- textbox "Own" [ref=e1] [painted "Town"]'],
            id="own-name",
        ),
        pytest.param(
            f"{component('<b>4 stars</b>')}<label>Rating <x-c></x-c></label>",
            ['- text "Rating 4 stars"'],
            id="without-control",
        ),
        pytest.param("<label>Town <x-d></x-d></label>", ['- text "Town"'], id="no-form-association"),
    ],
)
async def test_the_label_of_a_component_names_the_control_in_it(sheet: Sheet, html: str, lines: list[str]) -> None:
    assert (await sheet.text(html)).splitlines() == lines


async def test_a_component_with_a_closed_root_is_labeled_too(sheet: Sheet) -> None:
    text = await sheet.text(f"{component(SWITCH, mode='closed')}<label>News <x-c></x-c></label>")
    assert text.splitlines() == ['- switch "News" [ref=e1]']


async def test_a_field_in_a_component_is_private_by_its_label(sheet: Sheet) -> None:
    html = f"{component('<input value=4111111111111111>')}<label>Card number <x-c></x-c></label>"
    assert "4111" not in await sheet.text(html)


async def test_a_label_that_is_rewritten_renames_the_control_of_its_component(sheet: Sheet) -> None:
    await sheet.text(f"{component(SWITCH)}<label><span id=s>News</span><x-c></x-c></label>")
    await sheet.tab.page.evaluate("s.textContent = 'Offers'")
    assert [each.name for each in (await sheet.look()).elements if each.role == "switch"] == ["Offers"]

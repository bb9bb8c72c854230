"""Selectors that are made of elements match these alone."""

from __future__ import annotations

import pytest

from perception.browser.capture.selectors import make_selectors
from perception.deadline import Deadline
from tests.support.sheet import Sheet

SPELT_ALIKE = """<title>alike</title><div>
<a href=/1 rel=next>1</a><a href=/1 rel=NEXT>2</a><button class=send>3</button><button class=Send>4</button>
<button id=go>5</button><button id=GO>6</button>
<ul><li><a rel=Prev>x</a><button>7</button></li><li><a rel=prev>y</a><button>8</button></li></ul></div>"""


@pytest.mark.parametrize("mode", ["<!doctype html>", ""], ids=["standards", "quirks"])
async def test_a_selector_matches_one_element_where_others_differ_in_case(sheet: Sheet, mode: str) -> None:
    """CSS ignores the case of some attributes and, in quirks mode, that of ids and classes."""
    tab, deadline = sheet.tab, Deadline.of(60)
    await sheet.write(mode + SPELT_ALIKE)
    assert await tab.page.evaluate("document.compatMode") == ("CSS1Compat" if mode else "BackCompat")
    capture = await sheet.look()
    named = {each.node: each.name for each in capture.elements if each.interactive and each.node is not None}
    made = await make_selectors(tab.link, named, deadline)
    assert sorted(named[node] for node in made) == [str(number) for number in range(1, 9)]
    for node, durable in made.items():
        found = await tab.page.evaluate(
            "selector => [...document.querySelectorAll(selector)].map(each => each.textContent)", durable.selector
        )
        assert found == [named[node]], durable.selector


@pytest.mark.parametrize(
    ("row", "lasts"),
    [
        pytest.param("<tr data-id={0}><td>{1}", True, id="number"),
        pytest.param("<tr data-row-key=user-{0}><td>{1}", True, id="key"),
        pytest.param("<tr data-user-id=9f1c2b7e-1d2a-4b8e-9c3f-0a1b2c3d4e{0}><td>{1}", True, id="uuid"),
        pytest.param("<tr data-index={0}><td>{1}", False, id="place"),
        pytest.param("<tr><td>{1}", False, id="none"),
    ],
)
async def test_a_record_s_own_key_lasts_longer_than_its_place(sheet: Sheet, row: str, lasts: bool) -> None:
    rows = "".join(row.format(number, "<button>Edit</button>") for number in (31, 17, 82))
    await sheet.write(f"<!doctype html><table>{rows}</table>")
    nodes = [each.node for each in (await sheet.look()).elements if each.name == "Edit" and each.node is not None]
    made = await make_selectors(sheet.tab.link, nodes, Deadline.of(60))
    assert len(made) == 3
    assert all((each.stability > 0.4) is lasts for each in made.values()), made

"""Elements without a name: which selectors are positions, and when an element at one is known again."""

from __future__ import annotations

import msgspec
import pytest

from perception.subroutines.neighbors import doubt_about, is_structural
from perception.subroutines.recording import Near

SELECTORS = [
    pytest.param("#save", False, id="id"),
    pytest.param('tr:has(td[title="a b"]) [name="x"]', False, id="name-in-a-row"),
    pytest.param("textarea", False, id="only-one-of-its-tag"),
    pytest.param("#list > li:nth-child(2) > button.save", True, id="number"),
    pytest.param("#list button", True, id="tag-in-a-container"),
    pytest.param("#host >>> :nth-child(1 of .x)", True, id="number-in-a-shadow-tree"),
    pytest.param('form > div:has(> input[name="a"]) > button', True, id="tag-beside-something"),
]


@pytest.mark.parametrize(("selector", "expected"), SELECTORS)
def test_selector_by_position_is_told_from_one_by_identity(selector: str, expected: bool) -> None:
    assert is_structural(selector) is expected


ROW = Near(row="beta 3 running", before="running", heading="Machines", looks="rocket")
CARD = Near(before="beta", after="gamma", heading="Machines", looks="rocket")
LOOKS = Near(heading="Machines", looks="rocket")

NOW = [
    pytest.param(ROW, ROW, "", id="row-and-heading"),
    pytest.param(
        Near(data="data-id=7", heading="A"), Near(data="data-id=7", heading="A"), "", id="identity-and-heading"
    ),
    pytest.param(CARD, Near(before="new", after="gamma", heading="Machines", looks="rocket"), "", id="something-added"),
    pytest.param(
        ROW, Near(row="alpha 1 running", before="running", heading="Machines", looks="rocket"), "row", id="row"
    ),
    pytest.param(CARD, Near(before="gamma", after="delta", heading="Machines", looks="rocket"), "text", id="card"),
    pytest.param(CARD, Near(before="beta", after="gamma", heading="Machines", looks="bin"), "look", id="icon"),
    pytest.param(
        Near(data="data-id=7", heading="A"), Near(data="data-id=9", heading="A"), "identity", id="another-identity"
    ),
    pytest.param(LOOKS, LOOKS, "too little", id="nothing-that-tells-it-from-others"),
    pytest.param(Near(row="beta", before="beta"), Near(row="beta", before="beta"), "too little", id="one-fact-twice"),
    pytest.param(Near(), ROW, "record the task again", id="nothing-recorded"),
]


@pytest.mark.parametrize(("recorded", "now", "why"), NOW)
def test_element_at_its_position_needs_two_facts(recorded: Near, now: Near, why: str) -> None:
    doubt = doubt_about(recorded, msgspec.structs.replace(now, alone=True))
    assert (why in doubt, bool(doubt)) == (True, bool(why))


def test_element_that_looks_like_the_one_beside_it_is_not_known_again() -> None:
    assert "look the same" in doubt_about(ROW, ROW)

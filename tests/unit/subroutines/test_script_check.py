"""The check of changed scripts, without a browser: their text, and their success condition."""

from __future__ import annotations

import pytest

from perception.subroutines.script_check.syntax import syntax_problems

DATA = [
    'const sent = { caller: 1, prototype: 2, constructor: 3, "callee": 4 };',
    'const sent = { ["__proto__"]: params.name };',
    'const words = ["constructor", `prototype`];',
]


@pytest.mark.parametrize("code", DATA)
def test_keys_of_data_may_have_any_name(code: str) -> None:
    assert syntax_problems(f"async ({{ goto }}, params) => {{ {code} }}") == ()


REACHING = [
    "goto.constructor;",
    'goto["constructor"];',
    "const { constructor: made } = goto;",
    'const { ["constructor"]: made } = goto;',
    "const sent = { __proto__: goto };",
    "Array.prototype.push = goto;",
]


@pytest.mark.parametrize("code", REACHING)
def test_properties_that_lead_to_the_means_of_the_language_are_refused(code: str) -> None:
    assert "make no code" in " ".join(syntax_problems(f"async ({{ goto }}, params) => {{ {code} }}"))

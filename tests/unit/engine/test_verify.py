"""How much of a look was checked, in words."""

from __future__ import annotations

import pytest

from perception.engine.verify import verification_note


@pytest.mark.parametrize(
    ("differing", "unchecked", "expected"),
    [
        pytest.param(0, [], "verified 0 of 0 texts in view: 0 differ", id="none"),
        pytest.param(1, ["", ""], "verified 2 of 2 texts in view: 1 differs", id="all"),
        pytest.param(
            2,
            ["", "", "masked", "covered", "masked"],
            "verified 2 of 5 texts in view: 2 differ, 3 not checked (2 masked, 1 covered)",
            id="some",
        ),
    ],
)
def test_the_note_counts_what_was_not_checked(differing: int, unchecked: list[str], expected: str) -> None:
    assert verification_note(differing, unchecked) == expected

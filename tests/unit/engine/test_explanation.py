"""Why an element has no line of its own."""

from __future__ import annotations

import pytest

from perception.engine.explain.explanation import _why_not_in_view
from perception.geometry import Box
from perception.types import Element, Reach, View

BOX = Box(0, 0, 10, 10)


@pytest.mark.parametrize(
    ("element", "view", "said"),
    [
        (Element("text", "Words", box=BOX), View.INTERACTIVE, "what can be acted on"),
        (
            Element("button", "Go", box=BOX, interactive=True, reach=Reach.NEVER),
            View.INTERACTIVE,
            "no click can ever reach",
        ),
        (Element("generic", "", box=BOX, interactive=True), View.INTERACTIVE, "nothing to operate"),
        (Element("generic", "", box=BOX), View.FULL, "nothing to operate"),
        (Element("button", "Go", box=BOX, interactive=True), View.DIGEST, "a line for each region"),
    ],
)
def test_the_reason_is_that_of_the_view(element: Element, view: View, said: str) -> None:
    assert said in _why_not_in_view(element, view)

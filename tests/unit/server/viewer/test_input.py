"""What a browser sends as a person's input, and what is not an event."""

from __future__ import annotations

import json

import pytest

from perception.server.viewer.calls import RefusedError
from perception.server.viewer.plain.control import input_of


@pytest.mark.parametrize(
    "text",
    [
        '{"number": Infinity, "text": "a"}',
        '{"number": NaN, "text": "a"}',
        '{"number": 1e400, "text": "a"}',
        '{"number": 99999999999999999999, "text": "a"}',
        '{"number": 1, "text": "\\ud800"}',
        '{"number": 1, "mouse": {"kind": "down", "x": "1", "y": 1, "button": 0, "count": 1}}',
        '{"number": 1, "touch": {"kind": "start", "points": [{"id": 1e99, "x": 1, "y": 1}]}}',
        '{"number": 1}',
    ],
)
def test_what_is_no_event_is_refused(text: str) -> None:
    given = json.loads(text)
    with pytest.raises(RefusedError, match="this is not an event"):
        input_of(given)

from __future__ import annotations

import pytest

from perception.errors import first_line


@pytest.mark.parametrize(
    ("error", "said"),
    [
        pytest.param(ValueError("one\ntwo"), "one", id="of-two"),
        pytest.param(TimeoutError(), "TimeoutError", id="silent"),
    ],
)
def test_an_error_is_reported_in_one_line(error: Exception, said: str) -> None:
    assert first_line(error) == said

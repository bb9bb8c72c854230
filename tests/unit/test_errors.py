from __future__ import annotations

import pytest

from perception.errors import PerceptionError, StaleRefError, first_line


@pytest.mark.parametrize(
    ("error", "said"),
    [
        pytest.param(ValueError("one\ntwo"), "one", id="of-two"),
        pytest.param(TimeoutError(), "TimeoutError", id="silent"),
    ],
)
def test_an_error_is_reported_in_one_line(error: Exception, said: str) -> None:
    assert first_line(error) == said


def test_the_name_of_an_error_is_its_reason_and_others_have_that_of_their_base() -> None:
    class NarrowerError(StaleRefError):
        pass

    class OursError(PerceptionError):
        pass

    assert (StaleRefError.reason, NarrowerError.reason, OursError.reason) == ("STALE_REF", "STALE_REF", "INTERNAL")

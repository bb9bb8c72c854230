"""What Prometheus fetches: every name is there, counts move, and no label can be made by a client or a page."""

from __future__ import annotations

import pytest

from perception.errors import BadInputError
from perception.server.telemetry.exposition import served_metrics


def test_nothing_is_served_unless_it_is_asked_for() -> None:
    with served_metrics("") as port:
        assert port == 0


@pytest.mark.parametrize(
    ("address", "says"),
    [
        pytest.param("0.0.0.0:9464", "--metrics-public", id="every-address"),
        pytest.param("[::]:9464", "--metrics-public", id="every-address-6"),
        pytest.param("host.example:9464", "--metrics-public", id="a-name"),
        pytest.param("9464", "HOST:PORT", id="no-host"),
        pytest.param("127.0.0.1:x", "HOST:PORT", id="no-number"),
        pytest.param("127.0.0.1:70000", "HOST:PORT", id="no-such-port"),
    ],
)
def test_an_address_that_is_not_to_be_is_refused(address: str, says: str) -> None:
    with pytest.raises(BadInputError, match=says), served_metrics(address):
        pass

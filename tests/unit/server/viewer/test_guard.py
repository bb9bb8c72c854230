"""Which requests are answered at all."""

from __future__ import annotations

import pytest

from perception.errors import BadInputError
from perception.server.viewer.guard import LOOPBACK_NAMES, is_own_host, is_own_origin
from perception.server.viewer.options import ViewerOptions, check_viewer, parse_viewer_address
from perception.server.viewer.rate_limits import RateLimit
from perception.testing import FakeClock


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("127.0.0.1:7900", True),
        ("LOCALHOST", True),
        ("[::1]:7900", True),
        ("a.view.example", True),
        ("evil.example:7900", False),
        ("127.0.0.1.evil.example", False),
        ("a.b.view.example", False),
        ("view.example", False),
        ("evil.example@127.0.0.1", False),
        ("127.0.0.1/x", False),
        ("127.0.0.1:x", False),
        ("", False),
    ],
)
def test_a_viewer_answers_to_its_own_names_only(host: str, own: bool) -> None:
    assert is_own_host(host, (*LOOPBACK_NAMES, "*.view.example")) is own


@pytest.mark.parametrize(
    ("origin", "own"),
    [
        ("http://127.0.0.1:7900", True),
        ("https://127.0.0.1:7900", True),
        ("http://127.0.0.1:7901", False),
        ("http://127.0.0.1", False),
        ("http://localhost:7900", False),
        ("null", False),
        ("", False),
    ],
)
def test_an_origin_is_the_viewers_own_if_host_and_port_are(origin: str, own: bool) -> None:
    assert is_own_origin(origin, "127.0.0.1:7900") is own


@pytest.mark.parametrize("address", ["7900", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:70000", ""])
def test_an_address_without_host_or_port_is_refused(address: str) -> None:
    with pytest.raises(BadInputError, match="HOST:PORT"):
        parse_viewer_address(address)


def test_an_address_that_others_reach_needs_tls_and_tokens() -> None:
    from pathlib import Path

    with pytest.raises(BadInputError, match="give a certificate and its key"):
        check_viewer(ViewerOptions("0.0.0.0", 7900), has_tokens=True)
    with_tls = ViewerOptions("0.0.0.0", 7900, certificate=Path("c"), key=Path("k"))
    with pytest.raises(BadInputError, match="asks nobody for a token"):
        check_viewer(with_tls, has_tokens=False)
    with pytest.raises(BadInputError, match="go together"):
        check_viewer(ViewerOptions("127.0.0.1", 7900, certificate=Path("c")), has_tokens=True)
    check_viewer(with_tls, has_tokens=True)
    check_viewer(ViewerOptions("127.0.0.1", 7900), has_tokens=False)


def test_a_bucket_holds_a_burst_and_fills_again() -> None:
    clock = FakeClock()
    limit = RateLimit(per_second=0.5, burst=2, clock=clock)
    assert [limit.take("a"), limit.take("a")] == [0.0, 0.0]
    assert limit.take("a") == pytest.approx(2.0)
    assert limit.take("b") == 0.0
    clock.advance(2.0)
    assert limit.take("a") == 0.0

"""Patterns of paths: what differs between runs, and where redirects lead."""

from __future__ import annotations

from itertools import pairwise

import pytest

from perception.subroutines.path_patterns import landing_pattern, path_pattern, url_fits
from tests.unit.subroutines.made import SITE, recording, request


@pytest.mark.parametrize(
    ("sent", "hops", "wanted"),
    [
        pytest.param("/-/write", ("/a/-/write",), "/a/-/write", id="one redirect"),
        pytest.param("/write", ("/-/write", "/a/-/write"), "/a/-/write", id="two redirects"),
        pytest.param("/issue", ("/issue29",), "/*", id="a new object, by the word of its list"),
        pytest.param("/wizard/step1", ("/wizard/step2",), "/wizard/step2", id="the next step is no new object"),
        pytest.param("/users/add/", ("/users/17/",), "/users/*/", id="a number"),
    ],
)
def test_redirects_are_followed_to_the_last(sent: str, hops: tuple[str, ...], wanted: str) -> None:
    addresses = (sent, *hops)
    made = [
        request(SITE + here, method="POST" if here == sent else "GET", status=302, location=SITE + there)
        for here, there in pairwise(addresses)
    ]
    assert (
        landing_pattern(made[:1], [recording(requests=(*made, request(SITE + hops[-1], method="GET")))], ()) == wanted
    )


def test_entered_values_are_variable_however_they_are_written() -> None:
    pattern = path_pattern("/tiddlers/Big%20title/text", ["Big title"])
    assert pattern == "/tiddlers/*/text"
    assert url_fits(pattern, "https://a.org/tiddlers/Other%20one/text")


def test_a_path_fits_however_it_is_written() -> None:
    assert url_fits("/a b/*", "https://a.org/a%20b/7")
    assert not url_fits("/a b/*", "https://a.org/a%2Fb/7")

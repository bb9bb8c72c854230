"""Ways that are measured in turns, and the site that they are measured with."""

from __future__ import annotations

from urllib.request import urlopen

import pytest

from perception.bench.pages.local_site import serve_apart
from perception.bench.turns import (
    WARM_UP,
    TimedSample,
    by_what,
    compare_samples,
    median_ms,
    milliseconds,
    turn_of,
    turns,
)

SAMPLES = [
    TimedSample(number, way, what, seconds)
    for number, way, what, seconds in (
        (0, "a", "load", 0.1),
        (0, "b", "load", 0.4),
        (0, "a", "click", 9.0),
        (1, "b", "load", 0.6),
        (1, "a", "load", 0.2),
    )
]


def test_each_round_has_every_way_once_and_begins_with_another() -> None:
    assert "".join(f"{number}{way}" for number, way in turns("abc", 3)) == "0a0b0c1b1c1a2c2a2b"


def test_two_ways_are_first_in_turn() -> None:
    assert [turn_of("ab", number)[0] for number in range(4)] == ["a", "b", "a", "b"]


def test_warming_up_is_a_round_of_its_own_before_the_first() -> None:
    numbers = [number for number, _ in turns("ab", 1, warm_up=True)]
    assert numbers == [WARM_UP, WARM_UP, 0, 0]


@pytest.mark.parametrize("rounds", [0, -1])
def test_without_rounds_there_are_no_turns(rounds: int) -> None:
    assert list(turns("ab", rounds)) == []


def test_milliseconds_are_by_round_and_their_median_is_over_rounds() -> None:
    loads = by_what(SAMPLES)["load"]
    assert milliseconds(loads, "b") == {0: 400.0, 1: 600.0}
    assert median_ms(loads, "a") == pytest.approx(150)


def test_what_is_compared_is_each_quantity_in_each_way_by_round() -> None:
    compared = compare_samples("cost", SAMPLES)
    assert [(score.sample, sorted(score.tallies)) for score in compared.scores] == [
        ("round 0", ["click, a", "load, a", "load, b"]),
        ("round 1", ["load, a", "load, b"]),
    ]
    assert set(compared.rules) == {"click, a", "load, a", "load, b"}


def test_a_site_apart_serves_paths_then_suffixes_then_the_rest() -> None:
    files = {"/": ("text/html", b"page"), ".svg": ("image/svg+xml", b"<svg/>"), "": ("text/plain", b"else")}
    with serve_apart(files) as origin:
        for path, kind, body in (("/", *files["/"]), ("/7.svg", *files[".svg"]), ("/x", *files[""])):
            with urlopen(origin + path) as answer:
                assert (answer.headers["Content-Type"], answer.read()) == (kind, body)

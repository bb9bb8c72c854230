from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.bench.comparison.paired import (
    RULES,
    ComparisonRule,
    Difference,
    Group,
    Scale,
    Verdict,
    compare_groups,
    compare_measure,
    mean_interval,
    paired_ratio,
    paired_successes,
    stratify,
)
from perception.bench.looks.look_score import HIGHER_IS_BETTER, LookMeasure
from perception.bench.scores import Score, Tally
from perception.errors import BadInputError

M = "measure"


def score(
    sample: str,
    hit: float,
    of: float = 10,
    *,
    who: str = "a",
    stratum: str = "mixed",
    category: str = "",
    measure: str = M,
) -> Score:
    """One look; the page is what stands before the @ of the sample's name."""
    return Score(sample, who, sample.split("@")[0], category, stratum, {measure: Tally(hit, of)})


def side(hits: Sequence[float], stratum: str = "mixed") -> list[Score]:
    """A look at each of so many pages, of ten each."""
    return [score(f"page{number}@s", hit, stratum=stratum) for number, hit in enumerate(hits)]


def found(difference: Difference | None) -> Difference:
    assert difference is not None
    return difference


TALLIES = st.tuples(st.integers(0, 20), st.integers(1, 20)).map(lambda pair: Tally(min(pair), pair[1]))
SAMPLES = st.lists(st.tuples(st.integers(0, 9), TALLIES, TALLIES), min_size=1, max_size=24)


def both(rows: Sequence[tuple[int, Tally, Tally]], *, more: float = 0) -> tuple[list[Score], list[Score]]:
    """Both sides of drawn rows (page, A, B). `more` is added to each hit, so that ratios have no 0."""
    a, b = [], []
    for number, (page, first, second) in enumerate(rows):
        a.append(score(f"p{page}@{number}", first.hit + more, first.of))
        b.append(score(f"p{page}@{number}", second.hit + more, second.of))
    return a, b


def paired_difference(
    a: Sequence[Score], b: Sequence[Score], measure: str, *, higher_is_better: bool | None = True
) -> Difference | None:
    return compare_measure(a, b, measure, ComparisonRule(higher_is_better))


def paired_page_ratio(a: Sequence[Score], b: Sequence[Score], measure: str) -> Difference | None:
    return compare_measure(a, b, measure, RULES[LookMeasure.WARM])


SCALES = pytest.mark.parametrize("scale", list(Scale))


def test_a_share_is_all_hits_of_all_counts_of_the_samples_that_both_have() -> None:
    a = [score("p@1", 1, 2), score("p@2", 8, 8), score("q@1", 5, 5)]
    b = [score("p@1", 2, 2), score("p@2", 4, 8), score("r@1", 0, 9)]
    difference = found(paired_difference(a, b, M))
    assert (difference.a, difference.b) == (0.9, 0.6)
    assert difference.value == pytest.approx(-0.3)
    assert (difference.samples, difference.pages) == (2, 1)
    assert (difference.only_a, difference.only_b) == (("q@1",), ("r@1",))


def test_a_ratio_of_totals_weighs_pages_by_what_they_cost_and_a_ratio_by_page_does_not() -> None:
    a = [score("big@s", 1000, 1), score("small@s", 10, 1)]
    b = [score("big@s", 500, 1), score("small@s", 20, 1)]
    assert found(paired_ratio(a, b, M)).value == pytest.approx(520 / 1010)
    assert found(paired_page_ratio(a, b, M)).value == pytest.approx(1.0)


def test_one_disturbed_look_of_a_page_does_not_move_its_ratio() -> None:
    a = [score(f"p@{shape}", 10, 1) for shape in range(3)]
    b = [score("p@0", 20, 1), score("p@1", 20, 1), score("p@2", 9_000, 1)]
    assert found(paired_page_ratio(a, b, M)).value == pytest.approx(2.0)


def test_what_took_no_time_is_named_and_left_out_of_a_ratio_by_page() -> None:
    a, b = side([0, 10, 20]), side([10, 0, 40])
    difference = found(paired_page_ratio(a, b, M))
    assert difference.unusable == ("page0@s", "page1@s")
    assert difference.value == pytest.approx(2.0)
    assert difference.samples == 1


@pytest.mark.parametrize(
    ("a", "b"),
    [
        pytest.param([], [], id="empty"),
        pytest.param(side([1]), [], id="one-side"),
        pytest.param([score("p@1", 1)], [score("q@1", 1)], id="nothing-in-common"),
        pytest.param([score("p@1", 0, 0)], [score("p@1", 0, 0)], id="nothing-counted"),
        pytest.param([score("p@1", 1, measure="x")], [score("p@1", 1, measure="x")], id="another-measure"),
    ],
)
@SCALES
def test_nothing_in_common_is_no_comparison(a: list[Score], b: list[Score], scale: Scale) -> None:
    assert compare_measure(a, b, M, ComparisonRule(True, scale)) is None


def test_a_cost_of_nothing_has_no_ratio() -> None:
    assert paired_ratio(side([0, 0]), side([1, 1]), M) is None
    assert paired_ratio(side([1, 1]), side([0, 0]), M) is None


def test_a_cost_of_nothing_on_most_pages_has_a_ratio_but_no_interval() -> None:
    difference = found(paired_ratio(side([0] * 9 + [4]), side([2] * 10), M))
    assert difference.value == pytest.approx(5.0)
    assert (difference.interval, difference.verdict) == (None, Verdict.UNDEFINED)


@pytest.mark.parametrize("pages", [1, 2, 5])
def test_few_pages_give_a_number_but_no_verdict(pages: int) -> None:
    difference = found(paired_difference(side([1] * pages), side([9] * pages), M))
    assert difference.value == pytest.approx(0.8)
    assert (difference.interval, difference.verdict) == (None, Verdict.TOO_FEW)


def test_shapes_of_one_page_are_not_as_many_pages() -> None:
    a = [score(f"p@{shape}", 1) for shape in range(20)]
    b = [score(f"p@{shape}", 9) for shape in range(20)]
    assert found(paired_difference(a, b, M)).verdict is Verdict.TOO_FEW


@pytest.mark.parametrize("by", ["a", "b"])
def test_a_sample_twice_on_a_side_is_refused(by: str) -> None:
    twice, once = [score("p@1", 1), score("p@1", 1, who="other")], [score("p@1", 1)]
    with pytest.raises(BadInputError, match="p@1: one side has two scores for it, of a and other"):
        paired_difference(*((twice, once) if by == "a" else (once, twice)), M)


@SCALES
@given(rows=SAMPLES)
def test_an_interval_holds_the_number_that_it_is_of(scale: Scale, rows: list[tuple[int, Tally, Tally]]) -> None:
    difference = compare_measure(*both(rows, more=1), M, ComparisonRule(True, scale))
    assert difference is not None
    assert difference.interval is None or difference.interval.low <= difference.value <= difference.interval.high


@SCALES
@given(rows=SAMPLES)
def test_the_other_way_round_the_sign_flips(scale: Scale, rows: list[tuple[int, Tally, Tally]]) -> None:
    a, b = both(rows, more=1)
    rule = ComparisonRule(True, scale)
    one, other = found(compare_measure(a, b, M, rule)), found(compare_measure(b, a, M, rule))

    def turn(value: float) -> float:
        return -value if scale is Scale.DIFFERENCE else 1 / value

    assert other.value == pytest.approx(turn(one.value))
    assert (one.interval is None) == (other.interval is None)
    if one.interval and other.interval:
        assert other.interval.low == pytest.approx(turn(one.interval.high), abs=1e-9)
        assert other.interval.high == pytest.approx(turn(one.interval.low), abs=1e-9)


@SCALES
@given(rows=SAMPLES)
def test_a_side_does_not_differ_from_itself(scale: Scale, rows: list[tuple[int, Tally, Tally]]) -> None:
    a, _ = both(rows, more=1)
    difference = found(compare_measure(a, a, M, ComparisonRule(True, scale)))
    assert difference.value == (0 if scale is Scale.DIFFERENCE else 1)
    assert difference.verdict in (Verdict.NOT_SHOWN, Verdict.TOO_FEW)


@SCALES
@given(rows=SAMPLES, random=st.randoms())
def test_order_of_samples_does_not_matter(scale: Scale, rows: list[tuple[int, Tally, Tally]], random: Random) -> None:
    a, b = both(rows, more=1)
    rule = ComparisonRule(True, scale)
    before = found(compare_measure(a, b, M, rule))
    random.shuffle(a)
    random.shuffle(b)
    after = found(compare_measure(a, b, M, rule))
    assert after.value == pytest.approx(before.value)
    assert after.verdict is before.verdict


@given(shares=st.lists(st.integers(2, 7), min_size=8, max_size=40), lift=st.integers(1, 3))
def test_a_planted_difference_is_found(shares: list[int], lift: int) -> None:
    a, b = side(shares), side([share + lift for share in shares])
    assert found(paired_difference(a, b, M)).verdict is Verdict.BETTER
    assert found(paired_difference(b, a, M)).verdict is Verdict.WORSE
    assert found(paired_difference(a, b, M, higher_is_better=False)).verdict is Verdict.WORSE
    assert found(paired_difference(a, b, M, higher_is_better=None)).verdict is Verdict.DIFFERENT
    assert found(paired_ratio(a, b, M)).verdict is Verdict.WORSE


def test_noise_around_nothing_shows_no_difference() -> None:
    noise = np.random.default_rng(5).integers(0, 3, size=(2, 40))
    assert found(paired_difference(side(5 + noise[0]), side(5 + noise[1]), M)).verdict is Verdict.NOT_SHOWN


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [
        pytest.param(1.05, Verdict.NOT_SHOWN, id="the-machine's-mood"),
        pytest.param(0.95, Verdict.NOT_SHOWN, id="a-good-mood"),
        pytest.param(1.3, Verdict.WORSE, id="slower"),
        pytest.param(0.7, Verdict.BETTER, id="faster"),
    ],
)
def test_latency_must_differ_by_more_than_the_machine_does(factor: float, verdict: Verdict) -> None:
    spent = [40, 80, 25, 300, 120, 66, 90]
    assert found(paired_page_ratio(side(spent), side([each * factor for each in spent]), M)).verdict is verdict


def test_a_margin_is_not_negative() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        ComparisonRule(True, margin=-0.1)


def test_every_measure_of_a_look_has_its_rule() -> None:
    assert {measure: rule.higher_is_better for measure, rule in RULES.items()} == dict(HIGHER_IS_BETTER)
    assert RULES[LookMeasure.TOKENS].scale is Scale.TOTALS
    assert RULES[LookMeasure.WARM].scale is Scale.PAGES


def test_groups_are_by_stratum_or_category_in_order() -> None:
    scores = [score("p@1", 1, stratum="mixed", category="form"), score("q@1", 1, stratum="ax-poor", category="form")]
    assert [*stratify(scores, Group.STRATUM)] == ["ax-poor", "mixed"]
    assert stratify(scores, Group.CATEGORY) == {"form": scores}
    assert stratify([], Group.STRATUM) == {}


def test_intervals_of_groups_hold_together_and_are_wider_than_one_alone() -> None:
    a = side([4, 6, 5, 3, 7, 5, 6, 4, 5, 5], stratum="mixed")
    b = side([6, 5, 7, 4, 9, 4, 8, 6, 6, 5], stratum="mixed")
    other = [score(f"q{number}@s", 5, stratum="ax-poor") for number in range(10)]
    alone = found(paired_difference(a, b, M)).interval
    grouped = compare_groups([*a, *other], [*b, *other], M, ComparisonRule(True), Group.STRATUM)
    together = found(grouped["mixed"]).interval
    assert alone is not None
    assert together is not None
    assert together.level == pytest.approx(0.975)
    assert together.low < alone.low
    assert together.high > alone.high


def test_a_sample_is_in_the_group_that_the_first_side_has_it_in() -> None:
    a = [score("p@1", 1, stratum="mixed")]
    b = [score("p@1", 2, stratum="ax-poor"), score("q@1", 2, stratum="ax-poor")]
    groups = compare_groups(a, b, M, ComparisonRule(True), Group.STRATUM)
    assert [*groups] == ["mixed"]
    assert found(groups["mixed"]).b == pytest.approx(0.2)


def test_a_mean_of_one_side_has_its_interval_over_pages() -> None:
    value, interval = mean_interval(side([5, 6, 4, 5, 7, 3]), M) or (0, None)
    assert value == pytest.approx(0.5)
    assert interval is not None
    assert 0.3 <= interval.low < value < interval.high <= 0.7
    assert mean_interval(side([5]), M) == (0.5, None)
    assert mean_interval([], M) is None


def outcomes(sample: str, *each: bool) -> Score:
    return Score(sample, "a", sample, "", "", {}, {M: each})


def test_successes_are_paired_by_sample_and_task() -> None:
    a = [outcomes("p", True, True, False), outcomes("q", True), outcomes("only a", True)]
    b = [outcomes("q", True), outcomes("p", False, True, True), score("none", 1)]
    test = paired_successes(a, b, M)
    assert (test.both, test.b, test.c, test.neither, test.p) == (2, 1, 1, 0, 1.0)


def test_different_tasks_of_one_sample_are_refused() -> None:
    with pytest.raises(BadInputError, match="p: one side has 1 outcomes of 'measure', the other 2"):
        paired_successes([outcomes("p", True)], [outcomes("p", True, False)], M)

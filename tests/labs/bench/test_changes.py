from __future__ import annotations

from collections.abc import Sequence

import pytest

from perception.bench.comparison.paired import ComparisonRule, Verdict
from perception.bench.comparison.run_changes import compare_runs, regressions
from perception.bench.looks.look_score import LookMeasure
from perception.bench.scores import Score, Tally
from perception.errors import BadInputError

STRATA = ("ax-poor", "mixed", "accessible")


def run(
    who: str = "fused",
    *,
    recall: Sequence[float] = (8, 9, 7, 9),
    tokens: float = 400,
    warm: float = 50,
    pages: int = 30,
) -> list[Score]:
    """A run over pages of all strata in turn; what is drawn repeats."""
    return [
        Score(
            f"page{number}@1280x800",
            who,
            f"page{number}",
            "",
            STRATA[number % 3],
            {
                LookMeasure.RECALL: Tally(recall[number % len(recall)], 10),
                LookMeasure.TOKENS: Tally(tokens + 10 * (number % 4), 1),
                LookMeasure.WARM: Tally(warm + number % 5, 1),
            },
        )
        for number in range(pages)
    ]


def test_a_run_has_no_regression_from_itself() -> None:
    comparison = compare_runs(run(), run())
    assert comparison.regressions() == ()
    assert comparison.losses() == ()
    assert {change.difference.verdict for change in comparison.changes if change.difference} == {Verdict.NOT_SHOWN}
    assert {change.group for change in comparison.changes} == {"", *STRATA}


@pytest.mark.parametrize(
    ("measure", "worse"),
    [
        pytest.param(LookMeasure.RECALL, run(recall=(7, 7, 6, 8)), id="finds-less"),
        pytest.param(LookMeasure.TOKENS, run(tokens=450), id="costs-more"),
        pytest.param(LookMeasure.WARM, run(warm=70), id="takes-longer"),
    ],
)
def test_a_planted_regression_is_caught_overall_and_in_each_stratum(measure: LookMeasure, worse: list[Score]) -> None:
    caught = regressions(run(), worse)
    assert {change.measure for change in caught} == {measure}
    assert [change.group for change in caught] == ["", *sorted(STRATA)]
    assert regressions(worse, run()) == ()


def test_a_regression_of_one_stratum_is_caught_there_and_not_elsewhere() -> None:
    old = run()
    new = [
        Score(each.sample, each.who, each.page, "", each.stratum, {**each.tallies, LookMeasure.RECALL: Tally(4, 10)})
        if each.stratum == "ax-poor"
        else each
        for each in old
    ]
    caught = {change.group for change in regressions(old, new)}
    assert "ax-poor" in caught
    assert not caught & {"mixed", "accessible"}


def test_noise_of_the_clock_is_no_regression() -> None:
    assert regressions(run(warm=50), run(warm=52)) == ()


def test_who_looked_in_one_run_alone_is_named() -> None:
    comparison = compare_runs([*run("text"), *run("fused")], [*run("fused"), *run("vision")])
    assert {change.who for change in comparison.changes} == {"fused"}
    assert (comparison.only_old, comparison.only_new) == (("text",), ("vision",))


def test_a_variant_may_have_another_name_in_the_new_run() -> None:
    comparison = compare_runs(run("fused"), run("fused-2", recall=(5, 5, 5, 5)), names={"fused": "fused-2"})
    assert [change.who for change in comparison.regressions()] == ["fused"] * 4
    assert (comparison.only_old, comparison.only_new) == ((), ())


@pytest.mark.parametrize(
    ("names", "message"),
    [
        pytest.param({"fussed": "fused"}, "nobody in the old run is called 'fussed': there is fused", id="old"),
        pytest.param({"fused": "fussed"}, "nobody in the new run is called 'fussed': there is fused", id="new"),
    ],
)
def test_a_name_that_a_run_does_not_have_is_refused(names: dict[str, str], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        compare_runs(run(), run(), names=names)


def test_samples_that_the_new_run_failed_at_are_distinguished_from_regressions() -> None:
    comparison = compare_runs(run(), run()[3:])
    assert comparison.regressions() == ()
    assert {change.measure for change in comparison.losses()} == {
        LookMeasure.RECALL,
        LookMeasure.TOKENS,
        LookMeasure.WARM,
    }
    assert comparison.losses()[0].lost == ("page0@1280x800", "page1@1280x800", "page2@1280x800")


def test_a_measure_that_is_gone_is_a_loss() -> None:
    gone = [Score(each.sample, each.who, each.page, "", each.stratum, {}) for each in run()]
    comparison = compare_runs(run(), gone, rules={LookMeasure.RECALL: ComparisonRule(True)})
    (loss,) = comparison.losses()
    assert loss.difference is None
    assert len(loss.lost) == 30


def test_empty_runs_have_nothing_to_compare() -> None:
    assert compare_runs([], []).changes == ()

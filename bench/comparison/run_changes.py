"""Compares an old run with a new one, measure by measure: regressions, and what can no longer be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from perception.bench.comparison.paired import (
    RULES,
    ComparisonRule,
    Difference,
    Group,
    Verdict,
    compare_groups,
    compare_measure,
    stratify,
    tallies_of,
)
from perception.bench.scores import Score
from perception.errors import BadInputError


@dataclass(frozen=True, slots=True)
class MeasureChange:
    """The change of one measure from an old run to a new one.

    Attributes:
        group: a stratum, or empty for all samples.
        difference: None if no sample of both runs has the measure.
        lost: samples that have the measure in the old run only, by name, sorted: looks that fail now, or a measure that
            is gone. No interval covers these.
    """

    who: str
    measure: str
    group: str
    difference: Difference | None
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunComparison:
    """`only_old`, `only_new`: the variants or peers of one run only."""

    changes: tuple[MeasureChange, ...]
    only_old: tuple[str, ...] = ()
    only_new: tuple[str, ...] = ()

    def regressions(self) -> tuple[MeasureChange, ...]:
        """What got worse, changes over all samples first, then strata."""
        worse = [each for each in self.changes if each.difference and each.difference.verdict is Verdict.WORSE]
        return tuple(sorted(worse, key=lambda change: bool(change.group)))

    def losses(self) -> tuple[MeasureChange, ...]:
        """Measures over all samples that the new run lacks for some samples."""
        return tuple(change for change in self.changes if change.lost and not change.group)


def compare_runs(
    old: Iterable[Score],
    new: Iterable[Score],
    *,
    names: Mapping[str, str] | None = None,
    rules: Mapping[str, ComparisonRule] | None = None,
) -> RunComparison:
    """Every measure that both runs have, for each variant or peer, over all samples and by stratum.

    Args:
        names: names in the new run by name in the old run, if they differ.
        rules: which measures, and how; `RULES` by default. A measure that the old run does not have is omitted.

    Raises:
        BadInputError: `names` has a name that a run does not have, or a run has two scores of one for a sample.
    """
    before, after = _by_who(old), _by_who(new)
    renamed = {who: who for who in before} | dict(names or {})
    for who, later in (names or {}).items():
        _check_has(before, who, "old")
        _check_has(after, later, "new")
    pairs = {who: later for who, later in renamed.items() if later in after}
    return RunComparison(
        tuple(
            change
            for who, later in pairs.items()
            for change in _changes_of(who, before[who], after[later], RULES if rules is None else rules)
        ),
        only_old=tuple(who for who in before if who not in pairs),
        only_new=tuple(who for who in after if who not in pairs.values()),
    )


def regressions(
    old: Iterable[Score],
    new: Iterable[Score],
    *,
    names: Mapping[str, str] | None = None,
    rules: Mapping[str, ComparisonRule] | None = None,
) -> tuple[MeasureChange, ...]:
    """What got worse according to `compare_runs`."""
    return compare_runs(old, new, names=names, rules=rules).regressions()


def _check_has(run: Mapping[str, list[Score]], who: str, which: str) -> None:
    if who not in run:
        known = ", ".join(run) or "nobody"
        raise BadInputError(f"nobody in the {which} run is called {who!r}: there is {known}")


def _changes_of(
    who: str, old: Sequence[Score], new: Sequence[Score], rules: Mapping[str, ComparisonRule]
) -> Iterator[MeasureChange]:
    groups = stratify(old, Group.STRATUM)
    for measure, rule in rules.items():
        had, has = tallies_of(old, measure), tallies_of(new, measure)
        if not had:
            continue
        lost = sorted(had.keys() - has.keys())
        yield MeasureChange(who, measure, "", compare_measure(old, new, measure, rule), tuple(lost))
        for name, difference in compare_groups(old, new, measure, rule, Group.STRATUM).items() if any(groups) else ():
            members = {score.sample for score in groups[name]}
            yield MeasureChange(who, measure, name, difference, tuple(each for each in lost if each in members))


def _by_who(scores: Iterable[Score]) -> dict[str, list[Score]]:
    found: dict[str, list[Score]] = {}
    for score in scores:
        found.setdefault(score.who, []).append(score)
    return found

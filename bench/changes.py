"""What became of an old run in a new one, measure by measure: the regressions, and what cannot be compared any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from perception.bench.compare import (
    RULES,
    Difference,
    Group,
    Rule,
    Verdict,
    compare_groups,
    compare_measure,
    stratify,
    tallies_of,
)
from perception.bench.seen import Score
from perception.errors import BadInputError


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one measure from an old run to a new one.

    Attributes:
        group: a stratum, or empty for all samples.
        difference: None where no sample of both runs has the measure.
        lost: samples that the old run has the measure for and the new one has not, by name, sorted: looks that fail
            now, or a measure that is gone. No interval tells of these.
    """

    who: str
    measure: str
    group: str
    difference: Difference | None
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunComparison:
    """`only_old`, `only_new`: who looked in one of the runs alone."""

    changes: tuple[Change, ...]
    only_old: tuple[str, ...] = ()
    only_new: tuple[str, ...] = ()

    def regressions(self) -> tuple[Change, ...]:
        """What got worse, all samples' changes before a stratum's."""
        worse = [each for each in self.changes if each.difference and each.difference.verdict is Verdict.WORSE]
        return tuple(sorted(worse, key=lambda change: bool(change.group)))

    def losses(self) -> tuple[Change, ...]:
        """Measures of all samples that the new run no longer has for some."""
        return tuple(change for change in self.changes if change.lost and not change.group)


def compare_runs(
    old: Iterable[Score],
    new: Iterable[Score],
    *,
    names: Mapping[str, str] | None = None,
    rules: Mapping[str, Rule] | None = None,
) -> RunComparison:
    """Every measure of everybody that both runs have, on all samples and by stratum.

    Args:
        names: what those of the old run are called in the new one, where that differs.
        rules: which measures, and how; `RULES` unless given. A measure that the old run has nowhere is left out.

    Raises:
        BadInputError: `names` speaks of somebody whom a run does not have, or a run has two scores of one for a sample.
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
    rules: Mapping[str, Rule] | None = None,
) -> tuple[Change, ...]:
    """What `compare_runs` shows to have got worse."""
    return compare_runs(old, new, names=names, rules=rules).regressions()


def _check_has(run: Mapping[str, list[Score]], who: str, which: str) -> None:
    if who not in run:
        known = ", ".join(run) or "nobody"
        raise BadInputError(f"nobody in the {which} run is called {who!r}: there is {known}")


def _changes_of(who: str, old: Sequence[Score], new: Sequence[Score], rules: Mapping[str, Rule]) -> Iterator[Change]:
    groups = stratify(old, Group.STRATUM)
    for measure, rule in rules.items():
        had, has = tallies_of(old, measure), tallies_of(new, measure)
        if not had:
            continue
        lost = sorted(had.keys() - has.keys())
        yield Change(who, measure, "", compare_measure(old, new, measure, rule), tuple(lost))
        for name, difference in compare_groups(old, new, measure, rule, Group.STRATUM).items():
            members = {score.sample for score in groups[name]}
            yield Change(who, measure, name, difference, tuple(each for each in lost if each in members))


def _by_who(scores: Iterable[Score]) -> dict[str, list[Score]]:
    found: dict[str, list[Score]] = {}
    for score in scores:
        found.setdefault(score.who, []).append(score)
    return found

"""The check of a changed script: which dry runs it takes, and what they show.

Rule 1: the changed script is run as the one made of the recordings: with the recorded values, with others, and with
each call failing, before and after something was sent. In each of these it does the same.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from perception.subroutines.recording import Recording
from perception.subroutines.replay import describe_call
from perception.subroutines.script_check.arguments import (
    Arguments,
    literal_arguments,
    recorded_arguments,
    varied_arguments,
)
from perception.subroutines.script_check.dry_run import Change, Scenario, Trace
from perception.subroutines.script_check.recorded_facts import RecordedFacts
from perception.subroutines.script_check.syntax import literals_in
from perception.subroutines.script_check.traces import LOOKS, Rules, align, has_all, is_part, read_texts

MAX_PROBLEMS = 12
"""That are reported: the first ones cause the others."""

Runner = Callable[[str, Sequence[Scenario]], Awaitable[tuple[Trace, ...]]]
"""Runs a script in scenarios."""

PLAIN = 1
"""Index of the arguments that failures are tried with: each is another one."""

_ERRORS: tuple[Mapping[str, Any], ...] = (
    {"message": "what the page shows is not what was recorded", "reason": "DRIFT", "sent": False},
    {"message": "the site refused it", "reason": "REFUSED", "sent": True},
)
"""How a call may fail: before anything was sent, so that another way may be tried, and after."""


@dataclass(frozen=True, slots=True)
class ScriptCase:
    """A changed script and what it is held against.

    Attributes:
        recorded: the script made of the recordings.
        given: the changed one.
        schema: JSON Schema of the parameters, by the new names.
        rename: new names of parameters by those of the recorded script.
        facts: the recordings.
    """

    recorded: str
    given: str
    schema: Mapping[str, Any]
    rename: Mapping[str, str]
    facts: RecordedFacts

    def rules(self, arguments: Arguments, *, is_recorded: bool = False) -> Rules:
        return Rules(self.facts, self.rename, arguments, is_recorded)

    def scenarios(
        self, arguments: Arguments, ours: Sequence[Change], theirs: Sequence[Change]
    ) -> tuple[Scenario, Scenario]:
        """The same scenario for the recorded script, which has other names, and for the changed one."""
        old = {new: old for old, new in self.rename.items()}
        renamed = {old.get(name, name): value for name, value in arguments.items()}
        return Scenario(renamed, tuple(ours)), Scenario(arguments, tuple(theirs))


def make_case(
    recorded: str,
    given: str,
    schema: Mapping[str, Any],
    rename: Mapping[str, str],
    recordings: Sequence[Recording],
    others: Sequence[Arguments],
) -> ScriptCase:
    """Args:
    others: the arguments of the second recording, if there is one.
    """
    facts = RecordedFacts(recordings, (recorded_arguments(schema), *others))
    return ScriptCase(recorded, given, schema, rename, facts)


async def check_script(case: ScriptCase, run: Runner) -> tuple[str, ...]:
    """What is wrong with a changed script; empty if it does what was recorded.

    Args:
        run: runs a script in scenarios.
    """
    written = [each for each in literals_in(case.given) if each not in case.recorded]
    arguments = [
        recorded_arguments(case.schema),
        *varied_arguments(case.schema),
        *literal_arguments(case.schema, written),
    ]
    check = _Check(case, run, arguments)
    await check.check_way(_Failure((), (), ""))
    if check.fallback is not None and not check.problems:
        await check.check_way(check.fallback)
    return tuple(dict.fromkeys(check.problems))[:MAX_PROBLEMS]


@dataclass(frozen=True, slots=True)
class _Failure:
    """A scenario in which calls fail: its changes in both scripts, and what fails; empty for none."""

    ours: tuple[Change, ...]
    theirs: tuple[Change, ...]
    what: str

    @property
    def start(self) -> int:
        """Index of the first call after those that fail."""
        return max((each.at + 1 for each in self.ours), default=0)


class _Check:
    """One check: its problems, and the failure after which the recorded script goes another way, by hand."""

    def __init__(self, case: ScriptCase, run: Runner, arguments: Sequence[Arguments]) -> None:
        self._case, self._run, self._arguments = case, run, arguments
        self.problems: list[str] = []
        self.fallback: _Failure | None = None

    async def check_way(self, way: _Failure) -> None:
        """Checks one way through both scripts: with all arguments, with each call failing, and with each addition."""
        pairs = [self._case.scenarios(each, way.ours, way.theirs) for each in self._arguments]
        ours, theirs = await self._run_both(pairs)
        if not way.what and ours[0].end.error:
            self._note(way, [f"the script made of the recordings cannot be compared with: {ours[0].end.error[:200]}"])
        for number, (given, one, other) in enumerate(zip(self._arguments, ours, theirs, strict=True)):
            self._note(way, compared(one, other, self._case.rules(given, is_recorded=number == 0)))
        if not self.problems:
            failed = await self._check_failures(way, ours[PLAIN], theirs[PLAIN])
            if not self.problems:
                await self._check_additions(way, [ours[PLAIN], *failed], ours[PLAIN], theirs[PLAIN])

    async def _check_failures(self, way: _Failure, recorded: Trace, given: Trace) -> tuple[Trace, ...]:
        """Returns what the recorded script did in each failure."""
        arguments = self._arguments[PLAIN]
        failures = list(_failures(recorded, given, self._case.rules(arguments), way))
        pairs = [self._case.scenarios(arguments, each.ours, each.theirs) for each in failures]
        ours, theirs = await self._run_both(pairs)
        rules = replace(self._case.rules(arguments), reads=read_texts(recorded))
        for failure, one, other in zip(failures, ours, theirs, strict=True):
            self._note(failure, compared(one, other, rules)[:1])
            if not way.what and any(call.name == "fallBack" for call in one.calls):
                self.fallback = failure  # the last one: all that is read before has been read
        return ours

    async def _check_additions(self, way: _Failure, known: Sequence[Trace], recorded: Trace, given: Trace) -> None:
        """What the changed script looks or waits for in addition must not lead to anything else, whatever it shows."""
        arguments = self._arguments[PLAIN]
        rules = self._case.rules(arguments)
        paired = set(align(recorded, given, rules).pairs.values())
        changes = [
            Change(index, error)
            for index in range(len(given.calls))
            for error in ((None,) if given.calls[index].name in LOOKS else _ERRORS)
            if index not in paired and all(index > each.at for each in way.theirs)
        ]
        scenarios = [Scenario(arguments, (*way.theirs, each)) for each in changes]
        for change, trace in zip(changes, await self._run(self._case.given, scenarios), strict=True):
            if not any(is_part(each, trace, rules) and (trace.end.error or has_all(each, trace)) for each in known):
                what = describe_call(given.calls[change.at])
                self._note(way, [f"it does what was not recorded where “{what}” fails or finds nothing"])

    async def _run_both(
        self, pairs: Sequence[tuple[Scenario, Scenario]]
    ) -> tuple[tuple[Trace, ...], tuple[Trace, ...]]:
        ours = await self._run(self._case.recorded, [one for one, _ in pairs])
        return ours, await self._run(self._case.given, [other for _, other in pairs])

    def _note(self, failure: _Failure, problems: Sequence[str]) -> None:
        self.problems += [f"when {failure.what}: {each}" if failure.what else each for each in problems]


def compared(recorded: Trace, given: Trace, rules: Rules) -> list[str]:
    """What a script did otherwise than the recorded one."""
    found = align(recorded, given, rules).problems
    ours, theirs = recorded.end.error, given.end.error
    if not found and ours != theirs:
        found = [f"it ends with the error {theirs!r}" if theirs else f"it goes on after the error {ours!r}"]
    if found and not ours and theirs and theirs not in found[0]:
        found.append(f"it fails: {theirs[:200]}")
    return found


def _failures(recorded: Trace, given: Trace, rules: Rules, way: _Failure) -> Iterator[_Failure]:
    """Each further call that both scripts make, failing."""
    for ours, theirs in sorted(align(recorded, given, rules).pairs.items()):
        for error in _ERRORS if ours >= way.start and recorded.calls[ours].name != "fallBack" else ():
            sent = " after something was sent" if error["sent"] else ""
            what = f"{way.what + ' and then ' if way.what else ''}“{describe_call(recorded.calls[ours])}” fails{sent}"
            yield _Failure((*way.ours, Change(ours, error)), (*way.theirs, Change(theirs, error)), what)

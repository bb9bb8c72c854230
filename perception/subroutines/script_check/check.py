"""The check of a changed script: which dry runs it takes, and what they show.

Rule 1: the changed script is run as the one made of the recordings, with the recorded values, with others, and with each call
failing, before and after something was sent. In each of these it does the same.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from perception.subroutines.recording import Recording
from perception.subroutines.replay import describe_call
from perception.subroutines.script_check.arguments import Arguments, recorded_arguments, varied_arguments
from perception.subroutines.script_check.dry_run import Change, Scenario, Trace
from perception.subroutines.script_check.recorded_facts import RecordedFacts
from perception.subroutines.script_check.traces import LOOKS, Rules, align, has_all, is_part

MAX_PROBLEMS = 12
"""That are reported: the first ones cause the others."""

Runner = Callable[[str, Sequence[Scenario]], Awaitable[tuple[Trace, ...]]]
"""Runs a script in scenarios."""

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
    arguments = [recorded_arguments(case.schema), *varied_arguments(case.schema)]
    pairs = [case.scenarios(each, (), ()) for each in arguments]
    ours = await run(case.recorded, [one for one, _ in pairs])
    theirs = await run(case.given, [other for _, other in pairs])
    found: list[str] = []
    for number, (given, one, other) in enumerate(zip(arguments, ours, theirs, strict=True)):
        found += _compared(one, other, case.rules(given, is_recorded=number == 0))
    if not found:
        found += await _check_failures(case, run, arguments[1], ours[1], theirs[1])
    return tuple(dict.fromkeys(found))[:MAX_PROBLEMS]


def _compared(recorded: Trace, given: Trace, rules: Rules) -> list[str]:
    found = align(recorded, given, rules).problems
    ends = [each.end.error for each in (recorded, given)]
    if not found and ends[0] != ends[1]:
        found = [
            f"it ends with the error {ends[1]!r}"
            if ends[1]
            else f"it goes on where the recorded script ends with {ends[0]!r}"
        ]
    if found and not ends[0] and given.end.error and given.end.error not in found[0]:
        found.append(f"it fails: {given.end.error[:200]}")
    return found


@dataclass(frozen=True, slots=True)
class _Failure:
    """A scenario in which a call fails: its changes in both scripts, and what fails."""

    ours: tuple[Change, ...]
    theirs: tuple[Change, ...]
    what: str


async def _check_failures(
    case: ScriptCase, run: Runner, arguments: Arguments, recorded: Trace, given: Trace
) -> list[str]:
    rules = case.rules(arguments)
    failures = list(_failures(recorded, given, rules, _Failure((), (), ""), 0))
    ours, theirs, found = await _run_failures(case, run, arguments, failures)
    fallen = next((number for number, trace in enumerate(ours) if _fallback_at(trace) is not None), None)
    if fallen is not None and not found:
        start = (_fallback_at(ours[fallen]) or 0) + 1
        deeper = list(_failures(ours[fallen], theirs[fallen], rules, failures[fallen], start))
        found += (await _run_failures(case, run, arguments, deeper))[2]
    if not found:
        known = [recorded, *ours]
        found += await _check_additions(
            case, run, arguments, known, given, align(recorded, given, rules).pairs.values()
        )
    return found


def _failures(recorded: Trace, given: Trace, rules: Rules, before: _Failure, start: int) -> Iterator[_Failure]:
    """Each call that both scripts make, failing."""
    for ours, theirs in sorted(align(recorded, given, rules).pairs.items()):
        for error in _ERRORS if ours >= start else ():
            what = f"{before.what + ' and then ' if before.what else ''}“{describe_call(recorded.calls[ours])}” fails"
            sent = " after something was sent" if error["sent"] else ""
            yield _Failure((*before.ours, Change(ours, error)), (*before.theirs, Change(theirs, error)), what + sent)


async def _run_failures(
    case: ScriptCase, run: Runner, arguments: Arguments, failures: Sequence[_Failure]
) -> tuple[tuple[Trace, ...], tuple[Trace, ...], list[str]]:
    pairs = [case.scenarios(arguments, each.ours, each.theirs) for each in failures]
    ours = await run(case.recorded, [one for one, _ in pairs])
    theirs = await run(case.given, [other for _, other in pairs])
    found: list[str] = []
    for failure, one, other in zip(failures, ours, theirs, strict=True):
        found += [f"when {failure.what}: {each}" for each in _compared(one, other, case.rules(arguments))[:1]]
    return ours, theirs, found


def _fallback_at(trace: Trace) -> int | None:
    return next((index for index, call in enumerate(trace.calls) if call.name == "fallBack"), None)


async def _check_additions(
    case: ScriptCase, run: Runner, arguments: Arguments, known: Sequence[Trace], given: Trace, paired: Any
) -> list[str]:
    """What the changed script looks or waits for in addition must not lead to anything else, whatever it shows."""
    added = [index for index in range(len(given.calls)) if index not in set(paired)]
    changes = [
        Change(index, error) for index in added for error in ((None,) if given.calls[index].name in LOOKS else _ERRORS)
    ]
    traces = await run(case.given, [replace(Scenario(arguments), changes=(each,)) for each in changes])
    rules = case.rules(arguments)
    found = []
    for change, trace in zip(changes, traces, strict=True):
        fits = [each for each in known if is_part(each, trace, rules) and (trace.end.error or has_all(each, trace))]
        if not fits:
            what = describe_call(given.calls[change.at])
            found.append(f"when “{what}” does not find what it looks for, it does something that was not recorded")
    return found

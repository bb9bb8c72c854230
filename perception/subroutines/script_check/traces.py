"""Compares what two scripts did in the same scenario: the one made of the recordings, and the changed one.

Rule 1: what acts on the page, sends, or decides about success is done in the recorded order, with the recorded
arguments.
Rule 2: what is waited for and read is waited for and read in the same place. More may be waited for, if the recording
shows it.
Rule 3: an error that ends the recorded script ends the changed one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from perception.subroutines.replay import ScriptCall, describe_call
from perception.subroutines.script_check.confirm_rules import confirm_problem, with_names
from perception.subroutines.script_check.dry_run import Trace
from perception.subroutines.script_check.recorded_facts import RecordedFacts

LOOKS = frozenset({"find"})
WAITS = frozenset({"waitFor", "waitForUrl"})
READS = frozenset({"readForm", "readField", "getCsrfToken", "getCookie"})


@dataclass(frozen=True, slots=True)
class Rules:
    """What a comparison needs besides the traces.

    Attributes:
        facts: the recordings.
        rename: new names of parameters by those of the recorded script.
        arguments: arguments of the scenario, by their new names.
        is_recorded: whether they are those of the first recording.
        reads: where a call fails, what may be read: what was read before that depends on the order. None elsewhere.
    """

    facts: RecordedFacts
    rename: Mapping[str, str]
    arguments: Mapping[str, Any]
    is_recorded: bool = False
    reads: frozenset[str] | None = None


@dataclass(slots=True)
class Alignment:
    """Calls that correspond.

    Attributes:
        pairs: index in the changed script by that in the recorded one.
        problems: what differs, in words.
    """

    pairs: dict[int, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def align(recorded: Trace, given: Trace, rules: Rules) -> Alignment:
    """Compares the calls of two scripts; stops at the first act that differs."""
    found = Alignment()
    ours, theirs = _segments(recorded.calls), _segments(given.calls)
    for number, (others, act) in enumerate(ours):
        if number >= len(theirs):
            break
        their_others, their_act = theirs[number]
        _align_others(recorded.calls, given.calls, others, their_others, rules, found)
        if act is None or their_act is None:
            problem = _length_problem(recorded, given, act, their_act)
        else:
            problem = act_problem(recorded.calls[act], given.calls[their_act], rules)
            found.pairs[act] = their_act
        if problem:
            found.problems.append(problem)
            return found
    return found


def is_part(recorded: Trace, given: Trace, rules: Rules) -> bool:
    """Whether a script did the first acts of another one, or all of them."""
    ours = [each for each in recorded.calls if _is_act(each)]
    theirs = [each for each in given.calls if _is_act(each)]
    return len(theirs) <= len(ours) and not any(
        act_problem(one, other, rules) for one, other in zip(ours, theirs, strict=False)
    )


def has_all(recorded: Trace, given: Trace) -> bool:
    """Whether it did as many acts."""
    return sum(map(_is_act, recorded.calls)) == sum(map(_is_act, given.calls))


def act_problem(recorded: ScriptCall, given: ScriptCall, rules: Rules) -> str:
    """What is wrong with a call in place of the recorded one; "" for nothing."""
    what = describe_call(given)
    if _name(recorded) != _name(given):
        return f"it does “{what}” where the recording has “{describe_call(recorded)}”"
    if recorded.name == "confirm":
        return confirm_problem(with_names(_first(recorded), rules.rename), _first(given), rules.facts)
    if len(recorded.args) != len(given.args):
        return f"“{what}” has {len(given.args)} arguments, and has to have {len(recorded.args)}"
    for number, (ours, theirs) in enumerate(zip(recorded.args, given.args, strict=True), 1):
        if isinstance(ours, dict) and "find" in ours:
            problem = rules.facts.target_problem(ours, theirs)
            if problem:
                return f"“{what}” {problem}"
        elif _text(ours) != _text(theirs):
            return f"“{what}” has another argument {number}: {_difference(ours, theirs, rules.arguments)}"
    return ""


def _align_others(
    ours: Sequence[ScriptCall],
    theirs: Sequence[ScriptCall],
    some: Sequence[int],
    others: Sequence[int],
    rules: Rules,
    found: Alignment,
) -> None:
    """Pairs what is read and waited for between two acts."""
    left = list(others)
    known: list[int] = []
    for index in some:
        call = ours[index]
        if call.name in LOOKS:
            continue
        match = next((each for each in left if not act_problem(call, theirs[each], rules)), None)
        if match is not None:
            left.remove(match)
            known.append(match)
            found.pairs[index] = match
        elif rules.reads is None:
            found.problems.append(f"it does not “{describe_call(call)}” any more where the recorded script does")
    for each in left:
        call = theirs[each]
        if call.name in READS and _read_text(call) not in (rules.reads or {_read_text(theirs[one]) for one in known}):
            found.problems.append(f"it does “{describe_call(call)}”, which the recorded script does not do there")
        elif rules.is_recorded and call.name not in READS and not _is_shown(call, rules.facts):
            found.problems.append(f"it does “{describe_call(call)}”, and the recording never shows that: leave it out")


def read_texts(trace: Trace) -> frozenset[str]:
    """What a script read."""
    return frozenset(_read_text(each) for each in trace.calls if each.name in READS)


def _read_text(call: ScriptCall) -> str:
    return f"{call.name} {_text(call.args)}"


def _is_shown(call: ScriptCall, facts: RecordedFacts) -> bool:
    return facts.has_address(str(_first(call))) if call.name == "waitForUrl" else facts.has_element(_first(call))


def _segments(calls: Sequence[ScriptCall]) -> list[tuple[list[int], int | None]]:
    """For each act, the calls before it and its index; at last, what comes after the last act."""
    found: list[tuple[list[int], int | None]] = []
    others: list[int] = []
    for index, call in enumerate(calls):
        if _is_act(call):
            found.append((others, index))
            others = []
        else:
            others.append(index)
    return [*found, (others, None)]


def _is_act(call: ScriptCall) -> bool:
    return call.name not in LOOKS | WAITS | READS


def _length_problem(recorded: Trace, given: Trace, act: int | None, their_act: int | None) -> str:
    if act is None and their_act is None:
        return ""
    if act is None:
        assert their_act is not None
        return f"it does “{describe_call(given.calls[their_act])}” after what was recorded: leave it out"
    why = f" ({given.end.error[:200]})" if given.end.error else ""
    return f"it ends{why} before “{describe_call(recorded.calls[act])}”, which the recorded script does"


def _difference(ours: Any, theirs: Any, arguments: Mapping[str, Any], path: str = "") -> str:
    """The first place where two arguments differ, in words."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in (*ours, *(each for each in theirs if each not in ours)):
            where = f"{path}.{key}" if path else str(key)
            if key not in theirs:
                return f"`{where}` is missing, and has to be {_wanted(ours[key], arguments)}"
            if key not in ours:
                return f"`{where}` was not recorded: leave it out"
            if _text(ours[key]) != _text(theirs[key]):
                return _difference(ours[key], theirs[key], arguments, where)
        return f"the keys{f' of `{path}`' if path else ''} are in another order"
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            if _text(one) != _text(other):
                return _difference(one, other, arguments, f"{path}[{index}]")
    return f"{f'`{path}`' if path else 'it'} is {_text(theirs)[:120]}, and has to be {_wanted(ours, arguments)}"


def _wanted(value: Any, arguments: Mapping[str, Any]) -> str:
    """A value in words: the parameter that it is made of, if there is one."""
    text = value if isinstance(value, str) else _text(value)
    names = [name for name, given in arguments.items() if given not in ("", None, True, False) and str(given) in text]
    exact = [name for name in names if str(arguments[name]) == text]
    if exact:
        return f"params.{exact[0]}"
    return f"{_text(value)[:120]}{f', with params.{names[0]} in it' if names else ''}"


def _name(call: ScriptCall) -> str:
    return "request" if call.name == "requestJson" else call.name


def _first(call: ScriptCall) -> Any:
    return call.args[0] if call.args else None


def _text(value: Any) -> str:
    """JSON, in which `1` and `1.0`, and two orders of keys, differ."""
    return json.dumps(value, ensure_ascii=False)

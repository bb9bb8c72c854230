"""Scenarios of a dry run and what a script did in them. See `dry_run.js`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from perception.errors import SubroutineBrokenError
from perception.subroutines.replay import Finished, ScriptCall, parsed_json, read_answer, script_source, write_body


@dataclass(frozen=True, slots=True)
class Change:
    """A call that is not answered as usual.

    Attributes:
        at: index of the call.
        error: the error that the script gets; None for the answer null.
    """

    at: int
    error: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """One dry run.

    Attributes:
        params: the script's arguments.
        changes: calls that are not answered as usual.
    """

    params: Mapping[str, Any]
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """What a script did: its calls, and how it ended."""

    calls: tuple[ScriptCall, ...]
    end: Finished


def write_dry_run(body: str, origin: str, scenarios: Sequence[Scenario]) -> str:
    """JavaScript whose value is a promise for the argument of `read_traces`."""
    given = [
        {"params": each.params, "changes": [{"at": change.at, "error": change.error} for change in each.changes]}
        for each in scenarios
    ]
    dry_run = script_source("script_check/dry_run.js", "async (replay,")
    replay = script_source("replay.js", "(body,")
    return f"({dry_run})(({replay}), {write_body(body)}, {json.dumps(origin)}, {parsed_json(given)})"


def read_traces(value: str) -> tuple[Trace, ...]:
    """Reads the result of a dry run, a trace for each scenario."""
    return tuple(_trace(each) for each in json.loads(value))


def _trace(found: Mapping[str, Any]) -> Trace:
    calls = tuple(ScriptCall(each["name"], tuple(each["args"])) for each in found["calls"])
    try:
        end = read_answer(found["end"])
    except SubroutineBrokenError as exc:
        end = Finished(error=str(exc), reason="SCRIPT")
    assert isinstance(end, Finished)  # a dry run ends with the script
    return Trace(calls, end)

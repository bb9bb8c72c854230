"""Stored runs: raw outputs, never scores.

    $PERCEPTION_HOME/runs/<run>/run.json        what was run, on what, on which machine
                               /outputs.jsonl   a line for each look: `LookOutput`, or what the suite's worker gave
                               /failures.jsonl  samples that gave none, and why
                               /memory.jsonl    resident memory while it ran

Rule 1: a run's name is a digest of everything that determines its outputs, so that the same command continues it.
Rule 2: files grow by whole lines; an incomplete line is discarded and made again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import msgspec

from perception.errors import BadInputError

DataT = TypeVar("DataT")

RESULT = "result.json"
"""The file of a run whose result is one value."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The identity and the conditions of a run.

    Attributes:
        id: the run's name, that of its folder.
        suite: the suite's name; `looks` and `detect` for runs by samples, which several suites share.
        who: names of the variants or detectors, in the order of the command; the suite's name if there are none.
        config: the variants by name, or the suite's options, as JSON or TOML text.
        datasets: data sets or pages; empty if the suite has its own.
        machine: facts about the machine and the software, by name.
        started: ISO 8601, UTC.
    """

    id: str
    suite: str
    who: tuple[str, ...]
    config: Mapping[str, str]
    datasets: tuple[str, ...]
    machine: Mapping[str, str]
    started: str


@dataclass(frozen=True, slots=True)
class FailedSample:
    sample: str
    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class MemoryMark:
    """Resident memory after `done` samples: of the parent, and of all workers together; bytes."""

    done: int
    parent: int
    workers: int


@dataclass(slots=True)
class Run:
    """One run's folder."""

    folder: Path
    facts: RunFacts
    _offsets: dict[str, dict[str, int]] = field(default_factory=dict)

    def fresh(self) -> Run:
        """The same run, to be read after more was written."""
        return Run(self.folder, self.facts)

    def has_result(self) -> bool:
        """Whether its result is one value, not lines of samples."""
        return (self.folder / RESULT).exists()

    def done(self) -> set[str]:
        """Ids of the samples that have outputs of all of `who`."""
        expected = len(self.facts.who)
        return {sample for sample, offsets in self.index().items() if len(offsets) == expected}

    def done_in_order(self) -> list[str]:
        """The same ids, in the order of their outputs."""
        done = self.done()
        return [sample for sample in self.index() if sample in done]

    def index(self) -> dict[str, dict[str, int]]:
        """Offsets of each sample's lines, by sample id and `who`; the last counts. Read once, 400 bytes per sample."""
        if not self._offsets:
            for offset, line in read_lines(self.folder / "outputs.jsonl"):
                key = msgspec.json.decode(line, type=_Key)
                self._offsets.setdefault(key.id, {})[sys.intern(key.who)] = offset
        return self._offsets

    def outputs(self, sample: str) -> list[bytes]:
        """The lines of a sample, by its id; the last of each `who` counts."""
        found = []
        with (self.folder / "outputs.jsonl").open("rb") as file:
            for offset in self.index().get(sample, {}).values():
                file.seek(offset)
                found.append(file.readline())
        return found

    def failures(self) -> dict[str, FailedSample]:
        """By sample name; without those that succeeded later."""
        found = (msgspec.json.decode(line, type=FailedSample) for _, line in read_lines(self.folder / "failures.jsonl"))
        done = self.done()
        return {each.sample: each for each in found if each.id not in done}

    def memory(self) -> list[MemoryMark]:
        return [msgspec.json.decode(line, type=MemoryMark) for _, line in read_lines(self.folder / "memory.jsonl")]


class Appender:
    """Appends whole lines to a file; an incomplete last line of an earlier run is removed first."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab+")
        self._file.seek(0)
        whole = 0
        for line in self._file:
            whole += len(line) if line.endswith(b"\n") else 0
        self._file.truncate(whole)

    def add(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


def open_run(home: Path, facts: RunFacts) -> Run:
    """The run's folder, created if it is new; an earlier start of the same run keeps its own facts."""
    folder = home / "runs" / facts.id
    path = folder / "run.json"
    if path.exists():
        return load_run(home, facts.id)
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / ".run.json"
    part.write_bytes(msgspec.json.format(msgspec.json.encode(facts)))
    part.replace(path)
    return Run(folder, facts)


def load_run(home: Path, name: str) -> Run:
    """A run by its name, a prefix of it, or its folder.

    Raises:
        BadInputError: there is none, several have the prefix, or it is of another version.
    """
    folder = Path(name) if (Path(name) / "run.json").exists() else home / "runs" / _whole_name(home, name)
    try:
        facts = msgspec.json.decode((folder / "run.json").read_bytes(), type=RunFacts)
    except msgspec.DecodeError as exc:
        raise BadInputError(f"{folder}: run.json is not of this version: {exc}") from exc
    return Run(folder, facts)


def _whole_name(home: Path, name: str) -> str:
    known = run_names(home)
    fitting = [name] if name in known else [each for each in known if each.startswith(name)]
    if not fitting:
        raise BadInputError(f"no run is called {name!r}: there are {', '.join(known) or 'none yet'}")
    if len(fitting) > 1:
        raise BadInputError(f"{len(fitting)} runs begin with {name!r}: name one of {', '.join(fitting)}")
    return fitting[0]


def keep_result(home: Path, facts: RunFacts, data: object, failed: int) -> Run:
    """Stores a run whose result is one value. A run of the same name keeps its folder: the new one gets a number."""
    folder, number = home / "runs" / facts.id, 1
    while folder.exists():
        number += 1
        folder = home / "runs" / f"{facts.id}-{number}"
    run = open_run(home, replace(facts, id=folder.name))
    part = run.folder / ".result.json"
    part.write_bytes(b'{"failed": %d, "data": %s}' % (failed, encode_result(data)))
    part.replace(run.folder / RESULT)
    return run


def read_result(run: Run, kind: type[DataT]) -> tuple[DataT, int]:
    """The stored result of a run, and how many of its inputs failed.

    Args:
        kind: the dataclass of the value.

    Raises:
        BadInputError: there is no result, or it is of another version.
    """
    try:
        stored = msgspec.json.decode((run.folder / RESULT).read_bytes(), type=_Result)
        return msgspec.json.decode(stored.data, type=kind), stored.failed
    except OSError as exc:
        raise BadInputError(f"{run.folder}: it has no {RESULT} ({exc.strerror})") from exc
    except msgspec.DecodeError as exc:
        raise BadInputError(f"{run.folder}: {RESULT} is not of this version: {exc}") from exc


def encode_result(value: object) -> bytes:
    """A dataclass as JSON. Paths are written as text."""
    return msgspec.json.encode(value, enc_hook=str)


def run_names(home: Path) -> list[str]:
    """All runs, the latest first."""
    found = [path.parent for path in (home / "runs").glob("*/run.json")]
    return [path.name for path in sorted(found, key=lambda path: -path.stat().st_mtime)]


class _Result(msgspec.Struct):
    """`result.json`: how many inputs failed, and the suite's own value."""

    failed: int
    data: msgspec.Raw


class _Key(msgspec.Struct):
    """The start of every output line."""

    id: str
    who: str


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Whole lines of a file, each with its offset; none if there is no file."""
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield offset, line
            offset += len(line)

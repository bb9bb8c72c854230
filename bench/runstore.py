"""Where runs lie: raw outputs as they came, never scores.

    $PERCEPTION_HOME/runs/<run>/run.json        what was run, on what, on which machine
                               /outputs.jsonl   a line for each look: `Seen`, or what the suite's worker gave
                               /failures.jsonl  samples that gave none, and why
                               /memory.jsonl    resident memory while it ran

Rule 1: a run's name is a digest of what decides its outputs, so that the same command goes on where it was.
Rule 2: files grow by whole lines; a line that was cut off is made again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from perception.errors import BadInputError


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a run is of.

    Attributes:
        suite: what was measured; `ab` for a comparison of variants.
        who: names of the variants or detectors, in the order of the command.
        config: what they are, by name, as JSON or TOML text.
        datasets: as on the command line.
        machine: facts of it and of what ran on it.
    """

    id: str
    suite: str
    who: tuple[str, ...]
    config: Mapping[str, str]
    datasets: tuple[str, ...]
    machine: Mapping[str, str]
    started: str


@dataclass(frozen=True, slots=True)
class Failure:
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
        """The same, to be read after more was written."""
        return Run(self.folder, self.facts)

    def done(self) -> set[str]:
        """Ids of the samples that have their outputs, all of `who`."""
        expected = len(self.facts.who)
        return {sample for sample, offsets in self.index().items() if len(offsets) == expected}

    def done_in_order(self) -> list[str]:
        """The same ids, as their outputs came."""
        done = self.done()
        return [sample for sample in self.index() if sample in done]

    def index(self) -> dict[str, dict[str, int]]:
        """Where each sample's lines begin, by sample id and `who`; the last counts. Read once, 400 bytes a sample."""
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

    def failures(self) -> dict[str, Failure]:
        """By sample name; those that succeeded later are left out."""
        found = (msgspec.json.decode(line, type=Failure) for _, line in read_lines(self.folder / "failures.jsonl"))
        done = self.done()
        return {each.sample: each for each in found if each.id not in done}

    def memory(self) -> list[MemoryMark]:
        return [msgspec.json.decode(line, type=MemoryMark) for _, line in read_lines(self.folder / "memory.jsonl")]


class Appender:
    """Appends whole lines to a file; a cut-off last line of an earlier run is removed first."""

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
    """The run's folder, made if it is new; an older start of the same run keeps its own facts."""
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
    """A run by its name, the beginning of it, or its folder.

    Raises:
        BadInputError: there is none, several begin so, or it is of another version.
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


def run_names(home: Path) -> list[str]:
    """All runs, the latest first."""
    found = [path.parent for path in (home / "runs").glob("*/run.json")]
    return [path.name for path in sorted(found, key=lambda path: -path.stat().st_mtime)]


class _Key(msgspec.Struct):
    """What every output line begins with."""

    id: str
    who: str


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Whole lines of a file, each with where it begins; none where there is no file."""
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield offset, line
            offset += len(line)

"""Runs in worker processes: streamed, resumed, and each sample's failure its own. Real processes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from perception.bench.run_store import Appender, Run, RunFacts, load_run, open_run, run_names
from perception.bench.runner import IN_FLIGHT, RunReport, run_task
from perception.datasets.sample import Broken, Reference
from perception.errors import BadInputError

TASKS = '''
"""Imported by the workers, too: they have this process's search path."""
import json, os, signal, time
from dataclasses import dataclass

@dataclass(frozen=True)
class Named:
    name: str
    id: str
    def load(self):
        if self.name.startswith("unreadable"):
            raise OSError("no such file")
        return self

@dataclass(frozen=True)
class Write:
    """A line a sample; some samples misbehave, as their names say."""
    who: str = "x"
    def prepare(self):
        def run_sample(item):
            if item.name.startswith("fails"):
                raise ValueError("too small")
            if item.name.startswith("dies"):
                os.kill(os.getpid(), signal.SIGKILL)
            if item.name.startswith("hangs"):
                while True:
                    pass
            return [json.dumps({"id": item.id, "who": self.who, "pid": os.getpid()}).encode()]
        return run_sample
'''


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    folder = tmp_path_factory.mktemp("tasks")
    (folder / "tasks_of_runner_tests.py").write_text(TASKS)
    sys.path.insert(0, str(folder))
    import tasks_of_runner_tests

    yield tasks_of_runner_tests
    sys.path.remove(str(folder))


@dataclass(slots=True)
class Silence:
    total: int = 0

    def start(self, total: int) -> None:
        self.total = total

    def done(self, name: str, problem: str = "") -> None:
        pass


def facts(*who: str) -> RunFacts:
    return RunFacts("test-run", "test", who or ("x",), {}, ("nothing",), {}, "now")


def go(
    tasks: object, home: Path, names: list[str], *, workers: int = 2, limit_s: float = 30, broken: int = 0
) -> tuple[RunReport, Run]:
    run = open_run(home, facts())
    records: list[Reference | Broken] = [tasks.Named(name, f"id-{name}") for name in names]  # type: ignore[attr-defined]
    records += [Broken(f"file[{index}]", "no box") for index in range(broken)]
    report = run_task(tasks.Write(), iter(records), run, workers=workers, progress=Silence(), limit_s=limit_s)  # type: ignore[attr-defined]
    return report, run.fresh()


def test_every_sample_is_done_once_by_several_processes(tasks: object, tmp_path: Path) -> None:
    names = [f"s{index}" for index in range(60)]
    report, run = go(tasks, tmp_path, names)
    assert (report.done, report.failed) == (60, {})
    assert run.done() == {f"id-{name}" for name in names}
    lines = [json.loads(line) for name in names for line in run.outputs(f"id-{name}")]
    assert os.getpid() not in {line["pid"] for line in lines}
    assert [mark.done for mark in run.memory()] == [1, 26, 51]
    assert all(mark.parent > 0 and mark.workers > 0 for mark in run.memory())


def test_the_same_run_goes_on_and_does_nothing_twice(tasks: object, tmp_path: Path) -> None:
    go(tasks, tmp_path, ["a", "b"])
    report, run = go(tasks, tmp_path, ["a", "b", "c"])
    assert (report.done, report.kept) == (1, 2)
    assert [len(run.outputs(f"id-{name}")) for name in "abc"] == [1, 1, 1]


def test_a_line_that_was_cut_off_is_made_again(tasks: object, tmp_path: Path) -> None:
    _, run = go(tasks, tmp_path, ["a", "b"])
    path = run.folder / "outputs.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    report, run = go(tasks, tmp_path, ["a", "b"])
    assert (report.done, report.kept) == (1, 1)
    assert run.done() == {"id-a", "id-b"}


def test_failures_are_of_their_sample_with_their_reason(tasks: object, tmp_path: Path) -> None:
    report, run = go(tasks, tmp_path, ["a", "fails-1", "b", "unreadable", "c"], broken=1)
    assert report.done == 3
    assert report.failed == {"fails-1": "ValueError: too small", "unreadable": "OSError: no such file"}
    assert report.broken == {"file[0]": "no box"}
    assert set(run.failures()) == {"fails-1", "unreadable", "file[0]"}


def test_a_sample_that_kills_its_worker_costs_no_other(tasks: object, tmp_path: Path) -> None:
    names = [f"s{index}" for index in range(3 * IN_FLIGHT)]
    report, run = go(tasks, tmp_path, [*names[:3], "dies", *names[3:]])
    assert report.done == len(names)
    assert list(report.failed) == ["dies"]
    assert "its worker process died" in report.failed["dies"]
    assert run.done() == {f"id-{name}" for name in names}


def test_a_sample_that_never_ends_is_ended(tasks: object, tmp_path: Path) -> None:
    report, _ = go(tasks, tmp_path, ["a", "hangs", "b"], workers=1, limit_s=1)
    assert report.done == 2
    assert "longer than 1 s" in report.failed["hangs"]


def test_what_succeeds_later_is_no_failure_any_more(tasks: object, tmp_path: Path) -> None:
    run = open_run(tmp_path, facts())
    failures = Appender(run.folder / "failures.jsonl")
    failures.add(b'{"sample":"a","id":"id-a","reason":"the disk was full"}')
    failures.close()
    _, run = go(tasks, tmp_path, ["a"])
    assert run.failures() == {}


def test_a_run_is_found_by_the_beginning_of_its_name(tmp_path: Path) -> None:
    assert run_names(tmp_path) == []
    with pytest.raises(BadInputError, match="none yet"):
        load_run(tmp_path, "x")
    stored = open_run(tmp_path, facts())
    assert load_run(tmp_path, "test-").facts == stored.facts
    assert load_run(tmp_path, str(stored.folder)).facts == stored.facts
    with pytest.raises(BadInputError, match="no run is called 'other': there are test-run"):
        load_run(tmp_path, "other")
    (stored.folder / "run.json").write_text("{}")
    with pytest.raises(BadInputError, match="not of this version"):
        load_run(tmp_path, "test-run")

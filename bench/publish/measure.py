"""Runs the suites of the plan on the commit that is checked out, one after another.

Rule 1: a suite that is published for this commit with these options is not run again, so that the same command goes on
after an interruption, and a plan may take several sittings.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from perception.bench.machine import git
from perception.bench.publish.other_work import watching_other_work
from perception.bench.publish.plan import PlannedSuite
from perception.bench.publish.published import FOLDER, QUIET_SHARE, Part, Published, read_published, write_published
from perception.bench.run_store import keep_result
from perception.bench.scores import Score
from perception.bench.suite import ReportContext, SuiteContext, load_suite
from perception.datasets.open import open_dataset, parse_split
from perception.datasets.sample import Broken
from perception.datasets.sources.build import CODE_DIGITS, code_digest
from perception.errors import BadInputError

WATCH_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Checkout:
    """The repository that is measured."""

    root: Path = FOLDER.parents[1]

    def commit(self) -> str:
        """The commit, in 12 digits. Raises BadInputError where files differ from it: a figure is a commit's."""
        # Published files and documents made from them may differ: they are what this makes.
        made = (":!bench/published/*.json", ":!docs/benchmarks.md", ":!README.md")
        if changed := self._git("status", "--porcelain", "--", ".", *made):
            raise BadInputError(f"commit your changes first, such as {changed.split()[1]}: a figure is of one commit")
        return self._git("rev-parse", "--short=12", "HEAD")

    def _git(self, *words: str) -> str:
        try:
            return git(self.root, *words).strip()
        except (FileNotFoundError, subprocess.CalledProcessError) as exc:
            raise BadInputError(
                f"{self.root} is not a checkout of the repository: figures are published from one"
            ) from exc


def measure(plan: Sequence[PlannedSuite], commit: str, context: SuiteContext, folder: Path = FOLDER) -> int:
    """Runs the suites that are not published yet. Returns how many inputs failed in those that ran."""
    failed = 0
    known = read_published(folder)
    for planned in plan:
        before = known.get(planned.name)
        parts, scores = [], {}
        for part, words in planned.parts.items():
            kept = before and before.commit == commit and before.part(part)
            if kept and kept.command == _command(planned.name, words):
                parts.append(kept)
                continue
            context.say(f"{planned.name} {part}".strip())
            made, scores[part] = _run(planned.name, part, words, context)
            failed += made.failed
            parts.append(made)
            write_published(Published(planned.name, commit, tuple(parts)), scores, folder)
        if not scores:
            context.say(f"{planned.name}: published for this commit")
    return failed


def _run(name: str, part: str, words: Sequence[str], context: SuiteContext) -> tuple[Part, Sequence[Score]]:
    from perception.bench.cli import options_of, report_of

    suite = load_suite(name)
    options = options_of(suite, words)
    command = _command(name, words)
    for dataset in getattr(options, "dataset", None) or ():
        refuse_outdated(dataset, context.home)
    before = psutil.cpu_percent(WATCH_SECONDS) / 100
    if before > QUIET_SHARE:
        context.say(f"this machine is not quiet: other work takes {before:.0%} of it")
    with watching_other_work() as other:
        result: Any = suite.run(options, context)
    if not result.streamed:
        keep_result(context.home, result.facts, result.data, result.failed)
    report = report_of(suite, result, ReportContext(context.home, command))
    found = suite.comparable(result, context.home)
    made = Part(
        name=part,
        command=command,
        started=result.facts.started,
        seconds=other.watched_s,
        machine=dict(result.facts.machine),
        busy=other.share,
        failed=result.failed,
        summary=report.summary,
        tables=report.tables,
        rules=dict(found.rules),
        wrong=dict(found.wrong),
    )
    return made, found.scores


def refuse_outdated(dataset: str, home: Path) -> None:
    """Raises BadInputError where samples hold what other code captured: suites score it as if this code had."""
    code = code_digest()[:CODE_DIGITS]
    samples = [each.load().sample for each in open_dataset(dataset, home) if not isinstance(each, Broken)]
    outdated = [each.name for each in samples if each.made.get("code", code) != code]
    if outdated:
        name, _ = parse_split(dataset)
        raise BadInputError(
            f"{dataset} has samples, such as {outdated[0]}, that other code than this commit's captured: "
            f"`perception dataset build {name}` first"
        )


def _command(name: str, words: Sequence[str]) -> str:
    return shlex.join(["perception", "bench", "run", name, *words])

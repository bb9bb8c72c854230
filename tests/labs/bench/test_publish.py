"""Published figures: measured on one commit, and the documents made from them."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from perception.bench.cli import app, options_of
from perception.bench.comparison.paired import LATENCY, ComparisonRule
from perception.bench.publish import documents
from perception.bench.publish.compare import compare_published
from perception.bench.publish.measure import Checkout, measure, refuse_outdated
from perception.bench.publish.other_work import watching_other_work
from perception.bench.publish.plan import PlannedSuite, choose, read_plan
from perception.bench.publish.published import FOLDER, MAX_BYTES, Part, Published, read_published, write_published
from perception.bench.publish.trend import trend
from perception.bench.report.report_model import Column, ColumnUnit, Estimate, Table
from perception.bench.scores import Score, Tally, scores_of_values
from perception.bench.suite import SuiteContext, load_suite
from perception.datasets.sample import Sample
from perception.datasets.sample_store import IndexRow, Store
from perception.datasets.sources.build import CODE_DIGITS, code_digest
from perception.errors import BadInputError
from perception.imaging.codec import encode_png
from perception.types import Viewport

ROOT = FOLDER.parents[1]
TABLE = Table(
    "times", "Times", (Column("who"), Column("time", ColumnUnit.MILLISECONDS)), (("ours", Estimate(12.345678, 11, 13)),)
)


def part(name: str = "", **other: Any) -> Part:
    made = Part(name, "perception bench run speed", "2026-11-29T05:00:00", 9.0, {}, 0.0, 0, ("It is fast.",), (TABLE,))
    return replace(made, rules={"ms": LATENCY}, **other)


def times(factor: float, pages: int = 20) -> list[Score]:
    return scores_of_values("ours", [(f"p{at}", f"p{at}", "ms", factor * (10 + at % 7)) for at in range(pages)])


@pytest.mark.parametrize("planned", read_plan(), ids=lambda planned: planned.name)
def test_a_suite_takes_the_options_of_the_plan(planned: PlannedSuite) -> None:
    suite = load_suite(planned.name)
    assert all(isinstance(options_of(suite, words), suite.options) for words in planned.parts.values())


def test_the_documents_are_as_the_published_files_have_them() -> None:
    assert documents.unwritten(read_published()) == {}


def test_a_figure_that_is_changed_by_hand_is_noticed() -> None:
    published = {"speed": Published("speed", "abc", (part(),))}
    text = documents.fill("<!-- published speed times -->\n<!-- /published -->\n", published)
    assert "| ours | 12.3 ms [11.0, 13.0] |" in text
    assert "commit abc, 2026-11-29" in text
    by_hand = text.replace("12.3", "11.3")
    assert documents.fill(text, published) == text != by_hand
    assert documents.fill(by_hand, published) == text


def test_a_block_of_what_is_not_there_says_what_is() -> None:
    published = {"speed": Published("speed", "abc", (part("dev"),))}

    def filled(words: str) -> str:
        return documents.fill(f"<!-- published {words} -->\n<!-- /published -->", published)

    assert "Not published yet: `perception bench publish hangs`" in filled("hangs summary")
    assert "- It is fast." in filled("speed summary")
    with pytest.raises(BadInputError, match="speed has no table 'tokens': it has times"):
        filled("speed tokens")
    with pytest.raises(BadInputError, match="speed has no part 'unseen': it has dev"):
        filled("speed unseen times")


def test_the_figures_of_the_readme_stand_in_the_benchmarks() -> None:
    figures = re.compile(r"\d[\d.,]* (?:×|%)|\d[\d,]* of \d[\d,]*")
    known = (ROOT / "docs/benchmarks.md").read_text("utf-8")
    aims = (ROOT / "README.md").read_text("utf-8").partition("## Three aims")[2].partition("\n## ")[0]
    assert len(found := figures.findall(aims)) > 5
    assert [figure for figure in found if figure not in known] == []


def test_commands_of_the_documents_name_suites_and_options_that_there_are() -> None:
    for planned in read_published().values():
        assert all(each.command.split()[:4] == ["perception", "bench", "run", planned.suite] for each in planned.parts)


def test_parts_that_are_far_apart_are_marked(tmp_path: Path) -> None:
    rules = {"found": ComparisonRule(True)}
    scores = {
        name: [Score(f"p{at}", "ours", f"p{at}", "", "", {"found": Tally(hits, 100)}) for at in range(9)]
        for name, hits in (("dev", 95), ("unseen", 84))
    }
    parts = tuple(replace(part(name), rules=rules) for name in scores)
    write_published(Published("controls", "abc", parts), scores, tmp_path)
    text = documents.fill("<!-- published controls parts -->\n<!-- /published -->", read_published(tmp_path))
    assert "| ours | found | 95.0% | 84.0% | **+11.0 pp** |" in text


def test_a_large_result_is_summed_by_groups_of_pages(tmp_path: Path) -> None:
    values = [(f"page {at}", f"page {at}", f"measure {of}", at * 1.37) for at in range(900) for of in range(12)]
    path = write_published(Published("speed", "abc", (part(),)), {"": scores_of_values("ours", values)}, tmp_path)
    assert path.stat().st_size <= MAX_BYTES
    kept = read_published(tmp_path)["speed"].parts[0].sums["ours"]["measure 3"].values()
    assert sum(hit for hit, _ in kept) == pytest.approx(sum(at * 1.37 for at in range(900)), rel=1e-4)
    assert sum(of for _, of in kept) == 900


def test_a_later_part_makes_room_in_an_earlier_one(tmp_path: Path) -> None:
    values = [(f"page {at}", f"page {at}", f"measure {of}", at * 1.37) for at in range(90) for of in range(12)]
    scores = scores_of_values("ours", values)
    write_published(Published("speed", "abc", (part("dev"),)), {"dev": scores}, tmp_path)
    found = read_published(tmp_path)["speed"]
    both = replace(found, parts=(*found.parts, part("unseen")))
    assert write_published(both, {"unseen": scores}, tmp_path).stat().st_size <= MAX_BYTES
    dev, unseen = read_published(tmp_path)["speed"].parts
    assert dev.means() == pytest.approx(unseen.means(), rel=1e-3)


def test_a_planted_regression_is_found(tmp_path: Path) -> None:
    sets = []
    for name, factor in (("before", 1.0), ("after", 1.3)):
        (folder := tmp_path / name).mkdir()
        write_published(Published("speed", name, (part(),)), {"": times(factor)}, folder)
        sets.append(folder)
    before, after = sets
    report, worse = compare_published(before, after, "compare")
    assert worse == 1
    assert any(line.startswith("speed: worse: ms of ours") for line in report.summary)
    done = CliRunner().invoke(app, ["compare", *map(str, sets)])
    assert done.exit_code == 1
    assert "worse: ms of ours" in done.output
    assert CliRunner().invoke(app, ["compare", str(sets[0]), str(sets[0])]).exit_code == 0


def test_sets_without_a_common_suite_are_refused(tmp_path: Path) -> None:
    for suite in ("speed", "hangs"):
        (tmp_path / suite).mkdir()
        write_published(Published(suite, "abc", (part(),)), {"": times(1)}, tmp_path / suite)
    with pytest.raises(BadInputError, match="have no published suite in common"):
        compare_published(tmp_path / "speed", tmp_path / "hangs", "compare")


def git(root: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", str(root), *identity, *words], check=True, capture_output=True)


def test_figures_are_of_a_commit(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="is not a checkout of the repository"):
        Checkout(tmp_path).commit()
    git(tmp_path, "init")
    (tmp_path / "a.py").write_text("a = 1\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-m", "a")
    assert len(Checkout(tmp_path).commit()) == 12
    (tmp_path / "a.py").write_text("a = 2\n")
    with pytest.raises(BadInputError, match=r"commit your changes first, such as a\.py"):
        Checkout(tmp_path).commit()


def test_the_trend_has_a_line_over_the_commits(tmp_path: Path) -> None:
    folder = tmp_path / "bench/published"
    folder.mkdir(parents=True)
    git(tmp_path, "init")
    for commit, factor in (("one", 1.0), ("two", 2.0)):
        write_published(Published("speed", commit, (part(),)), {"": times(factor, 7)}, folder)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-m", commit)
    report = trend("trend", tmp_path)
    (chart,), (table,) = report.charts, report.tables
    assert table.rows == (("speed", "ms", "ours", "one", 13.0, "two", 26.0, 2.0),)
    assert chart.title == "speed"
    assert [(line.name, line.x, line.y) for line in chart.series] == [("ms, ours", ("one", "two"), (1.0, 2.0))]


def test_a_suite_that_is_not_in_the_plan_is_named() -> None:
    with pytest.raises(BadInputError, match="the plan has no suite 'sped': it has agreement, "):
        choose(read_plan(), ["sped"])


def test_a_suite_is_run_once_for_a_commit(tmp_path: Path) -> None:
    said: list[str] = []
    context = SuiteContext(tmp_path, lambda _: nullcontext(Silent()), said.append)  # type: ignore[arg-type]
    (folder := tmp_path / "published").mkdir()
    plan = [PlannedSuite("placement_simulation", {"": ("--workers", "4", "--sessions", "400")})]
    assert measure(plan, "abc", context, folder) == 0
    (made,) = read_published(folder)["placement_simulation"].parts
    assert made.command == "perception bench run placement_simulation --workers 4 --sessions 400"
    assert made.tables[0].rows
    assert made.machine["cores"]
    measure(plan, "abc", context, folder)
    assert said[-1] == "placement_simulation: published for this commit"
    assert read_published(folder)["placement_simulation"].parts == (made,)
    measure(plan, "def", context, folder)
    assert read_published(folder)["placement_simulation"].commit == "def"


def test_captures_of_other_code_are_refused(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for name, code in (("ours", code_digest()[:CODE_DIGITS]), ("theirs", "0" * CODE_DIGITS)):
        viewport = Viewport(4, 3)
        sample = Sample(name, "tiny", "g", "page", store.put_image(encode_png(np.zeros((3, 4, 3), np.uint8))), viewport)
        store.dataset(name).add(IndexRow(name, store.put(replace(sample, made={"code": code})), "key"))
    plan = [PlannedSuite("reachability", {"": ("--dataset", "ours", "--dataset", "theirs")})]
    context = SuiteContext(tmp_path, lambda _: nullcontext(Silent()), lambda _: None)  # type: ignore[arg-type]
    refuse_outdated("ours", tmp_path)
    with pytest.raises(BadInputError, match="`perception dataset build theirs` first"):
        refuse_outdated("theirs", tmp_path)
    with pytest.raises(BadInputError, match="theirs has samples"):
        measure(plan, "abc", context, tmp_path / "published")


class Silent:
    """A progress bar that nobody sees."""

    def __getattr__(self, _: str) -> Any:
        return lambda *_, **__: None


SPIN = (
    "import os, time\nprint(os.getpid(), flush=True)\nend = time.monotonic() + {}\nwhile time.monotonic() < end: pass"
)


def test_other_work_is_what_neither_this_process_nor_what_it_starts_takes() -> None:
    theirs = subprocess.Popen(["setsid", "-f", sys.executable, "-c", SPIN.format(5)], stdout=subprocess.PIPE, text=True)
    assert theirs.stdout is not None
    other = int(theirs.stdout.readline())  # `setsid -f` is no parent of it any more
    with watching_other_work() as found:
        ours = subprocess.run([sys.executable, "-c", SPIN.format(2.5)], capture_output=True, text=True, check=True)
    theirs.communicate()
    watched = {process.pid for process in found.last}
    assert other in watched
    assert int(ours.stdout) not in watched
    assert found.seconds > 0.1
    assert 0 < found.share <= 1

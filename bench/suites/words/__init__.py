"""The `words` suite: whether a list says all painted words in order, and no number that is not there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext
from perception.bench.suite_options import Limit, Pages

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.words.judgement import WordsRun


@dataclass(frozen=True, slots=True)
class WordsOptions:
    """Compare the full list of each page with what Chromium paints. Default: pages of all projects."""

    page: Pages = None
    url: Annotated[list[str] | None, typer.Option("--url", help="A further page, by its address; repeatable.")] = None
    limit: Limit = 0


class WordsSuite(MeasuredSuite["WordsOptions", "WordsRun"]):
    name = "words"
    summary = "Whether the list says every painted word, in order, and no number that is not there."
    options = WordsOptions

    def data_type(self) -> type[WordsRun]:
        from perception.bench.suites.words.judgement import WordsRun

        return WordsRun

    def run(self, options: WordsOptions, context: SuiteContext) -> Result[WordsRun]:
        from perception.bench.machine import machine_facts
        from perception.bench.pages.page_visits import visit_pages
        from perception.bench.suites.words.run import run_words

        data = visit_pages(self.name, options.page, options.limit, run_words, context, further=options.url or ())
        return self.result(
            data, options, machine=machine_facts(data.browser), inputs=data.visited, failed=len(data.failed)
        )

    def report(self, result: Result[WordsRun], context: ReportContext) -> Report:
        from perception.bench.suites.words.report import words_report

        return words_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[WordsRun], home: Path) -> Comparable:
        from perception.bench.comparison.paired import ComparisonRule
        from perception.bench.suites.words.judgement import page_scores

        scores = page_scores(result.data)
        return Comparable(scores, {name: ComparisonRule(True) for score in scores for name in score.tallies})


SUITE = WordsSuite()

"""The `words` suite: whether a list says all painted words in order, and no number that is not there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Limit, Pages

if TYPE_CHECKING:
    from perception.bench.suites.words.judgment import WordsRun


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

    def parts(self) -> SuiteParts[WordsRun]:
        from perception.bench.comparables import compare_shares
        from perception.bench.suites.words.judgment import WordsRun, page_scores
        from perception.bench.suites.words.report import words_report

        return SuiteParts(WordsRun, words_report, lambda run: compare_shares(page_scores(run)))

    def run(self, options: WordsOptions, context: SuiteContext) -> Result[WordsRun]:
        from perception.bench.machine import machine_facts
        from perception.bench.pages.page_visits import visit_pages
        from perception.bench.suites.words.run import run_words

        data = visit_pages(self.name, options.page, options.limit, run_words, context, further=options.url or ())
        return self.result(
            data, options, machine=machine_facts(data.browser), inputs=data.visited, failed=len(data.failed)
        )


SUITE = WordsSuite()

"""The `values` suite: whether the lines of controls say what is painted in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext
from perception.bench.suite_options import Limit, Pages

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.values.judgement import ValuesRun


@dataclass(frozen=True, slots=True)
class ValuesOptions:
    """Compare the lines of controls in view with what is painted in them. Default: pages of all projects."""

    page: Pages = None
    url: Annotated[list[str] | None, typer.Option("--url", help="A further page, by its address; repeatable.")] = None
    limit: Limit = 0


class ValuesSuite(MeasuredSuite["ValuesOptions", "ValuesRun"]):
    name = "values"
    summary = "Whether what is painted in a control is its value, name or text in the list."
    options = ValuesOptions

    def data_type(self) -> type[ValuesRun]:
        from perception.bench.suites.values.judgement import ValuesRun

        return ValuesRun

    def run(self, options: ValuesOptions, context: SuiteContext) -> Result[ValuesRun]:
        from perception.bench.machine import machine_facts
        from perception.bench.pages.page_visits import visit_pages
        from perception.bench.suites.values.run import run_values

        data = visit_pages(self.name, options.page, options.limit, run_values, context, further=options.url or ())
        return self.result(
            data, options, machine=machine_facts(data.browser), inputs=data.visited, failed=len(data.failed)
        )

    def report(self, result: Result[ValuesRun], context: ReportContext) -> Report:
        from perception.bench.suites.values.report import values_report

        return values_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[ValuesRun], home: Path) -> Comparable:
        from perception.bench.comparison.paired import ComparisonRule
        from perception.bench.suites.values.judgement import page_scores

        scores = page_scores(result.data)
        return Comparable(scores, {name: ComparisonRule(True) for score in scores for name in score.tallies})


SUITE = ValuesSuite()

"""The `values` suite: whether the lines of controls say what is painted in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Limit, Pages

if TYPE_CHECKING:
    from perception.bench.suites.values.judgment import ValuesRun


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

    def parts(self) -> SuiteParts[ValuesRun]:
        from perception.bench.comparables import compare_shares
        from perception.bench.suites.values.judgment import ValuesRun, page_scores
        from perception.bench.suites.values.report import values_report

        return SuiteParts(ValuesRun, values_report, lambda run: compare_shares(page_scores(run)))

    def run(self, options: ValuesOptions, context: SuiteContext) -> Result[ValuesRun]:
        from perception.bench.machine import machine_facts
        from perception.bench.pages.page_visits import visit_pages
        from perception.bench.suites.values.run import run_values

        data = visit_pages(self.name, options.page, options.limit, run_values, context, further=options.url or ())
        return self.result(
            data, options, machine=machine_facts(data.browser), inputs=data.visited, failed=len(data.failed)
        )


SUITE = ValuesSuite()

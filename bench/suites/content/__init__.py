"""The `content` suite: how well a page's content is read as markdown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext
from perception.bench.suite_options import Limit, Pages

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.content.run import ContentRun


@dataclass(frozen=True, slots=True)
class ContentSuiteOptions:
    """Read pages as markdown, and compare the words with what a person sees. Default: pages of all projects."""

    page: Pages = None
    limit: Limit = 0


class ContentSuite(MeasuredSuite["ContentSuiteOptions", "ContentRun"]):
    name = "content"
    summary = "What is read of a page and what is not, beside trafilatura and a plain pass."
    options = ContentSuiteOptions

    def data_type(self) -> type[ContentRun]:
        from perception.bench.suites.content.run import ContentRun

        return ContentRun

    def run(self, options: ContentSuiteOptions, context: SuiteContext) -> Result[ContentRun]:
        from perception.bench.extras import TRAFILATURA, require
        from perception.bench.machine import machine_facts
        from perception.bench.pages.page_visits import visit_pages
        from perception.bench.suites.content.run import run_content

        require("reading content side by side", TRAFILATURA)
        data = visit_pages(self.name, options.page, options.limit, run_content, context)
        return self.result(
            data,
            options,
            machine=machine_facts(data.browser),
            inputs=tuple(dict.fromkeys(read.page for read in data.reads)),
            failed=len(data.failed),
        )

    def report(self, result: Result[ContentRun], context: ReportContext) -> Report:
        from perception.bench.suites.content.report import content_report

        return content_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[ContentRun], home: Path) -> Comparable:
        from perception.bench.suites.content.report import content_comparable

        return content_comparable(result.data)


SUITE = ContentSuite()

"""The `content` suite: how well a page's content is read as markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Limit, Pages

if TYPE_CHECKING:
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

    def parts(self) -> SuiteParts[ContentRun]:
        from perception.bench.suites.content.report import content_comparable, content_report
        from perception.bench.suites.content.run import ContentRun

        return SuiteParts(ContentRun, content_report, content_comparable)

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


SUITE = ContentSuite()

"""The `agreement` suite: roles and names of the page walker against Chromium's own accessibility tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts
from perception.bench.suite_options import Limit, Pages

if TYPE_CHECKING:
    from perception.bench.suites.agreement.judgment import AgreementRun


@dataclass(frozen=True, slots=True)
class AgreementOptions:
    """Open pages, and compare role and name of every node with Chromium's accessibility tree. Default: all pages."""

    page: Pages = None
    limit: Limit = 0


class AgreementSuite(MeasuredSuite["AgreementOptions", "AgreementRun"]):
    name = "agreement"
    summary = "Roles and names, node by node, against Chromium's own accessibility tree."
    options = AgreementOptions

    def parts(self) -> SuiteParts[AgreementRun]:
        from perception.bench.comparables import compare_shares
        from perception.bench.suites.agreement.judgment import AgreementRun, judge, page_scores
        from perception.bench.suites.agreement.report import agreement_report

        return SuiteParts(
            AgreementRun,
            lambda run: agreement_report(judge(run.pages), run.failed),
            lambda run: compare_shares(page_scores(run.pages)),
        )

    def run(self, options: AgreementOptions, context: SuiteContext) -> Result[AgreementRun]:
        import asyncio

        from perception.bench.machine import machine_facts
        from perception.bench.pages.visited_pages import serve_pages
        from perception.bench.suites.agreement.judgment import AgreementRun
        from perception.bench.suites.agreement.run import read_pages
        from perception.datasets import load_manifest
        from perception.datasets.sources.manifest import PageSpec
        from perception.datasets.sources.page_shapes import DESKTOP
        from perception.datasets.sources.rendering import Visit

        known = load_manifest().pages
        with serve_pages(options.page or tuple(known), context.say) as urls, context.progress(self.name) as progress:
            # The bundled page is in no manifest.
            pages_of = {each: known.get(each) or PageSpec(each, "/", "own", origin="own") for each in urls}
            visits = [Visit(pages_of[each], DESKTOP, url) for each, url in urls.items()][: options.limit or None]
            progress.start(len(visits))
            pages, failed, browser = asyncio.run(read_pages(visits, progress.done))
        data = AgreementRun(tuple(pages), failed)
        names = [visit.page.id for visit in visits]
        return self.result(data, options, machine=machine_facts(browser), inputs=names, failed=len(failed))


SUITE = AgreementSuite()

"""The `fuzz` suite: requests, bytes, images and DevTools messages that no client sends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.fuzz.outcomes import FuzzRun


class FuzzPart(StrEnum):
    """A part of the campaign."""

    MESSAGES = "messages"
    FIELDS = "fields"
    BYTES = "bytes"
    IMAGES = "images"
    CDP = "cdp"
    PARSERS = "parsers"
    TOOLS = "tools"
    CLIENTS = "clients"


@dataclass(frozen=True, slots=True)
class FuzzOptions:
    """Send a service what no client sends, and damage images and files. Exits with 1 when any case failed."""

    cases: Annotated[int, typer.Option(min=1, help="How many cases, of all parts together.")] = 120_000
    part: Annotated[list[FuzzPart] | None, typer.Option(help="A part of the campaign; repeatable. Default: all.")] = (
        None
    )
    seed: Annotated[int, typer.Option(help="The same seed makes the same cases.")] = 1


class FuzzSuite(MeasuredSuite["FuzzOptions", "FuzzRun"]):
    name = "fuzz"
    summary = "A fuzz campaign: requests, bytes, images, DevTools messages and files that nobody would send."
    options = FuzzOptions

    def parts(self) -> SuiteParts[FuzzRun]:
        from perception.bench.suites.fuzz.outcomes import FuzzRun
        from perception.bench.suites.fuzz.report import fuzz_comparable, fuzz_report

        return SuiteParts(FuzzRun, fuzz_report, fuzz_comparable)

    def run(self, options: FuzzOptions, context: SuiteContext) -> Result[FuzzRun]:
        import asyncio

        from perception.bench.extras import require
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.quiet_logs import quiet_logs

        require("the fuzz campaign", ("mcp", "httpx"), extra="bench,mcp")
        from perception.bench.suites.fuzz.outcomes import FuzzRun
        from perception.bench.suites.fuzz.run import run_parts

        parts = [each.value for each in options.part or FuzzPart]
        machine = machine_facts(chromium_version())
        with quiet_logs():
            data = FuzzRun(tuple(asyncio.run(run_parts(parts, options.cases, options.seed))))
        return self.result(data, options, machine=machine, inputs=parts, failed=data.failed())


SUITE = FuzzSuite()

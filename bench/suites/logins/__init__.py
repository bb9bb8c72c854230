"""The `logins` suite: whether a login in a real application lasts when the service and its browser are gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.logins.run import LoginsRun

APPS = ("django", "roundup", "phpliteadmin")
"""The applications of the `subroutines` suite in which users sign in by a form."""


@dataclass(frozen=True, slots=True)
class LoginsOptions:
    """Sign in to real applications, end the service in several ways, and see whether the login is still there. Exits
    with 1 when one is not."""

    app: Annotated[list[str] | None, typer.Option("--app", help="Only this application; repeatable.")] = None


class LoginsSuite(MeasuredSuite["LoginsOptions", "LoginsRun"]):
    name = "logins"
    summary = "Whether logins in real applications outlast the service and its browser."
    options = LoginsOptions

    def parts(self) -> SuiteParts[LoginsRun]:
        from perception.bench.suites.logins.report import logins_comparable, logins_report
        from perception.bench.suites.logins.run import LoginsRun

        return SuiteParts(LoginsRun, logins_report, logins_comparable)

    def run(self, options: LoginsOptions, context: SuiteContext) -> Result[LoginsRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.logins.run import run_logins

        data = run_logins(tuple(options.app or APPS), context.home, context.say)
        failed = sum(not each.lasted for each in data.outcomes)
        return self.result(data, options, machine=machine_facts(chromium_version()), failed=failed)


SUITE = LoginsSuite()

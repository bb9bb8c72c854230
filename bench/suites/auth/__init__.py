"""The `auth` suite: whether every rpc refuses every kind of wrong credential."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perception.bench.suite import Comparable, MeasuredSuite, ReportContext, Result, SuiteContext

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.suites.auth.run import AuthRun


@dataclass(frozen=True, slots=True)
class AuthOptions:
    """Call every rpc of a service with each kind of credential. Exits with 1 when an answer is wrong."""


class AuthSuite(MeasuredSuite["AuthOptions", "AuthRun"]):
    name = "auth"
    summary = "Every rpc with every kind of wrong credential, and what each answers."
    options = AuthOptions

    def data_type(self) -> type[AuthRun]:
        from perception.bench.suites.auth.run import AuthRun

        return AuthRun

    def run(self, options: AuthOptions, context: SuiteContext) -> Result[AuthRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.auth.run import run_auth

        data = run_auth()
        wrong = sum(len(row.wrong) for row in data.rows)
        return self.result(data, options, machine=machine_facts(chromium_version()), failed=wrong)

    def report(self, result: Result[AuthRun], context: ReportContext) -> Report:
        from perception.bench.suites.auth.report import auth_report

        return auth_report(result.data, result.facts.machine, context.command)

    def comparable(self, result: Result[AuthRun], home: Path) -> Comparable:
        from perception.bench.suites.auth.report import auth_comparable

        return auth_comparable(result.data)


SUITE = AuthSuite()

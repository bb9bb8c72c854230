"""The `auth` suite: whether every rpc refuses every kind of wrong credential."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from perception.bench.suite import MeasuredSuite, Result, SuiteContext, SuiteParts

if TYPE_CHECKING:
    from perception.bench.suites.auth.run import AuthRun


@dataclass(frozen=True, slots=True)
class AuthOptions:
    """Call every rpc of a service with each kind of credential. Exits with 1 when an answer is wrong."""


class AuthSuite(MeasuredSuite["AuthOptions", "AuthRun"]):
    name = "auth"
    summary = "Every rpc with every kind of wrong credential, and what each answers."
    options = AuthOptions

    def parts(self) -> SuiteParts[AuthRun]:
        from perception.bench.suites.auth.report import auth_comparable, auth_report
        from perception.bench.suites.auth.run import AuthRun

        return SuiteParts(AuthRun, auth_report, auth_comparable)

    def run(self, options: AuthOptions, context: SuiteContext) -> Result[AuthRun]:
        from perception.bench.machine import chromium_version, machine_facts
        from perception.bench.suites.auth.run import run_auth

        data = run_auth()
        wrong = sum(len(row.wrong) for row in data.rows)
        return self.result(data, options, machine=machine_facts(chromium_version()), failed=wrong)


SUITE = AuthSuite()

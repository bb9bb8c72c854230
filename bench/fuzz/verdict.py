"""What came of the cases: counted by code, with those that failed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import grpc
from google.rpc import error_details_pb2, status_pb2

DOMAIN = "perception"

NEVER = frozenset({"UNKNOWN", "INTERNAL", "DATA_LOSS"})
"""Codes that say that something went wrong in the service itself."""

MAX_SHOWN = 2000
"""Characters of a failing case that are printed."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One case that failed: its number, what was sent, and what is wrong with what came."""

    number: int
    sent: str
    why: str


@dataclass(slots=True)
class Tally:
    """One part's outcome. `codes` counts what was answered; `notes` are figures such as peaks of memory."""

    part: str
    cases: int = 0
    seconds: float = 0.0
    codes: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def count(self, code: str) -> None:
        self.cases += 1
        self.codes[code] += 1

    def fail(self, number: int, sent: object, why: str) -> None:
        self.failures.append(Failure(number, str(sent)[:MAX_SHOWN], why))


def judge(error: grpc.aio.AioRpcError, *, oversize: bool = False) -> tuple[str, str]:
    """The code of a refusal, and what is wrong with it; empty for nothing.

    Args:
        oversize: more was sent than gRPC takes: it refuses that before any code of ours runs.
    """
    code = error.code()
    info = error_info(error)
    if code.name in NEVER:
        return code.name, f"{code.name}: {error.details()}"
    if info is not None:
        is_ours = info.domain == DOMAIN and bool(info.reason)
        return f"{code.name}", "" if is_ours else f"{code.name} with an ErrorInfo of {info.domain!r}"
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return "DEADLINE (client's own)", ""
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED and oversize:
        return "RESOURCE_EXHAUSTED (gRPC's own)", ""
    return code.name, f"{code.name} without an ErrorInfo: {error.details()}"


def error_info(error: grpc.aio.AioRpcError) -> error_details_pb2.ErrorInfo | None:
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            for detail in status_pb2.Status.FromString(value).details:
                info = error_details_pb2.ErrorInfo()
                if detail.Unpack(info):
                    return info
    return None


def table(tallies: list[Tally]) -> str:
    """Markdown: a row for each part, then the failures."""
    rows = ["| part | cases | seconds | codes seen | failures |", "|---|--:|--:|---|--:|"]
    for each in tallies:
        codes = ", ".join(f"{code} {count}" for code, count in each.codes.most_common())
        rows.append(f"| {each.part} | {each.cases:,} | {each.seconds:.0f} | {codes} | {len(each.failures)} |")
    total = sum(each.cases for each in tallies)
    failed = sum(len(each.failures) for each in tallies)
    rows.append(f"| all | {total:,} | {sum(each.seconds for each in tallies):.0f} | | {failed} |")
    rows += [f"\n{each.part}: {'; '.join(each.notes)}" for each in tallies if each.notes]
    for each in tallies:
        rows += [f"\n{each.part} case {fail.number}: {fail.why}\n{fail.sent}" for fail in each.failures[:10]]
    return "\n".join(rows)

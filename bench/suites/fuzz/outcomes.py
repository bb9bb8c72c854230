"""Outcomes of fuzzed cases: counted by status code, with the cases that failed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import grpc
from google.rpc import error_details_pb2, status_pb2

DOMAIN = "perception"

NEVER = frozenset({"UNKNOWN", "INTERNAL", "DATA_LOSS"})
"""Codes that indicate an error in the service itself."""

MAX_SHOWN = 2000
"""Characters of a failing case that are printed."""


@dataclass(frozen=True, slots=True)
class FailedCase:
    """One failed case: its number, what was sent, and what is wrong with the answer."""

    number: int
    sent: str
    why: str


@dataclass(slots=True)
class PartOutcome:
    """The outcome of one part of the campaign.

    Attributes:
        part: its name.
        cases: how many were sent.
        seconds: how long they took together.
        codes: how often each answer came.
        failures: cases that failed.
        notes: figures such as peaks of memory.
    """

    part: str
    cases: int = 0
    seconds: float = 0.0
    codes: dict[str, int] = field(default_factory=dict)
    failures: list[FailedCase] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def count(self, code: str) -> None:
        """One more case, and its answer."""
        self.cases += 1
        self.add_codes([code])

    def add_codes(self, codes: Iterable[str]) -> None:
        """Answers of cases that are counted already."""
        for code in codes:
            self.codes[code] = self.codes.get(code, 0) + 1

    def fail(self, number: int, sent: object, why: str) -> None:
        self.failures.append(FailedCase(number, str(sent)[:MAX_SHOWN], why))


def judge(error: grpc.aio.AioRpcError, *, oversize: bool = False) -> tuple[str, str]:
    """The code of a refusal, and what is wrong with it; empty if nothing is.

    Args:
        oversize: more was sent than gRPC accepts: it refuses that before any code of ours runs.
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


@dataclass(frozen=True, slots=True)
class FuzzRun:
    """A campaign: the outcome of each part."""

    parts: tuple[PartOutcome, ...]

    def failed(self) -> int:
        """How many cases failed."""
        return sum(len(each.failures) for each in self.parts)

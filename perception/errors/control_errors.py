"""Errors of control: who drives a session, its agent or a person."""

from __future__ import annotations

from perception.errors.core import PerceptionError


class HumanControlError(PerceptionError):
    """A call of the agent while a person has control. Nothing of it was done."""

    grpc_code = "FAILED_PRECONDITION"
    retry_s = 5


class ControlHeldError(PerceptionError):
    """Control that another person has already."""

    grpc_code = "FAILED_PRECONDITION"
    retry_s = 5


class LeaseExpiredError(PerceptionError):
    """A lease that has ended, or never was one of the session."""

    grpc_code = "FAILED_PRECONDITION"


class NoHumanError(PerceptionError):
    """A person was asked for, and did not give control back in time."""

    grpc_code = "DEADLINE_EXCEEDED"

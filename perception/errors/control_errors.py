"""Errors of control: who drives a session, its agent or a person."""

from __future__ import annotations

from perception.errors.core import PerceptionError


class HumanControlError(PerceptionError):
    """A call of the agent while a person has control. Nothing of it was done."""

    reason = "HUMAN_CONTROL"


class ControlHeldError(PerceptionError):
    """Control that another person has already."""

    reason = "CONTROL_HELD"


class LeaseExpiredError(PerceptionError):
    """A lease that has ended, or never was one of the session."""

    reason = "LEASE_EXPIRED"


class NoHumanError(PerceptionError):
    """A person was asked for, and did not give control back in time."""

    reason = "NO_HUMAN"

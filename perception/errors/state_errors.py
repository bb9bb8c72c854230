"""Errors of browser states and profiles."""

from __future__ import annotations

from perception.errors.core import BadInputError, PerceptionError


class StateInvalidError(BadInputError):
    """A state, or cookies in another form, that cannot be read."""

    reason = "STATE_INVALID"


class StateOriginError(PerceptionError):
    """A state with cookies or storage of an origin that the session may not reach."""

    reason = "STATE_ORIGIN_REFUSED"

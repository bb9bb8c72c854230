"""Errors of browser states and profiles."""

from __future__ import annotations

from perception.errors.core import BadInputError, PerceptionError


class StateInvalidError(BadInputError):
    """A state, or cookies in another form, that cannot be read."""

    reason = "STATE_INVALID"


class StateOriginError(PerceptionError):
    """A state with cookies or storage of an origin that the session may not reach."""

    reason = "STATE_ORIGIN_REFUSED"
    grpc_code = "PERMISSION_DENIED"


class ProfileNotFoundError(PerceptionError):
    """A profile that does not exist, or not for this caller."""

    reason = "PROFILE_NOT_FOUND"
    grpc_code = "NOT_FOUND"


class ProfileInUseError(PerceptionError):
    """A profile that another session writes."""

    reason = "PROFILE_IN_USE"
    grpc_code = "FAILED_PRECONDITION"


class ProfileKeyError(PerceptionError):
    """The service has no key for profiles, or another one than the profile is encrypted with."""

    reason = "PROFILE_KEY_WRONG"
    grpc_code = "FAILED_PRECONDITION"


class ProfileDamagedError(PerceptionError):
    """A profile's file that was changed or cut off."""

    reason = "PROFILE_DAMAGED"
    grpc_code = "DATA_LOSS"


class ProfileLimitError(PerceptionError):
    """As many profiles as a caller may have."""

    reason = "PROFILE_LIMIT"
    grpc_code = "RESOURCE_EXHAUSTED"

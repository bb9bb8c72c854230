"""Errors of browser states and profiles."""

from __future__ import annotations

from perception.errors.core import BadInputError, PerceptionError


class StateInvalidError(BadInputError):
    """A state, or cookies in another form, that cannot be read."""


class StateOriginRefusedError(PerceptionError):
    """A state with cookies or storage of an origin that the session may not reach."""

    grpc_code = "PERMISSION_DENIED"


class ProfileNotFoundError(PerceptionError):
    """A profile that does not exist, or not for this caller."""

    grpc_code = "NOT_FOUND"


class ProfileInUseError(PerceptionError):
    """A profile that another session writes."""

    grpc_code = "FAILED_PRECONDITION"


class ProfileKeyWrongError(PerceptionError):
    """The service has no key for profiles, or another one than the profile is encrypted with."""

    grpc_code = "FAILED_PRECONDITION"


class ProfileDamagedError(PerceptionError):
    """A profile's file that was changed or cut off."""

    grpc_code = "DATA_LOSS"


class ProfileLimitError(PerceptionError):
    """As many profiles as a caller may have."""

    grpc_code = "RESOURCE_EXHAUSTED"

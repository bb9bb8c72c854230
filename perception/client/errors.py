"""Errors that the client raises: calls that the service refused, scripts that threw.

Both are PerceptionErrors, as is the BadInputError of an argument that no request can be made of.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import grpc

from perception.client.no_answer import explain_failure, is_nobody
from perception.errors import DeadlineError, PerceptionError
from perception.page_words import unmarked_words

_DETAILS_KEY = "grpc-status-details-bin"
"""The trailing metadata that holds a `google.rpc.Status`."""

_BROKEN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN)
"""Codes of gRPC's own where a connection fails or breaks; a Perception service sends details with each of them."""


class RemoteError(PerceptionError):
    """A call that the service refused, or that did not reach it.

    Attributes:
        code: gRPC status code.
        reason: ErrorInfo reason, such as `STALE_REF`; `DEADLINE` also where the client noticed first that its deadline
            has passed. Empty for another error that does not come from the service itself, such as a connection that
            broke. `perception.errors` has a class for each, with its `reason`.
        metadata: ErrorInfo details by name; those that several errors have are attributes, too.
        field: the request's invalid field, such as `options.viewport`; empty if it is not one field.
        retry_after_s: seconds after which a repeat may succeed; None where a repeat fails alike.
        transport: gRPC's own words, where no answer came from the service; else empty.
    """

    transport = ""

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        reason: str,
        metadata: dict[str, str],
        *,
        field: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.metadata = metadata
        self.field = field
        self.retry_after_s = retry_after_s

    @property
    def plain(self) -> str:
        """The message for people: without the marks around words of the page, which a language model needs."""
        return unmarked_words(str(self))

    @property
    def ref(self) -> str:
        """The ref that the call named as its target; empty for another kind of target, or none."""
        return self.metadata.get("ref", "")

    @property
    def selector(self) -> str:
        """The selector that the call named as its target, else empty."""
        return self.metadata.get("selector", "")

    @property
    def session(self) -> str:
        """The session that is unknown or has ended, else empty."""
        return self.metadata.get("session", "")

    @property
    def snapshot(self) -> str:
        """The snapshot that is not kept, or that a coordinate no longer fits, else empty."""
        return self.metadata.get("snapshot", "")

    @property
    def limit(self) -> float | None:
        """The limit that is reached, in the unit of its setting; None for other errors."""
        return float(self.metadata["limit"]) if "limit" in self.metadata else None

    @property
    def setting(self) -> str:
        """The environment variable of the service that sets this limit or folder, else empty."""
        return self.metadata.get("setting", "")

    @property
    def input_dispatched(self) -> bool:
        """Whether input had been sent to the page before the call failed: a repeat could act twice."""
        return self.metadata.get("input_dispatched") == "true"

    @classmethod
    def of_stop(cls, stop: Any) -> RemoteError:
        """The error of the step that ended a batch, a BatchStop, as its own call would have raised it."""
        code = next((each for each in grpc.StatusCode if each.value[0] == stop.code), grpc.StatusCode.UNKNOWN)
        retry_after_s = stop.retry_after.ToTimedelta().total_seconds() if stop.HasField("retry_after") else None
        return cls(code, stop.message, stop.reason, dict(stop.metadata), retry_after_s=retry_after_s)

    @classmethod
    def of(cls, error: grpc.RpcError) -> RemoteError:
        """The service's own message, reason and details from a gRPC error of either form."""
        from google.rpc import status_pb2

        call: Any = error
        for key, value in call.trailing_metadata() or ():
            if key == _DETAILS_KEY:
                return cls._of_status(call.code(), status_pb2.Status.FromString(value))
        message = details = call.details() or ""
        reason = ""
        if call.code() is grpc.StatusCode.DEADLINE_EXCEEDED:  # gRPC's own, which names nothing
            message = "no answer came before the call's deadline: give it more time (timeout_s)"
            reason = DeadlineError.reason
        elif call.code() in _BROKEN:
            message = explain_failure(details)
        made = cls(call.code(), message, reason, {})
        made.transport = details
        return made

    @classmethod
    def _of_status(cls, code: grpc.StatusCode, status: Any) -> RemoteError:
        from google.rpc import error_details_pb2

        info, request, retry = (
            error_details_pb2.ErrorInfo(),
            error_details_pb2.BadRequest(),
            error_details_pb2.RetryInfo(),
        )
        retry_after_s = None
        for detail in status.details:
            if not detail.Unpack(info) and not detail.Unpack(request) and detail.Unpack(retry):
                retry_after_s = retry.retry_delay.ToTimedelta().total_seconds()
        field = next((each.field for each in request.field_violations), "")
        return cls(code, status.message, info.reason, dict(info.metadata), field=field, retry_after_s=retry_after_s)


class ScriptError(PerceptionError):
    """An evaluated script threw an exception.

    Attributes:
        stack: where it was thrown, as the browser writes it.
    """

    reason = "SCRIPT"

    def __init__(self, message: str, stack: str) -> None:
        super().__init__(message)
        self.stack = stack


def describe_no_answer(error: RemoteError, address: str, *, tls: bool) -> RemoteError:
    """A clearer error where no Perception service answers the first call to an address; the same error where one does.

    Args:
        tls: whether the client encrypts.
    """
    if error.code is grpc.StatusCode.UNIMPLEMENTED:
        message = f"what answers at {address} is not a Perception service: check the address, and its port"
    elif error.code is grpc.StatusCode.DEADLINE_EXCEEDED or is_nobody(error.transport):
        message = f"no service answers at {address}: {_what_to_do(address)}"
    elif error.code not in _BROKEN or not error.transport:
        return error
    else:
        message = explain_failure(error.transport, f"the service at {address}", tls=tls)
    made = unavailable(message)
    made.transport = error.transport
    return made


def _what_to_do(address: str) -> str:
    folder = Path(address.removeprefix("unix:")).parent
    if address.startswith("unix:") and not folder.is_dir():
        return f"there is no folder {folder}; check the path of the socket, or start one there with `perception serve`"
    return "check the address, or start one with `perception serve`"


def unavailable(message: str) -> RemoteError:
    """An error of a service that cannot be reached or started."""
    return RemoteError(grpc.StatusCode.UNAVAILABLE, message, "", {})

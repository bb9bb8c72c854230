"""The gRPC status of an error. All details of an error that are returned are made here."""

from __future__ import annotations

import grpc
from google.protobuf.any_pb2 import Any as AnyProto
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2

from perception import errors
from perception.errors import PerceptionError
from perception.render.untrusted import Fence

DOMAIN = "perception"

MAX_MESSAGE = 1000
"""Characters. Status messages travel as HTTP/2 headers, of which peers take 8 KiB by default."""

MAX_MESSAGE_COST, MAX_VALUE_COST = 3000, 500
"""Bytes of a message, and of each detail, as headers have them: gRPC writes a byte that is not ASCII as `%C3`."""


def status_of(error: PerceptionError) -> status_pb2.Status:
    """The whole answer: code, message, ErrorInfo, and BadRequest or RetryInfo where they apply."""
    code: tuple[int, str] = grpc.StatusCode[error.grpc_code].value
    fence = Fence()
    message = fence.mark(within_header(error.marked[:MAX_MESSAGE], MAX_MESSAGE_COST))
    metadata = {key: fence.mark(within_header(value, MAX_VALUE_COST)) for key, value in error.metadata.items()}
    packed = [_pack(error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=metadata))]
    if isinstance(error, errors.BadInputError) and error.field:
        violation = error_details_pb2.BadRequest.FieldViolation(field=error.field, description=message)
        packed.append(_pack(error_details_pb2.BadRequest(field_violations=[violation])))
    if error.retry_s:
        packed.append(_pack(error_details_pb2.RetryInfo(retry_delay=Duration(seconds=error.retry_s))))
    return status_pb2.Status(code=code[0], message=message, details=packed)


def within_header(text: str, max_cost: int) -> str:
    """The beginning of a text that takes at most that many bytes in a header."""
    cost = 0
    for at, character in enumerate(text):
        cost += 1 if character.isascii() else 3 * len(character.encode("utf-8", "surrogatepass"))
        if cost > max_cost:
            return text[:at]
    return text


def _pack(message: object) -> AnyProto:
    packed = AnyProto()
    packed.Pack(message)  # type: ignore[arg-type]  # google.rpc ships without types
    return packed

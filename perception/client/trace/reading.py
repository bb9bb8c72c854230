"""A trace from what the service answers, and to a file."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from perception.client.trace.values import Trace, TraceCall, TracePicture
from perception.errors import BadInputError
from perception.v1 import live_service_pb2 as pb
from perception.v1 import types_pb2


def trace_of(session_id: str, calls: Sequence[pb.GetCallResponse], made_s: float) -> Trace:
    """A trace of calls in their order."""
    titles = [each.snapshot.title for each in calls if each.snapshot.title]
    first = calls[0].call.number if calls else 1
    notes = [_earlier(first - 1)] if first > 1 else []
    return Trace(session_id, titles[-1] if titles else "", tuple(map(trace_call, calls)), made_s, notes)


def trace_call(reply: pb.GetCallResponse) -> TraceCall:
    call = reply.call
    return TraceCall(
        number=call.number,
        rpc=call.rpc,
        what=call.what,
        start_s=_seconds(call.start_time),
        duration_s=_seconds(call.duration) if call.HasField("duration") else None,
        tab_id=call.tab_id,
        url=call.url,
        code=call.code,
        reason=call.reason,
        message=call.message,
        text=reply.text,
        request_json=_readable(reply.request_json),
        page=page_lines(reply.snapshot),
        before=_picture(reply.before) if reply.HasField("before") else None,
        after=_picture(reply.after) if reply.HasField("after") else None,
        by_person=call.by_person,
    )


def page_lines(snapshot: types_pb2.Snapshot) -> Sequence[str]:
    """A line for each element: what two pages are compared by."""
    return [_line(each) for each in snapshot.elements]


def write_whole(path: Path, text: str) -> Path:
    """Writes a file, which appears when it is complete. Raises BadInputError where it cannot be written."""
    try:
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(part, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise
    except OSError as exc:
        raise BadInputError(f"{path} cannot be written: {exc.strerror or exc}", field="path") from exc
    return path


def _line(element: types_pb2.Element) -> str:
    words = f' "{element.name}"' if element.name else f": {element.text}" if element.text else ""
    value = f' = "{element.value}"' if element.value else ""
    states = "".join(f" [{each}]" for each in element.states)
    ref = f" [{element.ref}]" if element.ref else ""
    return f"{'  ' * element.depth}{element.role}{words}{value}{states}{ref}"


def _readable(text: str) -> str:
    """A JSON value with a line for each field."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2) if text else ""
    except ValueError:
        return text


def _picture(image: types_pb2.Image) -> TracePicture:
    return TracePicture(image.data, image.width, image.height)


def _seconds(moment: Timestamp | Duration) -> float:
    return float(moment.seconds + moment.nanos / 1e9)


def _earlier(count: int) -> str:
    are = "1 earlier call is" if count == 1 else f"{count} earlier calls are"
    return f"{are} not kept any more: a session keeps its last 200."

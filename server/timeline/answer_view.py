"""What of an answer is kept for people: the snapshot as it was served, and the text that its client read. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import types_pb2


@dataclass(frozen=True, slots=True)
class AnswerView:
    """What is kept of an answer.

    Attributes:
        snapshot_id: of the snapshot that it has, or that was made for its diff; empty for none.
        snapshot: that snapshot, serialized: as a message it takes several times that. Empty where it is not in the
            answer.
        text: what the client read; empty for none, and where that is in the snapshot.
    """

    snapshot_id: str = ""
    snapshot: bytes = b""
    text: str = ""


def answer_view(answer: Message | None) -> AnswerView:
    """The view of any answer of the service."""
    if answer is None:
        return AnswerView()
    fields = answer.DESCRIPTOR.fields_by_name
    reply: Any = answer
    if "snapshot" in fields and fields["snapshot"].message_type is types_pb2.Snapshot.DESCRIPTOR:
        return AnswerView(reply.snapshot.snapshot_id, reply.snapshot.SerializeToString())
    if "result" in fields and fields["result"].message_type is action_pb.ActionResult.DESCRIPTOR:
        return AnswerView(reply.result.snapshot_id, text=reply.result.diff.text)
    if "snapshot_id" in fields:
        return AnswerView(reply.snapshot_id)
    return AnswerView()


def read_text(snapshot: types_pb2.Snapshot) -> str:
    """What a client reads of a snapshot: its diff where it has one, else all of it."""
    return snapshot.diff.text if snapshot.HasField("diff") and snapshot.diff.text else snapshot.text

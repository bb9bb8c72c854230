"""What a person answered whom an agent had asked for, in words."""

from __future__ import annotations

from perception.interaction.answers import UNCHANGED, lines
from perception.v1 import control_service_pb2 as pb


def human_report(answer: pb.RequestHumanResponse) -> str:
    """How the person's turn ended, and what changed on the page."""
    if answer.outcome == pb.RELEASE_OUTCOME_REFUSED:
        return answer.text
    unchanged = UNCHANGED if answer.HasField("diff") and not answer.diff.text else ""
    look = "" if answer.HasField("diff") else "look at the page before you go on"
    return lines(answer.text, unchanged, look)


def is_done(answer: pb.RequestHumanResponse) -> bool:
    """Whether the person did what they were asked for."""
    return answer.outcome == pb.RELEASE_OUTCOME_DONE

"""ExplainElement: what is asked about, and what became of it."""

from __future__ import annotations

from perception.engine.explain import ExplainStage, Explanation, StageOutcome, StageReport
from perception.engine.request import Target
from perception.errors import BadInputError
from perception.server.convert.elements import element_messages
from perception.server.convert.enums import enum_numbers
from perception.server.convert.message_fields import cut_text
from perception.server.convert.targets import decode_target
from perception.server.sessions.kept_snapshots import KeptSnapshots
from perception.types import replace_fields
from perception.v1 import perception_service_pb2 as pb

_STAGES = enum_numbers(pb.Stage, ExplainStage)
_OUTCOMES = enum_numbers(pb.StageOutcome, StageOutcome)


def explained_target(request: pb.ExplainElementRequest, snapshots: KeptSnapshots) -> Target | str:
    """What a request asks about: a target, or a text.

    Raises:
        BadInputError: both are given, or neither.
        UnknownSnapshotError: the coordinate is from a snapshot that is not kept.
    """
    if request.HasField("target") == bool(request.text.strip()):
        raise BadInputError("give exactly one of target and text", field="target")
    return request.text if request.text.strip() else decode_target(request.target, snapshots)


def explanation_message(explanation: Explanation) -> pb.ExplainElementResponse:
    element = explanation.element
    return pb.ExplainElementResponse(
        summary=cut_text(explanation.summary),
        listed=element is not None,
        element=element_messages([replace_fields(element, parent=-1)])[0] if element is not None else None,
        stages=[_stage(report) for report in explanation.stages],
    )


def _stage(report: StageReport) -> pb.ExplainStage:
    return pb.ExplainStage(
        stage=_STAGES[report.stage],
        outcome=_OUTCOMES[report.outcome],
        reason=cut_text(report.reason),
        facts=[pb.Fact(name=name, value=cut_text(value)) for name, value in report.facts],
    )

"""Why an element is listed as it is, or not at all: what became of it at each stage of a look."""

from perception.engine.explain.explanation import explain
from perception.engine.explain.model import ExplainStage, Explanation, StageOutcome, StageReport
from perception.engine.explain.subject import Subject, find_subject
from perception.engine.explain.trace import LookTrace, trace_look

__all__ = [
    "ExplainStage",
    "Explanation",
    "LookTrace",
    "StageOutcome",
    "StageReport",
    "Subject",
    "explain",
    "find_subject",
    "trace_look",
]

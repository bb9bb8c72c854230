"""Creates a subroutine from recordings."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from urllib.parse import urlsplit

from perception.errors import BadInputError, RecordingsDifferError
from perception.subroutines.choices import kept_choices
from perception.subroutines.context_text import render_context
from perception.subroutines.generate import generate_body
from perception.subroutines.hosts import origin_of
from perception.subroutines.infer import infer_parameters, schema_of
from perception.subroutines.parameter import rename_parameters
from perception.subroutines.plan import PlanKind, choose_plan, task_requests
from perception.subroutines.ranking import Ranked, pick_candidates
from perception.subroutines.recording import Recording
from perception.subroutines.stored import Stored, id_of
from perception.subroutines.success import learn_condition
from perception.subroutines.volatile import without_volatile

MAX_NAME, MAX_DESCRIPTION = 64, 1000
"""Characters. 64 is the limit for names of tools in MCP and in OpenAI's API; a description has to fit a list of
tools."""


NOT_SHOWN = "nothing in the recording shows it"


def create_subroutine(
    recordings: Sequence[Recording],
    *,
    name: str,
    description: str,
    wanted: PlanKind | None,
    now_s: float,
    telemetry: Collection[str] = (),
    rename: Mapping[str, str] | None = None,
) -> Stored:
    """Creates the subroutine of a task that was recorded once, or twice with different values.

    Args:
        recordings: one or two recordings of the task.
        name: name of the subroutine.
        description: what it does; may be empty.
        wanted: kind of plan; None chooses.
        now_s: creation time, seconds since 1970.
        telemetry: additional hosts that count as telemetry.
        rename: new names of parameters.

    Raises:
        BadInputError: the name, the description or a new name is invalid, or the recording did not start on a web page.
        RecordingEmptyError: nothing was done and nothing was sent.
        RecordingsDifferError: the recordings are of different tasks or origins.
        PlanNotPossibleError: the recording does not allow the wanted plan.
    """
    _check_name(name, description)
    origin = origin_of(recordings[0].start_url)
    if any(origin_of(each.start_url) != origin for each in recordings):
        raise RecordingsDifferError("the recordings are of different origins: record the same task on one site")
    if not origin.startswith(("http://", "https://")):
        raise BadInputError("the recording began on no web page: navigate first, then start it", field="recording_ids")
    ranked = [pick_candidates(each, telemetry) for each in recordings]
    parameters = rename_parameters(infer_parameters(recordings), rename or {})
    plan = choose_plan(recordings, ranked, parameters, wanted)
    kept = kept_choices(recordings[0].events, parameters) if len(recordings) == 1 else ""
    condition = learn_condition(recordings, parameters, task_requests(plan, ranked))
    body = generate_body(recordings, parameters, plan, condition)
    title = " ".join((description or name).split())
    made = f"Recorded as {', '.join(each.recording_id for each in recordings)}; plan {plan.kind.value}: {plan.reason}."
    success = "; and ".join(condition.words) or f"{condition.lacks or NOT_SHOWN}, so that each run ends UNVERIFIED"
    header = f"// {title}\n// Runs on {origin} alone. {made}\n// Success: {' '.join(success.split())}.\n"
    return Stored(
        subroutine_id=id_of(origin, name),
        name=name,
        description=description,
        origin=origin,
        plan=plan.kind.value,
        plan_reason="; ".join(filter(None, (plan.reason, condition.lacks, kept))),
        parameters_schema=schema_of(parameters),
        created_s=now_s,
        recordings=tuple(each.recording_id for each in recordings),
        candidates=tuple(f"{each.score} {_line(each, host=True)}" for each in ranked[0]),
        background=tuple(_line(each) for each in ranked[0] if "sent without an event, too" in each.reasons),
        body=header + body,
        context=render_context(recordings[0], ranked[0]),
        success=condition.words,
    )


def _line(ranked: Ranked, *, host: bool = False) -> str:
    request = without_volatile(ranked.request)
    parts = urlsplit(request.url)
    return f"{request.method} {parts.netloc if host else ''}{parts.path}"


def _check_name(name: str, description: str) -> None:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_ .-]*", name) or len(name) > MAX_NAME:
        raise BadInputError(
            f"{name[:MAX_NAME]!r} is not a name: give up to {MAX_NAME} letters, digits, blanks, `_`, `-` and `.`, "
            "beginning with a letter",
            field="name",
        )
    check_description(description)


def check_description(description: str) -> None:
    """Raises BadInputError where a description is too long."""
    if len(description) > MAX_DESCRIPTION:
        raise BadInputError(f"description has over {MAX_DESCRIPTION} characters: shorten it", field="description")

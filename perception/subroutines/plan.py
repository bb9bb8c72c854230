"""Chooses the plan of a subroutine: user input, a network request, or the request with user input as fallback."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from perception.errors import PlanNotPossibleError, RecordingEmptyError
from perception.subroutines.hosts import is_first_party
from perception.subroutines.parameter import Parameter
from perception.subroutines.ranking import MUTATING, Ranked, entered_values
from perception.subroutines.recipe import make_recipe
from perception.subroutines.recording import RecordedRequest, Recording
from perception.subroutines.request_template import Recipe
from perception.subroutines.request_values import leaves_of

MIN_PLAN_SCORE = 60
"""Least score of a request that does the task. A first-party GET with a response right after an event has 69; one
without an event has 41."""


class PlanKind(Enum):
    """DOM repeats the input, NETWORK sends a request, HYBRID sends a request and falls back to input if that fails."""

    DOM = "dom"
    NETWORK = "network"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan.

    Attributes:
        kind: how the task is done.
        reason: why this kind was chosen.
        recipe: the request to send; None for DOM.
        answer: the request that a DOM plan waits for; None for none.
        further: other requests that change something and came after the last action, which it waits for, too.
    """

    kind: PlanKind
    reason: str
    recipe: Recipe | None = None
    answer: Ranked | None = None
    further: tuple[Ranked, ...] = ()


def choose_plan(
    recordings: Sequence[Recording],
    ranked: Sequence[Sequence[Ranked]],
    parameters: Sequence[Parameter],
    wanted: PlanKind | None = None,
) -> Plan:
    """Chooses the plan for a task that was recorded once, or twice with different values.

    Args:
        recordings: one or two recordings.
        ranked: ranked requests of each recording, best first.
        parameters: inferred parameters.
        wanted: requested kind; None chooses.

    Raises:
        RecordingEmptyError: nothing was done and nothing was sent.
        PlanNotPossibleError: the recording does not allow the requested kind; the message says why.
    """
    first, candidates = recordings[0], ranked[0]
    _require_recorded(recordings)
    by_hand = any(event.kind != "goto" for event in first.events)
    top = next((each for each in candidates if each.score >= MIN_PLAN_SCORE), None)
    if not by_hand and top is None:
        raise RecordingEmptyError(
            "the recording has no effect: nothing was clicked, typed or chosen, and no request came of it; start the "
            "recording, do the task, then stop it"
        )
    recipe, obstacles = _recipe_of(top, recordings, ranked, parameters)
    answer = _answer_of(top, first)
    further = _further(recordings, ranked, answer)
    reason = _reason(top, obstacles, by_hand)
    if wanted is PlanKind.DOM or (wanted is None and obstacles):
        if not by_hand:
            raise PlanNotPossibleError(f"the task cannot be done by hand, as nothing was done by hand; and {reason}")
        asked = "the DOM plan was asked for" if wanted is PlanKind.DOM else reason
        return Plan(PlanKind.DOM, asked, None, answer, further)
    if obstacles or (wanted is PlanKind.HYBRID and not by_hand):
        why = reason if obstacles else "nothing was done by hand that it could fall back on"
        raise PlanNotPossibleError(f"a {wanted.value if wanted else 'network'} plan is not possible: {why}")
    kind = wanted or (PlanKind.HYBRID if by_hand else PlanKind.NETWORK)
    return Plan(kind, reason, recipe, answer, further)


def _require_recorded(recordings: Sequence[Recording]) -> None:
    """Raises PlanNotPossibleError if input is missing: no plan would do what was done."""
    missing = [each for recording in recordings for each in recording.unrecorded]
    if missing:
        raise PlanNotPossibleError(
            f"the recording lacks a part of the task, so that no plan would do it: "
            f"{'; '.join(dict.fromkeys(missing))}. Record the task again without that, or write the script by hand"
        )


def task_requests(plan: Plan, ranked: Sequence[Sequence[Ranked]]) -> tuple[RecordedRequest, ...]:
    """The request of each recording whose answer the plan checks; empty where it checks none."""
    top = next((each for each in ranked[0] if each.score >= MIN_PLAN_SCORE), None)
    if top is None or (plan.recipe is None and plan.answer is None) or top.request.open:
        return ()
    others = [_like(top.request, each) for each in ranked[1:]]
    return (top.request, *(each for each in others if each is not None))


def _recipe_of(
    top: Ranked | None,
    recordings: Sequence[Recording],
    ranked: Sequence[Sequence[Ranked]],
    parameters: Sequence[Parameter],
) -> tuple[Recipe | None, tuple[str, ...]]:
    """The recipe of the best request, and the obstacles to sending it."""
    if top is None:
        return None, ("no request came of what was done",)
    if top.request.kind == "websocket":
        return None, ("it is a message over a WebSocket",)
    others = [_like(top.request, each) for each in ranked[1:]]
    if any(each is None for each in others):
        return None, ("the other recording has no such request",)
    alike = [each for each in others if each is not None]
    recipe, obstacles = make_recipe((top.request, *alike), recordings, parameters)
    volatile = [each for each in top.volatile if each.removeprefix("body.") not in recipe.read_names]
    if volatile:
        return None, (f"the request has identifiers that a deployment changes ({', '.join(volatile)})",)
    unended = ("it had not ended when the other recording was stopped",) if any(each.open for each in alike) else ()
    return recipe, (*obstacles, *unended, *_company(top, recordings[0]), *_toggle(top, recordings[0]))


def _toggle(top: Ranked, recording: Recording) -> tuple[str, ...]:
    """An obstacle if the request came of a control with two states: what it does depends on the state before."""
    before = [each for each in recording.events if each.kind != "goto" and each.at_ms <= top.request.at_ms]
    is_toggled = bool(before) and before[-1].kind == "toggle"
    return ("it changes a state to the other one, so that a second one takes it back",) if is_toggled else ()


def _company(top: Ranked, recording: Recording) -> tuple[str, ...]:
    """An obstacle if other requests do a part of the task."""
    entered = entered_values(recording.events)
    others = [
        request
        for request in recording.requests
        if request is not top.request
        and request.method in MUTATING
        and is_first_party(request.url, recording.start_url)
        and any(leaf in entered for leaf in leaves_of(request))
    ]
    return (f"the task takes {len(others) + 1} requests",) if others else ()


def _like(request: RecordedRequest, candidates: Sequence[Ranked]) -> RecordedRequest | None:
    """The same request in another recording: the best one with equal method, path length and body kind."""
    depth = request.url.partition("?")[0].count("/")
    return next(
        (
            each.request
            for each in candidates
            if each.request.method == request.method
            and each.request.url.partition("?")[0].count("/") == depth
            and each.request.body.kind == request.body.kind
        ),
        None,
    )


def _answer_of(top: Ranked | None, recording: Recording) -> Ranked | None:
    """The request whose response shows whether a DOM plan worked: a mutating one that is not a poll, whenever it came
    after an action. What came of one that had not ended is not known, but it has to be answered, too."""
    if top is None or not _is_awaited(top):
        return None
    acted = any(each.kind != "goto" and each.at_ms <= top.request.at_ms for each in recording.events)
    return top if acted else None


def _is_awaited(ranked: Ranked) -> bool:
    request = ranked.request
    was_answered = 0 < request.status < 400 or (request.open and request.status == 0)
    return was_answered and request.method in MUTATING and _BACKGROUND.isdisjoint(ranked.reasons)


_BACKGROUND = frozenset(
    {"sent without an event, too", "third party", "telemetry host", "beacon", "called like telemetry"}
)
"""Reasons of requests that are not waited for."""


def _further(
    recordings: Sequence[Recording], ranked: Sequence[Sequence[Ranked]], answer: Ranked | None
) -> tuple[Ranked, ...]:
    """The other requests that a DOM plan waits for, in the order in which they came: those after the last action, in
    each recording."""
    last = max((each.at_ms for each in recordings[0].events if each.kind != "goto"), default=float("inf"))
    found = [
        each
        for each in ranked[0]
        if each is not answer
        and _is_awaited(each)
        and each.request.at_ms >= last
        and all(_like(each.request, other) is not None for other in ranked[1:])
    ]
    return tuple(sorted(found, key=lambda each: each.request.at_ms))


def _reason(top: Ranked | None, obstacles: Sequence[str], by_hand: bool) -> str:
    if top is None:
        return "no request came of what was done: it is done by hand"
    shown = f"{top.request.method} request, score {top.score} ({', '.join(top.reasons)})"
    if obstacles:
        return f"the best request ({shown}) cannot be made again: {'; '.join(obstacles)}"
    fallback = "; if it cannot be sent, it is done by hand" if by_hand else ""
    return f"every value of the best request ({shown}) is known{fallback}"

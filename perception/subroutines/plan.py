"""The plan: whether a task is done by hand, by a request of the page's own, or by the request with the hand to fall
back on; and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from perception.errors import PlanNotPossibleError, RecordingEmptyError
from perception.subroutines.hosts import is_first_party
from perception.subroutines.infer import Parameter
from perception.subroutines.ranking import MUTATING, Ranked, entered_values
from perception.subroutines.recipe import Recipe, make_recipe
from perception.subroutines.recording import Recording, Request
from perception.subroutines.values import leaves_of

MIN_SCORE = 60
"""A first-party GET right after an event that came back with something has 69; one that nothing was done for has 41."""


class PlanKind(Enum):
    """HYBRID is NETWORK, and DOM where the request could not be sent."""

    DOM = "dom"
    NETWORK = "network"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Plan:
    """`recipe` is the request to make, None for DOM. `answer` is the request that a DOM plan waits for."""

    kind: PlanKind
    reason: str
    recipe: Recipe | None = None
    answer: Ranked | None = None


def choose_plan(
    recordings: Sequence[Recording],
    ranked: Sequence[Sequence[Ranked]],
    parameters: Sequence[Parameter],
    wanted: PlanKind | None = None,
) -> Plan:
    """The plan for a task that was recorded once, or twice with other values.

    Args:
        ranked: the candidates of each recording, best first.
        wanted: asked for; None chooses.

    Raises:
        RecordingEmptyError: nothing was done and nothing sent.
        PlanNotPossibleError: what is wanted cannot be; says why.
    """
    first, candidates = recordings[0], ranked[0]
    by_hand = any(event.kind != "goto" for event in first.events)
    top = next((each for each in candidates if each.score >= MIN_SCORE), None)
    if not by_hand and top is None:
        raise RecordingEmptyError(
            "the recording has no effect: nothing was clicked, typed or chosen, and no request came of it; start the "
            "recording, do the task, then stop it"
        )
    recipe, obstacles = _recipe_of(top, recordings, ranked, parameters)
    answer = _answer_of(top)
    reason = _reason(top, obstacles, by_hand)
    if wanted is PlanKind.DOM or (wanted is None and obstacles):
        if not by_hand:
            raise PlanNotPossibleError(f"the task cannot be done by hand, as nothing was done by hand; and {reason}")
        asked = "the DOM plan was asked for" if wanted is PlanKind.DOM else reason
        return Plan(PlanKind.DOM, asked, None, answer)
    if obstacles or (wanted is PlanKind.HYBRID and not by_hand):
        why = reason if obstacles else "nothing was done by hand that it could fall back on"
        raise PlanNotPossibleError(f"a {wanted.value if wanted else 'network'} plan is not possible: {why}")
    kind = wanted or (PlanKind.HYBRID if by_hand else PlanKind.NETWORK)
    return Plan(kind, reason, recipe, answer)


def _recipe_of(
    top: Ranked | None,
    recordings: Sequence[Recording],
    ranked: Sequence[Sequence[Ranked]],
    parameters: Sequence[Parameter],
) -> tuple[Recipe | None, tuple[str, ...]]:
    """The recipe of the best request, and all that speaks against making it."""
    if top is None:
        return None, ("no request came of what was done",)
    if top.volatile:
        return None, (f"the request has identifiers that a deployment changes ({', '.join(top.volatile)})",)
    others = [_like(top.request, each) for each in ranked[1:]]
    if any(each is None for each in others):
        return None, ("the other recording has no such request",)
    recipe, obstacles = make_recipe(
        top.request, recordings[0], parameters, [each for each in others if each is not None]
    )
    return recipe, (*obstacles, *_company(top, recordings[0]))


def _company(top: Ranked, recording: Recording) -> tuple[str, ...]:
    """Other requests that do a part of the task."""
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


def _like(request: Request, candidates: Sequence[Ranked]) -> Request | None:
    """The same request in another recording: of the best ones, the first with its method and as long a path."""
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


def _answer_of(top: Ranked | None) -> Ranked | None:
    """The request whose answer says whether a DOM plan worked: one that changed something, and is not sent anyway."""
    if top is None or top.request.method not in MUTATING or top.event_ms is None:
        return None
    polled = "sent without an event, too" in top.reasons
    return None if polled or not 0 < top.request.status < 400 else top


def _reason(top: Ranked | None, obstacles: Sequence[str], by_hand: bool) -> str:
    if top is None:
        return "no request came of what was done: it is done by hand"
    shown = f"{top.request.method} request, score {top.score} ({', '.join(top.reasons)})"
    if obstacles:
        return f"the best request ({shown}) cannot be made again: {'; '.join(obstacles)}"
    fallback = "; if it cannot be sent, it is done by hand" if by_hand else ""
    return f"every value of the best request ({shown}) is known{fallback}"

"""Steps that act on a page: what each needs, and the call of the service that it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any

from perception.client import steps as batch_steps
from perception.interaction.image import wire_target
from perception.interaction.session_state import SessionState
from perception.interaction.step import Step
from perception.interaction.target import describe_target
from perception.interaction.verbs import VERB_BY_NAME, Request
from perception.v1 import action_service_pb2 as action_pb

PreparedStep = Callable[..., Awaitable[action_pb.ActionResult]]
"""A step that lacks only the options that all actions have."""


def check_step(do: str, given: Mapping[str, Any]) -> None:
    """Checks that a step has what it needs, and nothing that would have no effect.

    Args:
        do: a verb.
        given: the arguments that were given, by name.

    Raises:
        ValueError: it has not; the message says what is missing or too much.
    """
    verb = VERB_BY_NAME[do]
    for name in verb.needs:
        if name not in given:
            raise ValueError(f"({do}) needs {name}")
    if unused := sorted(given.keys() - set(verb.uses)):
        raise ValueError(f"({do}) takes {', '.join(verb.uses)}, and not {', '.join(unused)}")
    if do in ("fill", "type") and ("text" in given) == ("secret" in given):
        raise ValueError(f"({do}) needs text or secret, one of them")
    if do == "upload" and not _any_of(given, ("paths", "files", "local")):
        raise ValueError("(upload) needs files, or paths in the service's upload folder")
    if do == "scroll" and not _any_of(given, ("target", "dx", "dy")):
        raise ValueError("(scroll) needs dy in CSS px, or a target to bring into view")


def _any_of(given: Mapping[str, Any], names: Iterable[str]) -> bool:
    return any(given.get(name) for name in names)


def step_words(step: Step) -> str:
    """`fill e5`."""
    return step.do if step.target is None else f"{step.do} {describe_target(step.target)}"


def prepare_step(step: Step, state: SessionState) -> PreparedStep:
    """The client's call for a step. Raises BadInputError for what makes no request."""
    name, given, fields = _call_of(step, state)
    return partial(getattr(state.page, name), *given, **fields)


def batch_step(step: Step, state: SessionState) -> action_pb.BatchStep | None:
    """The same as a step of a batch; later steps go on where it takes the tab to another document. None for one that
    needs calls of its own: files that are streamed."""
    if step.local:
        return None
    name, given, fields = _call_of(step, state)
    made: action_pb.BatchStep = getattr(batch_steps, name)(*given, **fields, may_navigate=True)
    return made


def _call_of(step: Step, state: SessionState) -> Request:
    target, to = (None if each is None else wire_target(each, state.image) for each in (step.target, step.to))
    return VERB_BY_NAME[step.do].request(step, target, to)

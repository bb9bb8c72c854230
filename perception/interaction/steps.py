"""Steps that act on a page: what each needs, and the call of the service that it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from perception.client import steps as batch_steps
from perception.interaction.image import wire_target
from perception.interaction.session_state import SessionState
from perception.interaction.target import TargetValue, describe_target
from perception.v1 import action_service_pb2 as action_pb

NEEDS = {
    "click": ("target",),
    "hover": ("target",),
    "tap": ("target",),
    "drag": ("target", "to"),
    "fill": ("target",),
    "press": ("text",),
    "select": ("target", "options"),
    "check": ("target",),
    "uncheck": ("target",),
}
"""What a step cannot do without."""

USES = {
    "click": ("target", "button", "count", "modifiers", "hold"),
    "hover": ("target",),
    "tap": ("target", "hold"),
    "drag": ("target", "to"),
    "fill": ("target", "text", "secret", "submit", "keystrokes"),
    "type": ("target", "text", "secret", "submit", "keystrokes"),
    "press": ("target", "text"),
    "select": ("target", "options"),
    "check": ("target",),
    "uncheck": ("target",),
    "scroll": ("target", "dx", "dy"),
    "upload": ("target", "paths", "files", "local", "drop"),
}
"""What a step takes; anything else would have no effect, and is refused."""

PreparedStep = Callable[..., Awaitable[action_pb.ActionResult]]
"""A step that lacks only the options that all actions have."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        do: a key of `USES`; fill replaces, type adds.
        target: what it acts on; for type and press, None is where the focus is.
        to: where drag ends.
        text: for fill and type; for press a key such as `Control+A`.
        submit: press Enter afterwards.
        keystrokes: keys for all of the text, line ends too.
        secret: name of a stored secret, in place of the text.
        options: for select, by label or value.
        dx, dy: for scroll, CSS px; without them the target is brought into view.
        button, count, modifiers: of a click.
        hold: of a click or tap, seconds that the button or the finger stays down.
        paths: for upload, in the service's folder.
        files: for upload, contents by name.
        local: for upload, paths on the machine of the caller.
        drop: for upload, drops them on the target.
    """

    do: str
    target: TargetValue | None = None
    to: TargetValue | None = None
    text: str = ""
    submit: bool = False
    keystrokes: bool = False
    secret: str = ""
    options: Sequence[str] = ()
    dx: float = 0.0
    dy: float = 0.0
    button: str | None = None
    count: int | None = None
    modifiers: Sequence[str] | None = None
    hold: float | None = None
    paths: Sequence[str] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    local: Sequence[str] = ()
    drop: bool = False


def check_step(do: str, given: Mapping[str, Any]) -> None:
    """Checks that a step has what it needs, and nothing that would have no effect.

    Args:
        do: a key of `USES`.
        given: the arguments that were given, by name.

    Raises:
        ValueError: it has not; the message says what is missing or too much.
    """
    for name in NEEDS.get(do, ()):
        if name not in given:
            raise ValueError(f"({do}) needs {name}")
    if unused := sorted(given.keys() - set(USES[do])):
        raise ValueError(f"({do}) takes {', '.join(USES[do])}, and not {', '.join(unused)}")
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


def _call_of(step: Step, state: SessionState) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """The method of a page that a step is, which `client.steps` has too, and its arguments."""
    target: Any = wire_target(step.target, state.image) if step.target is not None else None
    match step.do:
        case "click":
            return (
                "click",
                (target,),
                {
                    "button": step.button,
                    "click_count": step.count,
                    "modifiers": step.modifiers or None,
                    "hold": step.hold,
                },
            )
        case "check" | "uncheck":
            return "check", (target, step.do == "check"), {}
        case "hover":
            return "hover", (target,), {}
        case "tap":
            return "tap", (target,), {"hold": step.hold}
        case "drag":
            assert step.to is not None
            return "drag", (target, wire_target(step.to, state.image)), {}
        case "fill" | "type":
            fields = {
                "clear": step.do == "fill",
                "submit": step.submit,
                "secret": step.secret or None,
                "keystrokes": step.keystrokes,
            }
            return "type_text", (target, step.text), fields
        case "press":
            return "press", (step.text, target), {}
        case "select":
            return "select", (target, *step.options), {}
        case "scroll":
            return "scroll", (step.dy, step.dx, target), {}
        case "upload" if step.local:
            return "upload_local", (target, *step.local), {"drop": step.drop}
        case "upload":
            return "upload", (target, *step.paths), {"contents": step.files, "drop": step.drop}
    raise AssertionError(step.do)

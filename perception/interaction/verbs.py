"""The table of verbs: what can be done to a page in one step. Data alone.

The shell has a command for each, MCP's `act` a step, and Playwright's names stand for some of them. All of them make a
`Step`, which is a call of the client or a step of its batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from perception.client import choices
from perception.interaction.written_arguments import Argument, Kind

if TYPE_CHECKING:
    from perception.interaction.step import Step  # `perception --help` loads this table, and no step


Request = tuple[str, tuple[Any, ...], Mapping[str, Any]]
"""The method of a page, which `client.steps` has too, and its arguments."""


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb.

    Attributes:
        name: as it is called everywhere.
        help: for people.
        arguments: what people write; each gives a field of a step.
        uses: fields of a step that it takes; others would have no effect, and are refused.
        needs: those of them that it cannot do without.
        request: what a step with these targets calls; `to` is where a drag ends.
        is_step: MCP's `act` has it.
    """

    name: str
    help: str
    arguments: tuple[Argument, ...]
    uses: tuple[str, ...]
    needs: tuple[str, ...]
    request: Callable[[Step, Any, Any], Request]
    is_step: bool = True


TARGET = Argument("TARGET", "A ref such as e5, a CSS selector, or x,y in CSS px.", Kind.TARGET)

_TYPING = (
    TARGET,
    Argument("TEXT", "What to type.", optional=True),
    Argument("--secret", "Name of a stored secret, in place of the text."),
    Argument("--submit", "Press Enter afterwards.", Kind.FLAG),
    Argument("--keystrokes", "Type all of it by keys, line ends too.", Kind.FLAG),
)

_TYPED = ("target", "text", "secret", "submit", "keystrokes")


def _click(step: Step, target: Any, _: Any) -> Request:
    options = {"button": step.button, "click_count": step.count, "modifiers": step.modifiers or None, "hold": step.hold}
    return "click", (target,), options


def _type(step: Step, target: Any, _: Any) -> Request:
    secret, clear = step.secret or None, step.do == "fill"
    options = {"clear": clear, "submit": step.submit, "secret": secret, "keystrokes": step.keystrokes}
    return "type_text", (target, step.text), options


def _upload(step: Step, target: Any, _: Any) -> Request:
    if step.local:
        return "upload_local", (target, *step.local), {"drop": step.drop}
    return "upload", (target, *step.paths), {"contents": step.files, "drop": step.drop}


VERBS = (
    Verb(
        "click",
        "Click an element.",
        (
            TARGET,
            Argument("--button", "Which button.", choices=get_args(choices.MouseButton)),
            Argument("--count", "Clicks: 2 for a double click.", Kind.WHOLE, least=1),
            Argument("--modifier", "A key that is held; may be repeated.", choices=get_args(choices.Modifier),
                     many=True, gives="modifiers"),
            Argument("--hold", "Seconds that the button stays down.", Kind.NUMBER, least=0),
        ),
        ("target", "button", "count", "modifiers", "hold"),
        ("target",),
        _click,
    ),
    Verb(
        "hover",
        "Move the pointer over an element.",
        (TARGET,),
        ("target",),
        ("target",),
        lambda _, target, __: ("hover", (target,), {}),
    ),
    Verb(
        "tap",
        "Touch an element with one finger, in a session whose screen takes touches.",
        (TARGET, Argument("--hold", "Seconds that the finger stays.", Kind.NUMBER, least=0)),
        ("target", "hold"),
        ("target",),
        lambda step, target, _: ("tap", (target,), {"hold": step.hold}),
        is_step=False,
    ),
    Verb(
        "drag",
        "Drag from one target to another.",
        (TARGET, Argument("TO", "Where it ends.", Kind.TARGET)),
        ("target", "to"),
        ("target", "to"),
        lambda _, target, to: ("drag", (target, to), {}),
    ),
    Verb("fill", "Type into a field, in place of what is there.", _TYPING, _TYPED, ("target",), _type),
    Verb(
        "type",
        "Type into a field, after what is there; `-` as target types where the focus is.",
        (*_TYPING, Argument("--clear", "Replace what is there.", Kind.FLAG)),
        _TYPED,
        (),
        _type,
    ),
    Verb(
        "press",
        "Press a key, such as Enter or Control+A.",
        (
            Argument("KEY", "The key.", gives="text"),
            Argument("TARGET", "Where. Default: the focus.", Kind.TARGET, optional=True),
        ),
        ("target", "text"),
        ("text",),
        lambda step, target, _: ("press", (step.text, target), {}),
    ),
    Verb(
        "select",
        "Select options of a list by label or value.",
        (TARGET, Argument("OPTION", "The options.", many=True, gives="options")),
        ("target", "options"),
        ("target", "options"),
        lambda step, target, _: ("select", (target, *step.options), {}),
    ),
    Verb(
        "check",
        "Make a checkbox, radio button or switch checked.",
        (TARGET,),
        ("target",),
        ("target",),
        lambda _, target, __: ("check", (target, True), {}),
    ),
    Verb(
        "uncheck",
        "Make a checkbox or switch unchecked.",
        (TARGET,),
        ("target",),
        ("target",),
        lambda _, target, __: ("check", (target, False), {}),
    ),
    Verb(
        "scroll",
        "Scroll, or bring an element into view.",
        (
            Argument("WHERE", "up, down, left or right; or a target, which is brought into view."),
            Argument("PX", "How far, CSS px. Default: 600.", Kind.NUMBER, optional=True),
            Argument("--target", "What to scroll in: an element that scrolls by itself.", Kind.TARGET),
        ),
        ("target", "dx", "dy"),
        (),
        lambda step, target, _: ("scroll", (step.dy, step.dx, target), {}),
    ),
    Verb(
        "upload",
        "Give files of this machine to a file field.",
        (
            Argument("TARGET", "As of `click`; `-` is the file chooser that is open.", Kind.TARGET),
            Argument("FILE", "The files.", many=True, gives="local"),
            Argument("--drop", "Drop them on the target, as from a window of another program.", Kind.FLAG),
        ),
        ("target", "paths", "files", "local", "drop"),
        (),
        _upload,
    ),
)  # fmt: skip

VERB_BY_NAME = {each.name: each for each in VERBS}

"""What is chosen by clicks: an option of a component's list, a suggestion for what was typed, one of several radio
buttons, a day of a calendar.

Rule: the choice is what a caller gives, and not the letters that were typed to find it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from perception.subroutines.context_text import describe_target
from perception.subroutines.parameter import Parameter
from perception.subroutines.parameter_names import author_names, names_of_field
from perception.subroutines.recording import Event

_CHOSEN = frozenset({"option", "menuitemradio", "radio"})

_OPENERS = frozenset({"combobox", "textbox", "searchbox", "button", "listbox"})
"""Roles of what opens a list of choices."""

_MAYBE_CHOSEN = _CHOSEN | {"gridcell", "menuitem", "menuitemcheckbox", "treeitem"}
"""Roles of what may be chosen by a click, or only be on the way to something else."""

_MAX_KEPT = 6
"""Choices that a sentence names."""

MAX_BETWEEN = 3
"""Steps between what opens a list and the choice, such as the next month of a calendar. Chosen by hand."""


def choice_parameter(index: int, recordings: Sequence[Sequence[Event]]) -> Parameter | None:
    """The parameter of a step that chooses; None for any other step, and for a choice that two recordings share.

    Args:
        index: of the step.
        recordings: events of each recording.
    """
    event, *varied = [events[index] for events in recordings]
    name = event.target.name
    if event.kind not in ("click", "toggle", "check") or not name or not _is_choice(event):
        return None
    if varied and all(each.target.name == name for each in varied):
        return None
    events = recordings[0]
    opener = next((at for at in range(index - 1, max(index - 2 - MAX_BETWEEN, -1), -1) if _opens(events[at])), None)
    filtered = (opener,) if opener is not None and choice_after(opener, events) == index else ()
    called = event if opener is None or event.field.name else events[opener]
    return Parameter(
        next(author_names(event.field.name), "") or next(names_of_field(called)),
        "string",
        f"Which {event.target.role}: {called.target.name}" if called is not event else f"Which {event.target.role}",
        (index, *filtered),
        name,
        required=bool(varied) or bool(filtered),
        others=tuple(each.target.name for each in varied),
    )


def choice_after(index: int, events: Sequence[Event]) -> int | None:
    """The step that chooses what a step has typed a part of; None where it is not such a part."""
    event = events[index]
    after = next((at for at in range(index + 1, len(events)) if events[at].kind != "hover"), None)
    if event.kind not in ("type", "write") or event.secret or after is None or not _is_choice(events[after]):
        return None
    typed = str(event.value).casefold().strip()
    return after if typed and typed in events[after].target.name.casefold() else None


def kept_choices(events: Sequence[Event], parameters: Sequence[Parameter]) -> str:
    """In words, what was chosen and is not a parameter, such as the state of a checkbox, and how it becomes one; ""
    where there is none.

    Args:
        events: of the one recording.
    """
    used = {index for each in parameters for index in each.steps}
    kept = dict.fromkeys(_choice_words(each) for index, each in enumerate(events) if index not in used)
    shown = [words for words in kept if words]
    if not shown:
        return ""
    more = f" and {len(shown) - _MAX_KEPT} more" if len(shown) > _MAX_KEPT else ""
    return (
        f"kept as recorded: {', '.join(shown[:_MAX_KEPT])}{more} (a second recording with other choices, given with "
        "this one, makes them parameters)"
    )


def _choice_words(event: Event) -> str:
    """A choice in words; "" for another step."""
    target = describe_target(event.target)
    if event.kind in ("check", "toggle") and isinstance(event.value, bool):
        return f"{target} {'on' if event.value else 'off'}"
    return target if event.kind == "click" and event.target.name and event.target.role in _MAYBE_CHOSEN else ""


def _is_choice(event: Event) -> bool:
    role = event.target.role
    if role == "gridcell":
        return re.search(r"\d", event.target.name) is not None
    return role in _CHOSEN and (event.kind != "check" or event.field.type == "radio")


def _opens(event: Event) -> bool:
    return event.kind in ("click", "type", "write", "press") and event.target.role in _OPENERS

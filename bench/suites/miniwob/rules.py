"""A rule policy for small tasks: parses an instruction into steps, and a step and a list into an action. Pure.

Rule 1: no task is known by its name: all decisions depend on the instruction and the list only.
Rule 2: what the rules do not understand is not done. If a step's element is not listed, closed containers (tabs,
sections) are opened first; then the plan ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from perception.bench.looks.grounding_policy import choose
from perception.bench.looks.look_output import ListedElement, LookOutput

SURE_NAME = 0.65
"""The matcher's score from which a listed name is the requested one: the exact words on an interactive element score 1,
on others 0.85, words misread by a letter in seven 0.8. Below, a closed container may have it."""

FIELDS = frozenset({"textbox", "searchbox", "spinbutton", "combobox"})

_CHOICE_ROLES: tuple[tuple[str, frozenset[str]], ...] = (
    ("radio", frozenset({"radio"})),
    ("checkbox", frozenset({"checkbox"})),
    ("link", frozenset({"link"})),
    ("tab", frozenset({"tab", "link"})),
    ("textarea", FIELDS),
    ("text area", FIELDS),
    ("textbox", FIELDS),
    ("text field", FIELDS),
    ("text", FIELDS),
    ("button", frozenset({"button"})),
)
"""Roles by the words for them, the most specific words first."""

_OPENERS = frozenset({"tab", "treeitem", "listitem"})
"""Roles of closed containers: clicked one after another while a name is not listed."""

_SAME = {"x": ("close", "×", "✕")}
"""Synonyms for names in an instruction: a cross is called Close by its pages."""

_HELD_PLACE = re.compile(r"\x00(\d+)\x00")
_BREAK = re.compile(
    r"[,.]? and then |[,.]? then |\. |, (?=(?:click|press|hit|paste|find|enter|type|wait)\b)"
    r"|,? and (?=(?:click|press|hit|submit|enter|type|paste|check|select|find)\b)",
    re.IGNORECASE,
)
_ORDINAL_NUMBER = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b")
_CHOOSE = re.compile(r"(?:select|choose|check|mark|pick) (?P<what>.+?)(?P<list> from the .*)?\.?", re.IGNORECASE)
_ENTER = re.compile(r"(?:enter|type|input|write|use the .+? to enter|paste) (?P<what>.+)", re.IGNORECASE)
_FOCUS = re.compile(r"focus (?:in|into|on) (?P<what>.+)", re.IGNORECASE)
_CLICK = re.compile(
    r"(?:.* by )?(?:find and )?(?:click(?:ing)?|press|hit|push|tap|close)\b(?: on)? ?(?P<what>.*)",
    re.IGNORECASE,
)
_EXPAND = re.compile(r"expand the section below", re.IGNORECASE)
_PREPARE = re.compile(r"(?:expand|switch|navigate|scroll) .*", re.IGNORECASE)
"""Words of opening steps, which are skipped: opening happens automatically if a name is not listed."""
_NAME_PAIR = re.compile(r"(?:the )?([\w ]+?) (\x00\d+\x00)")


class Verb(StrEnum):
    """The action on an element."""

    CLICK = "click"
    TYPE = "type"
    PICK = "pick"
    """Entries of a list, separated by commas."""


@dataclass(frozen=True, slots=True)
class TaskStep:
    """One step of an instruction.

    Attributes:
        name: the element's text; empty if only its kind is given.
        roles: allowed kinds; empty for any.
        ordinal: which one of its kind, from 1; 0 if not given.
        text: the text to type or pick.
    """

    verb: Verb
    name: str = ""
    roles: frozenset[str] = frozenset()
    ordinal: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Act:
    """The next action. `opens`: it only searches for the step's element."""

    verb: Verb
    element: ListedElement
    text: str = ""
    opens: bool = False


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """The remaining steps of an instruction, and what was opened while searching for the next step's element."""

    steps: tuple[TaskStep, ...]
    opened: frozenset[str] = frozenset()


_SUBMIT = TaskStep(Verb.CLICK, "Submit", frozenset({"button"}))


def read_instruction(words: str) -> TaskPlan:
    """The steps of an instruction; none if a part of it is not understood.

    Filled-in values are submitted at the end, requested or not; a task that is already done by then is not affected.
    """
    quotes = re.findall(r'"([^"]*)"', words)
    index = iter(range(len(quotes)))
    held = re.sub(r'"[^"]*"', lambda _: f"\x00{next(index)}\x00", words).strip()
    held = re.sub(r"(?:,? to )?\bfind and (?=click)", ". ", held, flags=re.IGNORECASE)
    steps: list[TaskStep] = []
    for clause in (part.strip(" .,") for part in _BREAK.split(held)):
        found = _read_clause(clause, quotes) if clause else ()
        if found is None:
            return TaskPlan(())
        steps.extend(found)
    if steps and steps[-1].name.casefold() != "submit":
        steps.append(_SUBMIT)
    return TaskPlan(tuple(steps))


def decide(plan: TaskPlan, seen: LookOutput) -> tuple[Act | None, TaskPlan]:
    """The next action on a page, and the plan after it; None and the same plan if nothing is left or possible."""
    if not plan.steps:
        return None, plan
    step, rest = plan.steps[0], plan.steps[1:]
    element = _find_exactly(step, seen)
    if element is None:
        for each in seen.elements:
            if each.interactive and each.reachable and each.role in _OPENERS and _key(each) not in plan.opened:
                return Act(Verb.CLICK, each, opens=True), replace(plan, opened=plan.opened | {_key(each)})
        element = _find_alike(step, seen)
    return (None, plan) if element is None else (Act(step.verb, element, step.text), TaskPlan(rest))


def _read_clause(clause: str, quotes: Sequence[str]) -> tuple[TaskStep, ...] | None:
    """() for a clause that requests nothing by itself, None for one that is not understood."""
    readers: tuple[
        tuple[re.Pattern[str], Callable[[re.Match[str], Sequence[str]], tuple[TaskStep, ...] | None]], ...
    ] = (
        (_EXPAND, lambda match, quotes: (TaskStep(Verb.CLICK, "", _OPENERS, 1),)),
        (_PREPARE, lambda match, quotes: ()),
        (_CHOOSE, _read_choice),
        (_ENTER, _read_entry),
        (_FOCUS, lambda match, quotes: _target(match["what"], quotes)),
        (_CLICK, lambda match, quotes: _target(match["what"], quotes)),
    )
    if clause.casefold() == "submit":
        return (_SUBMIT,)
    for pattern, reader in readers:
        match = pattern.fullmatch(clause)
        if match is not None:
            return reader(match, quotes)
    return None


def _read_choice(match: re.Match[str], quotes: Sequence[str]) -> tuple[TaskStep, ...] | None:
    what = match["what"]
    if " with the " in what or " as the " in what:
        return None  # sliders, spinners and calendars need more than a click
    if what.casefold() == "nothing":
        return ()
    if ">" in what:
        return tuple(TaskStep(Verb.CLICK, part.strip()) for part in what.split(">"))
    if match["list"]:
        return (TaskStep(Verb.PICK, roles=frozenset({"combobox", "listbox"}), text=_filled(what, quotes)),)
    if _ORDINAL_NUMBER.search(what) or _HELD_PLACE.search(what):
        return _target(what, quotes)
    return tuple(TaskStep(Verb.CLICK, part.strip()) for part in what.split(",") if part.strip())


def _read_entry(match: re.Match[str], quotes: Sequence[str]) -> tuple[TaskStep, ...] | None:
    """`"X" into the 2nd text field`, or `the username "X" and the password "Y" into the text fields`."""
    what, _, into = match["what"].partition(" into ")
    held = _HELD_PLACE.search(what)
    if held is None or "starts with" in what:
        return None  # the text to type would have to be found elsewhere or invented
    pairs = _NAME_PAIR.findall(what)
    if len(pairs) > 1:
        return tuple(
            TaskStep(Verb.TYPE, _bare(label), FIELDS, at, _filled(value, quotes))
            for at, (label, value) in enumerate(pairs, 1)
        )
    ordinal = _ORDINAL_NUMBER.search(into)
    fields = (1, 2) if "both" in into else (int(ordinal[1]) if ordinal else 1,)
    return tuple(TaskStep(Verb.TYPE, "", FIELDS, at, quotes[int(held[1])]) for at in fields)


def _target(what: str, quotes: Sequence[str]) -> tuple[TaskStep] | None:
    """An element in words: `the link "In"`, `button ONE`, `"No" button`, `the 3rd checkbox`, `Submit`, `Tab #1`."""
    ordinal, held = _ORDINAL_NUMBER.search(what), _HELD_PLACE.search(what)
    kind = _bare(_HELD_PLACE.sub("", what)).casefold()
    roles = _roles_of(kind)
    if held is not None and kind.endswith("widget"):
        return (TaskStep(Verb.CLICK, "", _roles_of(quotes[int(held[1])].casefold()), 1),)
    if held is not None:
        return (TaskStep(Verb.CLICK, quotes[int(held[1])], roles),)
    if ordinal is not None:
        return (TaskStep(Verb.CLICK, "", roles, int(ordinal[1])),) if roles else None
    if kind in dict(_CHOICE_ROLES):
        return (TaskStep(Verb.CLICK, "", roles, 1),)
    if kind == _SUBMIT.name.casefold():
        return (_SUBMIT,)
    name = re.sub(r"^(?:button|link) | (?:button|link)$", "", _bare(what), flags=re.IGNORECASE)
    return (TaskStep(Verb.CLICK, name, roles if name != _bare(what) else frozenset()),) if name else None


def _bare(words: str) -> str:
    """Without words before the noun."""
    return re.sub(r"^(?:(?:and|the|a|an|on) +)+", "", words.strip(" .,"), flags=re.IGNORECASE)


def _roles_of(words: str) -> frozenset[str]:
    return next((roles for word, roles in _CHOICE_ROLES if word in words), frozenset())


def _filled(text: str, quotes: Sequence[str]) -> str:
    return _HELD_PLACE.sub(lambda match: quotes[int(match[1])], text)


def _find_exactly(step: TaskStep, seen: LookOutput) -> ListedElement | None:
    """By its exact name, else by number among those of its kind."""
    for name in (step.name, *_SAME.get(step.name.casefold(), ())) if step.name else ():
        for elements in _groups(step, seen):
            for same in (_is_said, _is_said_in_any_case):
                found = _choose(name, [each for each in elements if same(name, each)], seen)
                if found is not None:
                    return found
    if step.name and not step.ordinal:
        return None
    kind = [each for each in seen.elements if each.interactive and each.reachable and each.role in step.roles]
    at = max(step.ordinal, 1) - 1
    return kind[at] if at < len(kind) else None


def _find_alike(step: TaskStep, seen: LookOutput) -> ListedElement | None:
    """By its text, misread or among other words."""
    found = (_choose(step.name, elements, seen) for elements in _groups(step, seen))
    return next(filter(None, found), None) if step.name else None


def _groups(step: TaskStep, seen: LookOutput) -> list[Sequence[ListedElement]]:
    """Elements of the requested kind, then all: a page may make a button of anything, but not a field."""
    able = [each for each in seen.elements if each.role in step.roles]
    return [able] if step.roles & FIELDS else [able, seen.elements]


def _choose(name: str, elements: Sequence[ListedElement], seen: LookOutput) -> ListedElement | None:
    choice = choose(f'"{name}"', replace(seen, elements=tuple(elements)))
    return choice.element if choice is not None and choice.score >= SURE_NAME else None


def _is_said(name: str, element: ListedElement) -> bool:
    return name in (element.name.strip(), element.text.strip())


def _is_said_in_any_case(name: str, element: ListedElement) -> bool:
    return name.casefold() in (element.name.strip().casefold(), element.text.strip().casefold())


def _key(element: ListedElement) -> str:
    return element.ref or f"{element.role} {element.name} {element.box}"

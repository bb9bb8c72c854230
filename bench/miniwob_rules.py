"""A rule policy for small tasks: an instruction in words becomes steps, a step and a list of elements an act. Pure.

Rule 1: no task is known by its name: everything is decided from the instruction and from what is listed.
Rule 2: what the rules do not understand is left undone. A step whose element is not listed first opens what may hold
it (tabs, sections), then the plan ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from perception.bench.policy import choose
from perception.bench.seen import Seen, SeenElement

POLICY = "miniwob-rules-2"
"""Changes when its decisions may: figures of two versions are not to be compared."""

SURE = 0.65
"""The matcher's score from which a listed name is the one that was asked for: the very words on something to act on
score 1, on something else 0.85, words misread by a letter in seven 0.8. Below, something closed may hold it."""

FIELDS = frozenset({"textbox", "searchbox", "spinbutton", "combobox"})

_ROLES: tuple[tuple[str, frozenset[str]], ...] = (
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
"""Roles by the words for them, the more special words first."""

_OPENERS = frozenset({"tab", "treeitem", "listitem"})
"""Roles of what may hold more: clicked one after another while a name is not listed."""

_SAME = {"x": ("close", "×", "✕")}
"""What else may be written on what an instruction names: a cross is called Close by the pages that name it."""

_HELD = re.compile(r"\x00(\d+)\x00")
_BREAK = re.compile(
    r"[,.]? and then |[,.]? then |\. |, (?=(?:click|press|hit|paste|find|enter|type|wait)\b)"
    r"|,? and (?=(?:click|press|hit|submit|enter|type|paste|check|select|find)\b)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b")
_CHOOSE = re.compile(r"(?:select|choose|check|mark|pick) (?P<what>.+?)(?P<list> from the .*)?\.?", re.IGNORECASE)
_ENTER = re.compile(r"(?:enter|type|input|write|use the .+? to enter|paste) (?P<what>.+)", re.IGNORECASE)
_FOCUS = re.compile(r"focus (?:in|into|on) (?P<what>.+)", re.IGNORECASE)
_CLICK = re.compile(
    r"(?:.* by )?(?:find and )?(?:click(?:ing)?|press|hit|push|tap|close)\b(?: on)? ?(?P<what>.*)",
    re.IGNORECASE,
)
_EXPAND = re.compile(r"expand the section below", re.IGNORECASE)
_PREPARE = re.compile(r"(?:expand|switch|navigate|scroll) .*", re.IGNORECASE)
"""What only opens the way: opening happens by itself when a name is not listed."""
_PAIR = re.compile(r"(?:the )?([\w ]+?) (\x00\d+\x00)")


class Verb(StrEnum):
    """What is done with an element."""

    CLICK = "click"
    TYPE = "type"
    PICK = "pick"
    """Entries of a list, with commas between them."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that an instruction asks for.

    Attributes:
        name: what is written on the element; empty where only its kind is said.
        roles: kinds it may be of; empty for any.
        ordinal: which one of its kind, from 1; 0 where that is not said.
        text: what is typed or picked.
    """

    verb: Verb
    name: str = ""
    roles: frozenset[str] = frozenset()
    ordinal: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Act:
    """What to do now. `opens`: it only looks for the step's element."""

    verb: Verb
    element: SeenElement
    text: str = ""
    opens: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What is left of an instruction, and what was opened while looking for its next step."""

    steps: tuple[Step, ...]
    opened: frozenset[str] = frozenset()


_SUBMIT = Step(Verb.CLICK, "Submit", frozenset({"button"}))


def read_instruction(words: str) -> Plan:
    """The steps of an instruction; none where a part of it is not understood.

    What is filled in is sent in the end, said or not; a task that is done by then never comes to that.
    """
    quotes = re.findall(r'"([^"]*)"', words)
    index = iter(range(len(quotes)))
    held = re.sub(r'"[^"]*"', lambda _: f"\x00{next(index)}\x00", words).strip()
    held = re.sub(r"(?:,? to )?\bfind and (?=click)", ". ", held, flags=re.IGNORECASE)
    steps: list[Step] = []
    for clause in (part.strip(" .,") for part in _BREAK.split(held)):
        found = _read_clause(clause, quotes) if clause else ()
        if found is None:
            return Plan(())
        steps.extend(found)
    if steps and steps[-1].name.casefold() != "submit":
        steps.append(_SUBMIT)
    return Plan(tuple(steps))


def decide(plan: Plan, seen: Seen) -> tuple[Act | None, Plan]:
    """What to do on a page, and the plan after it; None and the same plan where nothing is left or can be done."""
    if not plan.steps:
        return None, plan
    step, rest = plan.steps[0], plan.steps[1:]
    element = _find_exactly(step, seen)
    if element is None:
        for each in seen.elements:
            if each.interactive and each.reachable and each.role in _OPENERS and _key(each) not in plan.opened:
                return Act(Verb.CLICK, each, opens=True), replace(plan, opened=plan.opened | {_key(each)})
        element = _find_alike(step, seen)
    return (None, plan) if element is None else (Act(step.verb, element, step.text), Plan(rest))


def _read_clause(clause: str, quotes: Sequence[str]) -> tuple[Step, ...] | None:
    """() for a clause that asks for nothing by itself, None for one that is not understood."""
    readers: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Sequence[str]], tuple[Step, ...] | None]], ...] = (
        (_EXPAND, lambda match, quotes: (Step(Verb.CLICK, "", _OPENERS, 1),)),
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


def _read_choice(match: re.Match[str], quotes: Sequence[str]) -> tuple[Step, ...] | None:
    what = match["what"]
    if " with the " in what or " as the " in what:
        return None  # sliders, spinners and calendars take more than a click
    if what.casefold() == "nothing":
        return ()
    if ">" in what:
        return tuple(Step(Verb.CLICK, part.strip()) for part in what.split(">"))
    if match["list"]:
        return (Step(Verb.PICK, roles=frozenset({"combobox", "listbox"}), text=_filled(what, quotes)),)
    if _ORDINAL.search(what) or _HELD.search(what):
        return _target(what, quotes)
    return tuple(Step(Verb.CLICK, part.strip()) for part in what.split(",") if part.strip())


def _read_entry(match: re.Match[str], quotes: Sequence[str]) -> tuple[Step, ...] | None:
    """`"X" into the 2nd text field`, or `the username "X" and the password "Y" into the text fields`."""
    what, _, into = match["what"].partition(" into ")
    held = _HELD.search(what)
    if held is None or "starts with" in what:
        return None  # what is to be typed must be looked up or thought up
    pairs = _PAIR.findall(what)
    if len(pairs) > 1:
        return tuple(
            Step(Verb.TYPE, _bare(label), FIELDS, at, _filled(value, quotes))
            for at, (label, value) in enumerate(pairs, 1)
        )
    ordinal = _ORDINAL.search(into)
    fields = (1, 2) if "both" in into else (int(ordinal[1]) if ordinal else 1,)
    return tuple(Step(Verb.TYPE, "", FIELDS, at, quotes[int(held[1])]) for at in fields)


def _target(what: str, quotes: Sequence[str]) -> tuple[Step] | None:
    """An element in words: `the link "In"`, `button ONE`, `"No" button`, `the 3rd checkbox`, `Submit`, `Tab #1`."""
    ordinal, held = _ORDINAL.search(what), _HELD.search(what)
    kind = _bare(_HELD.sub("", what)).casefold()
    roles = _roles_of(kind)
    if held is not None and kind.endswith("widget"):
        return (Step(Verb.CLICK, "", _roles_of(quotes[int(held[1])].casefold()), 1),)
    if held is not None:
        return (Step(Verb.CLICK, quotes[int(held[1])], roles),)
    if ordinal is not None:
        return (Step(Verb.CLICK, "", roles, int(ordinal[1])),) if roles else None
    if kind in dict(_ROLES):
        return (Step(Verb.CLICK, "", roles, 1),)
    if kind == _SUBMIT.name.casefold():
        return (_SUBMIT,)
    name = re.sub(r"^(?:button|link) | (?:button|link)$", "", _bare(what), flags=re.IGNORECASE)
    return (Step(Verb.CLICK, name, roles if name != _bare(what) else frozenset()),) if name else None


def _bare(words: str) -> str:
    """Without what stands before a noun."""
    return re.sub(r"^(?:(?:and|the|a|an|on) +)+", "", words.strip(" .,"), flags=re.IGNORECASE)


def _roles_of(words: str) -> frozenset[str]:
    return next((roles for word, roles in _ROLES if word in words), frozenset())


def _filled(text: str, quotes: Sequence[str]) -> str:
    return _HELD.sub(lambda match: quotes[int(match[1])], text)


def _find_exactly(step: Step, seen: Seen) -> SeenElement | None:
    """By its very name, else by number among those of its kind."""
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


def _find_alike(step: Step, seen: Seen) -> SeenElement | None:
    """By what is written on it, misread or among other words."""
    found = (_choose(step.name, elements, seen) for elements in _groups(step, seen))
    return next(filter(None, found), None) if step.name else None


def _groups(step: Step, seen: Seen) -> list[Sequence[SeenElement]]:
    """Those of the kind that was asked for, then all: a page may make a button of anything, but not a field."""
    able = [each for each in seen.elements if each.role in step.roles]
    return [able] if step.roles & FIELDS else [able, seen.elements]


def _choose(name: str, elements: Sequence[SeenElement], seen: Seen) -> SeenElement | None:
    choice = choose(f'"{name}"', replace(seen, elements=tuple(elements)))
    return choice.element if choice is not None and choice.score >= SURE else None


def _is_said(name: str, element: SeenElement) -> bool:
    return name in (element.name.strip(), element.text.strip())


def _is_said_in_any_case(name: str, element: SeenElement) -> bool:
    return name.casefold() in (element.name.strip().casefold(), element.text.strip().casefold())


def _key(element: SeenElement) -> str:
    return element.ref or f"{element.role} {element.name} {element.box}"

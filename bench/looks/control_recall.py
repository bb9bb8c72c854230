"""Recall of the reachable, named controls of Chromium's accessibility tree, by a list's text only. Pure.

Rule 1: lists with and without boxes are judged alike: a control is found if a line has its role and name. For several
equal controls a list must have as many lines.
Rule 2: role and name are the tree's; reachability is Chromium's hit test (`datasets/truth/truth.py`).
Rule 3: names are compared without glyphs of icon fonts and invisible characters, ignoring case, with white space
collapsed: in the tree, case follows the style. A name of glyphs only counts as none.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from perception.bench.looks.look_output import LookOutput
from perception.bench.looks.peer_lists import is_peer
from perception.bench.scores import Tally
from perception.browser.capture.axtree import role_of
from perception.datasets.sample import AxNode, Sample, TruthElement
from perception.render.icon_fonts import is_glyph

Control = tuple[str, str]
"""Role and folded name."""

_LINE = re.compile(r'\s*- (?P<role>[^\s:\["]+)(?: (?P<name>"(?:[^"\\]|\\.)*"))?(?=[\s:]|$)')
"""The beginning of a line of our role-ref text: role, name as JSON."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A control that a list does not have by role and name. `why` is what it has instead."""

    role: str
    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Recall:
    """How many of the controls a list has.

    Attributes:
        pairs: by role and name.
        names: by name, regardless of role.
        misses: controls without their pair, in the tree's order.
    """

    pairs: Tally
    names: Tally
    misses: tuple[Miss, ...]


def recall_of(sample: Sample, seen: LookOutput) -> Recall | None:
    """How much of a sample's reachable, named controls a list names. None if unknown: the sample has no tree (an image)
    or no such control, or the list has an unsupported form (the compact style)."""
    controls, listed = reachable_controls(sample), listed_pairs(seen)
    if not controls or listed is None:
        return None
    names: Counter[str] = Counter()
    for (_, name), count in listed.items():
        names[name] += count
    left, misses = Counter(listed), []
    for role, name in controls:
        if left[role, name] > 0:
            left[role, name] -= 1
        else:
            misses.append(Miss(role, name, _why(role, name, listed)))
    wanted = Counter(name for _, name in controls)
    found = sum((wanted & names).values())
    count = len(controls)
    return Recall(Tally(count - len(misses), count), Tally(found, count), tuple(misses))


def reachable_controls(sample: Sample) -> list[Control]:
    """The interactive, named nodes of the tree that a click in the viewport reaches, in tree order."""
    reached: dict[int, list[TruthElement]] = {}
    for each in sample.truth:
        if each.reachable and each.backend_node_id is not None:
            reached.setdefault(each.backend_node_id, []).append(each)
    return [
        (node.role, fold_name(node.name))
        for node in sample.ax
        if node.interactive and fold_name(node.name) and _is_among(node, reached.get(node.backend_node_id, ()))
    ]


def listed_pairs(seen: LookOutput) -> Counter[Control] | None:
    """The lines of a list, by role and folded name. None for a text of an unsupported form.

    A peer's control without a name counts as named by its text.
    """
    if is_peer(seen.who):
        return Counter((_aria(each.role), fold_name(each.name or each.text)) for each in seen.elements)
    lines = [line for line in map(_LINE.match, seen.text.splitlines()) if line]
    if seen.text and not lines:
        return None
    return Counter((line["role"], fold_name(json.loads(line["name"] or '""'))) for line in lines)


def fold_name(name: str) -> str:
    """A name, normalized for comparison."""
    return " ".join("".join(char for char in name if not _is_unseen(char)).casefold().split())


def _is_unseen(char: str) -> bool:
    """Matches glyphs of icon fonts, and format characters such as U+200B (category Cf)."""
    return is_glyph(char) or unicodedata.category(char) == "Cf"


def _aria(role: str) -> str:
    """agent-browser writes the roles of Chromium's tree unchanged."""
    return role_of({"role": {"value": role}})


def _is_among(node: AxNode, reached: Iterable[TruthElement]) -> bool:
    """Node ids are per process: of the nodes of two frames with one id, the one with the same role and name."""
    return any(each.role == node.role and (each.name == node.name or not each.name) for each in reached)


def _why(role: str, name: str, listed: Counter[Control]) -> str:
    """What the list has instead of a control, as far as names show."""
    if listed[role, name]:
        return "fewer of this role and name"
    if roles := sorted({each for each, said in listed if said == name}):
        return f"as {', '.join(roles)}"
    near = (said for each, said in listed if each == role and len(said) > 1 and (said in name or name in said))
    return "another name, in part the same" if any(near) else "not listed by this name"

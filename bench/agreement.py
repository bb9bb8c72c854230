"""How far our page walker says what Chromium's own accessibility tree says, node by node; peers by role and name.

A peer's list names no nodes, so that only its pairs of role and name can be compared: that is done for ours, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from perception.bench.seen import Score, Seen, Tally
from perception.datasets.sample import AxNode, Sample
from perception.geometry import Box
from perception.glyphs import is_glyph
from perception.types import Element

WALKER = "walker"

MAX_EXAMPLES = 200
"""Disagreements that are kept to be shown."""

ALIKE = 3
"""Of one kind on one page: a table's rows all differ alike."""


class Agreement(StrEnum):
    """Each a share of what it says first; higher is better."""

    LISTED = "controls of the tree that are listed"
    INTERACTIVE = "of those, listed as interactive"
    ROLES = "nodes of both with the same role"
    NAMES = "nodes of both with the same name"
    PAIRS = "controls found by role and name"
    EXTRA = "interactive elements that the tree does not have"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One node of which the two say different things."""

    sample: str
    what: str
    tree: str
    walker: str


@dataclass(slots=True)
class AgreementReport:
    """`roles` counts pairs (tree's, walker's) of different roles."""

    scores: dict[str, list[Score]] = field(default_factory=dict)
    roles: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: list[Disagreement] = field(default_factory=list)

    def add(self, sample: Sample, peers: Sequence[Seen]) -> None:
        """Takes one sample in; one without an accessibility tree (an image, a twin) says nothing."""
        if not sample.ax or sample.capture is None:
            return
        shown = [node for node in sample.ax if _is_shown(node.box, sample.viewport.box)]
        self._compare(sample, _pair_nodes(shown, sample.capture.elements), sample.capture.elements)
        controls = Counter(_pair(node.role, node.name) for node in shown if node.interactive)
        for seen in peers:
            pairs = Counter(_pair(each.role, each.name) for each in seen.elements)
            self._put(sample, seen.who, {Agreement.PAIRS: _found(controls, pairs)})

    def _compare(self, sample: Sample, pairs: list[tuple[AxNode, Element | None]], elements: Sequence[Element]) -> None:
        both = [(node, element) for node, element in pairs if element is not None]
        controls = [(node, element) for node, element in pairs if node.interactive]
        listed = [element for _, element in controls if element is not None]
        names = sum(_fold(node.name) == _fold(element.name) for node, element in both)
        said = Counter(_pair(each.role, each.name) for each in elements if each.in_viewport)
        in_tree = {id(element) for element in listed}
        extra = sum(each.interactive and each.in_viewport and id(each) not in in_tree for each in elements)
        tallies = {
            Agreement.LISTED: Tally(len(listed), len(controls)),
            Agreement.INTERACTIVE: Tally(sum(element.interactive for element in listed), len(listed)),
            Agreement.ROLES: Tally(sum(node.role == element.role for node, element in both), len(both)),
            Agreement.NAMES: Tally(names, len(both)),
            Agreement.PAIRS: _found(Counter(_pair(node.role, node.name) for node, _ in controls), said),
            Agreement.EXTRA: Tally(extra, 1),
        }
        self._put(sample, WALKER, tallies)
        self._note(sample, both, [node for node, element in controls if element is None])

    def _note(self, sample: Sample, both: list[tuple[AxNode, Element]], unlisted: list[AxNode]) -> None:
        for node, element in both:
            if node.role != element.role:
                self.roles[node.role, element.role] += 1
                self._example(sample, "role", f'{node.role} "{node.name}"', f'{element.role} "{element.name}"')
            elif _fold(node.name) != _fold(element.name):
                self._example(sample, f"name of {node.role}", node.name, element.name)
        for node in unlisted:
            self._example(sample, "not listed", f'{node.role} "{node.name}"', "")

    def _example(self, sample: Sample, what: str, tree: str, walker: str) -> None:
        alike = sum(each.what == what and each.sample.startswith(sample.page) for each in self.examples)
        if len(self.examples) < MAX_EXAMPLES and alike < ALIKE:
            self.examples.append(Disagreement(sample.name, what, tree[:120], walker[:120]))

    def _put(self, sample: Sample, who: str, tallies: dict[Agreement, Tally]) -> None:
        kept = {str(measure): tally for measure, tally in tallies.items() if tally.of}
        score = Score(sample.name, who, sample.page, sample.category, sample.stratum.value, kept)
        self.scores.setdefault(who, []).append(score)


def _found(wanted: Counter[tuple[str, str]], there: Counter[tuple[str, str]]) -> Tally:
    return Tally(sum((wanted & there).values()), sum(wanted.values()))


def _pair(role: str, name: str) -> tuple[str, str]:
    return role, _fold(name)


def _fold(text: str) -> str:
    """White space collapsed, without the glyphs of icon fonts: our names leave them out, and the tree's are read so."""
    return " ".join("".join(char for char in text if not is_glyph(char)).split())


def _pair_nodes(nodes: Sequence[AxNode], elements: Sequence[Element]) -> list[tuple[AxNode, Element | None]]:
    """Each of the tree's nodes with the element that is listed for it.

    Ids of nodes are of one process, so that two frames may have the same: the boxes must meet, too.
    """
    by_id: dict[int, list[Element]] = {}
    for each in elements:
        if each.backend_node_id is not None:
            by_id.setdefault(each.backend_node_id, []).append(each)
    return [
        (node, next((each for each in by_id.get(node.backend_node_id, ()) if _meet(node.box, each.box)), None))
        for node in nodes
    ]


def _meet(box: Box, other: Box) -> bool:
    return box.left <= other.right and other.left <= box.right and box.top <= other.bottom and other.top <= box.bottom


def _is_shown(box: Box, viewport: Box) -> bool:
    return box.area > 0 and box.intersect(viewport) is not None

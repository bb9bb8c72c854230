"""Compares the page walker with Chromium's own accessibility tree, node by node.

Rule 1: every node counts that the tree does not ignore, in every frame, in view or not. Exceptions are text, which is
compared as text, and the inside of native controls (the parts of a date, the button of a file input), which is one
control except for the browser.
Rule 2: words are compared: case, white space and glyphs of icon fonts do not count, since the tree has text as it is
drawn (`text-transform`), and Chromium's own roles are mapped to ARIA's (`perception.browser.capture.axtree`).
Rule 3: if the tree has no name, one of ours (a tooltip, a placeholder) is not a disagreement; it is counted separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from perception.bench.scores import Score, Tally
from perception.browser.capture.axtree import INTERACTIVE_ROLES
from perception.render.icon_fonts import is_glyph

OPERATED_ROLES = INTERACTIVE_ROLES - {"scrollbar"}

NAMELESS_ROLES = frozenset(
    "caption code definition deletion emphasis generic insertion mark none paragraph strong suggestion".split()
)
"""Roles that must not have a name (ARIA 1.2 §5.2.8.5). The tree names some all the same: the cells of a layout table
and the focused element are named by their text."""


class NodeKind(StrEnum):
    """The kind of a tree node."""

    CONTROL = "controls"
    CONTENT = "named content"
    NAMELESS = "named all the same, of roles without names"
    OTHER = "without a name"


@dataclass(frozen=True, slots=True)
class ComparedNode:
    """A node of the tree, with our facts of the same element.

    Attributes:
        listed: a snapshot of the page has it; our facts are taken from there.
        markup: the start of the element's markup, to find it again.
    """

    role: str
    name: str
    our_role: str
    our_name: str
    listed: bool = False
    markup: str = ""

    @property
    def kind(self) -> NodeKind:
        if self.role in OPERATED_ROLES:
            return NodeKind.CONTROL
        if not fold(self.name):
            return NodeKind.OTHER
        return NodeKind.NAMELESS if self.role in NAMELESS_ROLES else NodeKind.CONTENT

    @property
    def same_role(self) -> bool:
        return self.role == self.our_role

    @property
    def same_name(self) -> bool:
        """Also if only we have one."""
        return not fold(self.name) or fold(self.name) == fold(self.our_name)

    @property
    def named_by_us(self) -> bool:
        return not fold(self.name) and bool(fold(self.our_name))


@dataclass(frozen=True, slots=True)
class PageNodes:
    """A page's nodes, and its text: the words of the tree, and those of them that a snapshot lists."""

    page: str
    nodes: tuple[ComparedNode, ...]
    words: Tally


@dataclass(frozen=True, slots=True)
class AgreementRun:
    """A run: every node of every page. `failed`: why pages could not be read, by page."""

    pages: tuple[PageNodes, ...]
    failed: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AgreementDifference:
    """A class of differences: both values, and the likely reason."""

    what: str
    why: str
    nodes: int
    examples: tuple[tuple[str, ComparedNode], ...]


@dataclass(slots=True)
class AgreementCounts:
    """Nodes of one kind."""

    of: int = 0
    role: int = 0
    name: int = 0
    both: int = 0
    listed: int = 0
    ours_alone: int = 0

    def add(self, node: ComparedNode) -> None:
        self.of += 1
        self.role += node.same_role
        self.name += node.same_name
        self.both += node.same_role and node.same_name
        self.listed += node.listed
        self.ours_alone += node.named_by_us


@dataclass(frozen=True, slots=True)
class Agreement:
    """All pages together; shares are of nodes."""

    pages: int
    kinds: Mapping[NodeKind, AgreementCounts]
    roles: Mapping[str, AgreementCounts]
    words: Tally
    differences: tuple[AgreementDifference, ...]


DIFFERENCE_EXAMPLES = 5
"""Examples of one class of differences, each from another page."""


def judge(pages: Sequence[PageNodes]) -> Agreement:
    """Counts agreements, and groups the differences by class, the largest first."""
    kinds = {kind: AgreementCounts() for kind in NodeKind}
    roles: dict[str, AgreementCounts] = {}
    for node in (node for page in pages for node in page.nodes):
        kinds[node.kind].add(node)
        if node.kind in (NodeKind.CONTROL, NodeKind.CONTENT):
            roles.setdefault(node.role, AgreementCounts()).add(node)
    words = Tally(sum(page.words.hit for page in pages), sum(page.words.of for page in pages))
    by_size = dict(sorted(roles.items(), key=lambda item: -item[1].of))
    return Agreement(len(pages), kinds, by_size, words, tuple(_differences(pages)))


def page_scores(pages: Sequence[PageNodes]) -> list[Score]:
    """By page: how many nodes of each kind have the same role and name, and how many words are listed."""
    scores = []
    for page in pages:
        counts = {kind: AgreementCounts() for kind in NodeKind}
        for node in page.nodes:
            counts[node.kind].add(node)
        tallies = {f"role and name, {kind}": Tally(each.both, each.of) for kind, each in counts.items() if each.of}
        words = {"words of the tree that are listed": page.words} if page.words.of else {}
        scores.append(Score(page.page, "walker", page.page, "", "", tallies | words))
    return scores


def _differences(pages: Iterable[PageNodes]) -> list[AgreementDifference]:
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], dict[str, ComparedNode]] = {}
    for page in pages:
        for node in page.nodes:
            found = explain(node)
            if found is not None:
                counts[found] += 1
                examples.setdefault(found, {}).setdefault(page.page, node)
    return [
        AgreementDifference(*found, count, tuple(list(examples[found].items())[:DIFFERENCE_EXAMPLES]))
        for found, count in counts.most_common()
    ]


UNEXPLAINED = "not explained"

LONG = 100
"""Letters. Chromium (156) takes about a hundred nodes into one name at most, and so do we; no rule specifies which
nodes count."""


def explain(node: ComparedNode) -> tuple[str, str] | None:
    """The difference and its reason; None if there is none."""
    if node.same_role and node.same_name and not node.named_by_us:
        return None
    if not node.same_role:
        return f"role: {node.role} in the tree, {node.our_role} with us ({node.kind})", _why_role(node)
    if node.named_by_us:
        return f"name of {node.role}: ours alone ({node.kind})", _why_ours_alone(node)
    return f"name of {node.role} ({node.kind})", _why_name(node)


def _why_role(node: ComparedNode) -> str:
    if node.our_role == "textbox" and "contenteditable" in node.markup:
        return "one types into it; the tree leaves an editable element without a role generic"
    if node.our_role == "img" and node.role in ("generic", "none", *OPERATED_ROLES):
        return "listed as the picture that it is drawn as, so that vision may read it"
    if node.kind is NodeKind.OTHER:
        return "it has no name in the tree, so that it says nothing"
    return UNEXPLAINED


def _why_ours_alone(node: ComparedNode) -> str:
    if node.role == "row":
        return "a row is called by its cells; the tree names rows of grids alone"
    if node.role in NAMELESS_ROLES:
        return "what only a pointer knows of is called by its text, so that it can be distinguished from others"
    if node.role == "figure":
        return "a figure is called by its caption"
    return "a tooltip, placeholder or label that the tree leaves to the description"


def _why_name(node: ComparedNode) -> str:
    if squeeze(node.name) == squeeze(node.our_name):
        return "the same letters; the words are set apart elsewhere"
    if node.role == "row":
        return "a row is called by what its cells show; the tree takes a cell's label in its place"
    if node.role == "combobox" and not node.our_name:
        return "what is chosen is its value, and would be another name after each choice"
    if squeeze(node.name) == squeeze(node.our_name).replace("^", ""):
        return "the same letters; those that are raised are marked"
    if "•" in node.name:
        return "a password's dots: it leaves the page in no form"
    if len(node.name) > LONG and fold(node.name)[:LONG] == fold(node.our_name)[:LONG]:
        return "as long as a part of the page, both cut it off somewhere"
    if node.kind is NodeKind.NAMELESS:
        return "the tree calls it by all its text, which is listed by itself"
    return UNEXPLAINED


def fold(text: str) -> str:
    """Its words in normalized form: lower case, single spaces, without the glyphs of icon fonts."""
    return " ".join("".join(" " if is_glyph(char) else char for char in text).split()).casefold()


def squeeze(text: str) -> str:
    """Its letters only."""
    return fold(text).replace(" ", "")


def count_words(texts: Iterable[str]) -> Counter[str]:
    """How often each word is in texts."""
    return Counter(word for text in texts for word in fold(text).split())

"""How far our page walker says what Chromium's own accessibility tree says, node by node.

Rule 1: every node counts that the tree does not ignore, in every frame, in view or not. Two kinds do not: text, which
is compared as text, and the inside of native controls (the parts of a date, the button of a file input), which is one
control for everybody but the browser.
Rule 2: compared are words: case, white space and the glyphs of icon fonts do not count, since the tree has text as it
is drawn (`text-transform`), and Chromium's own roles are read as ARIA's (`perception.browser.axtree`).
Rule 3: where the tree has no name, one of ours (a tooltip, a placeholder) is no disagreement; it is counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from perception.bench.seen import Tally
from perception.browser.axtree import INTERACTIVE_ROLES
from perception.glyphs import is_glyph

CONTROLS = INTERACTIVE_ROLES - {"scrollbar"}

NAMELESS_ROLES = frozenset(
    "caption code definition deletion emphasis generic insertion mark none paragraph strong suggestion".split()
)
"""ARIA 1.2 §5.2.8.5: these may have no name. The tree gives some one all the same: the cells of a layout table and
whatever has the focus are called by their text."""


class Kind(StrEnum):
    """What a node of the tree is."""

    CONTROL = "controls"
    CONTENT = "named content"
    NAMELESS = "named all the same, of roles without names"
    OTHER = "without a name"


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the tree, beside what we say of the same element.

    Attributes:
        listed: a snapshot of the page has it; what we say is taken from there.
        markup: how the element begins, to be found again.
    """

    role: str
    name: str
    our_role: str
    our_name: str
    listed: bool = False
    markup: str = ""

    @property
    def kind(self) -> Kind:
        if self.role in CONTROLS:
            return Kind.CONTROL
        if not fold(self.name):
            return Kind.OTHER
        return Kind.NAMELESS if self.role in NAMELESS_ROLES else Kind.CONTENT

    @property
    def same_role(self) -> bool:
        return self.role == self.our_role

    @property
    def same_name(self) -> bool:
        """Also where only we have one."""
        return not fold(self.name) or fold(self.name) == fold(self.our_name)

    @property
    def named_by_us(self) -> bool:
        return not fold(self.name) and bool(fold(self.our_name))


@dataclass(frozen=True, slots=True)
class PageNodes:
    """A page's nodes, and its text: words that the tree has, and those of them that a snapshot lists."""

    page: str
    nodes: tuple[Node, ...]
    words: Tally


@dataclass(frozen=True, slots=True)
class Difference:
    """A class of differences: what the two say, and why they may."""

    what: str
    why: str
    nodes: int
    examples: tuple[tuple[str, Node], ...]


@dataclass(slots=True)
class Agreed:
    """Nodes of one kind."""

    of: int = 0
    role: int = 0
    name: int = 0
    both: int = 0
    listed: int = 0
    ours_alone: int = 0

    def add(self, node: Node) -> None:
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
    kinds: Mapping[Kind, Agreed]
    roles: Mapping[str, Agreed]
    words: Tally
    differences: tuple[Difference, ...]


EXAMPLES = 5
"""Of one class of differences, from as many pages."""


def judge(pages: Sequence[PageNodes]) -> Agreement:
    """Counts what agrees, and sorts what does not by class, the largest first."""
    kinds = {kind: Agreed() for kind in Kind}
    roles: dict[str, Agreed] = {}
    for node in (node for page in pages for node in page.nodes):
        kinds[node.kind].add(node)
        if node.kind in (Kind.CONTROL, Kind.CONTENT):
            roles.setdefault(node.role, Agreed()).add(node)
    words = Tally(sum(page.words.hit for page in pages), sum(page.words.of for page in pages))
    by_size = dict(sorted(roles.items(), key=lambda item: -item[1].of))
    return Agreement(len(pages), kinds, by_size, words, tuple(_differences(pages)))


def _differences(pages: Iterable[PageNodes]) -> list[Difference]:
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], dict[str, Node]] = {}
    for page in pages:
        for node in page.nodes:
            found = explain(node)
            if found is not None:
                counts[found] += 1
                examples.setdefault(found, {}).setdefault(page.page, node)
    return [
        Difference(*found, count, tuple(list(examples[found].items())[:EXAMPLES]))
        for found, count in counts.most_common()
    ]


UNEXPLAINED = "not explained"

LONG = 100
"""Letters. Chromium (156) takes about a hundred nodes into one name and no more, and so do we; no rule says which
nodes count."""


def explain(node: Node) -> tuple[str, str] | None:
    """What differs and why; None where nothing does."""
    if node.same_role and node.same_name and not node.named_by_us:
        return None
    if not node.same_role:
        return f"role: {node.role} in the tree, {node.our_role} with us ({node.kind})", _why_role(node)
    if node.named_by_us:
        return f"name of {node.role}: ours alone ({node.kind})", _why_ours_alone(node)
    return f"name of {node.role} ({node.kind})", _why_name(node)


def _why_role(node: Node) -> str:
    if node.our_role == "textbox" and "contenteditable" in node.markup:
        return "one types into it; the tree leaves an editable element without a role generic"
    if node.our_role == "img" and node.role in ("generic", "none", *CONTROLS):
        return "listed as the picture that it is drawn as, so that vision may read it"
    if node.kind is Kind.OTHER:
        return "it has no name in the tree, so that it says nothing"
    return UNEXPLAINED


def _why_ours_alone(node: Node) -> str:
    if node.role == "row":
        return "a row is called by its cells; the tree names rows of grids alone"
    if node.role in NAMELESS_ROLES:
        return "what only a pointer knows of is called by its text, so that it can be told from others"
    if node.role == "figure":
        return "a figure is called by its caption"
    return "a tooltip, placeholder or label that the tree leaves to the description"


def _why_name(node: Node) -> str:
    if squeeze(node.name) == squeeze(node.our_name):
        return "the same letters; the words are set apart elsewhere"
    if node.role == "row":
        return "a row is called by what its cells show; the tree takes a cell's label in its place"
    if "•" in node.name:
        return "a password's dots: it leaves the page in no form"
    if len(node.name) > LONG and fold(node.name)[:LONG] == fold(node.our_name)[:LONG]:
        return "as long as a part of the page, both cut it off somewhere"
    if node.kind is Kind.NAMELESS:
        return "the tree calls it by all its text, which is listed by itself"
    return UNEXPLAINED


def fold(text: str) -> str:
    """Its words as they are compared: lower case, single spaces, without the glyphs of icon fonts."""
    return " ".join("".join(" " if is_glyph(char) else char for char in text).split()).casefold()


def squeeze(text: str) -> str:
    """Its letters alone."""
    return fold(text).replace(" ", "")


def count_words(texts: Iterable[str]) -> Counter[str]:
    """How often each word is in texts."""
    return Counter(word for text in texts for word in fold(text).split())

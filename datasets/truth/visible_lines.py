"""The visible lines of text of a document, from Chromium's own text runs and hit tests.

Values of form fields are not included: `DOMSnapshot` does not enter the field's own tree (Chromium 156).
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Protocol

from perception.datasets.sample import TextLine
from perception.datasets.truth.dom_snapshot import Document, TextRun
from perception.geometry import union
from perception.render.icon_fonts import is_glyph
from perception.types import Viewport

MIN_SHOWN = 0.5
"""Least share of a run in the viewport."""

MIN_OPACITY = 0.1

LINE_WORD_GAP = 0.15
"""Least gap between two words, in heights of the line."""

LINE_GAP = 1.0
"""Least gap between two lines side by side (cells), in heights of the line, as in OCR models."""

_PAINTERS = {"img", "canvas", "video", "svg", "iframe", "embed", "object"}


class TopNodes(Protocol):
    """`HitTester.top_nodes`."""

    def __call__(
        self, document: Document, points: Sequence[tuple[float, float]], *, through: bool = False
    ) -> Awaitable[list[int | None]]: ...


async def visible_lines(document: Document, viewport: Viewport, top_nodes: TopNodes) -> list[TextLine]:
    """Visible lines in document order, without text that is hidden, clipped, covered, transparent or a password."""
    runs = [run for run in document.runs if _may_show(document, run, viewport)]
    tops = await top_nodes(document, [(run.box.center.x, run.box.center.y) for run in runs], through=True)
    shown = [run for run, top in zip(runs, tops, strict=True) if top is not None and _is_shown(document, run, top)]
    return join_runs(shown)


def join_runs(runs: Sequence[TextRun]) -> list[TextLine]:
    """Joins adjacent runs of one visual line."""
    groups: list[list[TextRun]] = []
    for run in runs:
        if groups and _continues(groups[-1], run):
            groups[-1].append(run)
        else:
            groups.append([run])
    return [TextLine(_words(group), union([run.box for run in group])) for group in groups]


def _may_show(document: Document, run: TextRun, viewport: Viewport) -> bool:
    """Whether a run has letters, is in the viewport, and no ancestor is hidden or transparent."""
    if not any(char.isprintable() and not char.isspace() and not is_glyph(char) for char in run.text):
        return False
    shown = run.box.intersect(viewport.box)
    if shown is None or shown.area < MIN_SHOWN * run.box.area:
        return False
    parent = document.parents[run.node]
    return document.opacity(parent) > MIN_OPACITY and document.style(parent, "visibility") in ("visible", "")


def _is_shown(document: Document, run: TextRun, top: int) -> bool:
    """Whether the topmost node at the run's center is the run itself, or does not hide it."""
    above = document.ancestors(top)
    parent = document.parents[run.node]
    if run.node in above or parent in above:
        return True
    own = set(document.ancestors(parent))
    if top in own:  # an ancestor is hit in place of the text: the text is clipped
        return False
    over = [node for node in above if node not in own]
    return not any(_paints(document, node) for node in over)


def _paints(document: Document, node: int) -> bool:
    if document.names[node] in _PAINTERS or document.style(node, "background-image") not in ("none", ""):
        return True
    return _alpha(document.style(node, "background-color")) > MIN_OPACITY


def _alpha(color: str) -> float:
    """Alpha of a computed color; 1 for `rgb(…)`."""
    if not color.startswith("rgba("):
        return 1.0 if color else 0.0
    return float(color[5:-1].split(",")[-1])


def _continues(line: Sequence[TextRun], run: TextRun) -> bool:
    last = line[-1].box
    overlap = min(last.bottom, run.box.bottom) - max(last.top, run.box.top)
    height = min(last.height, run.box.height)
    gap = max(run.box.left - last.right, last.left - run.box.right)
    return overlap > height / 2 and gap < LINE_GAP * height


def _words(line: Sequence[TextRun]) -> str:
    text = ""
    for index, run in enumerate(line):
        if index:
            before = line[index - 1].box
            gap = max(run.box.left - before.right, before.left - run.box.right)
            text += " " if gap > LINE_WORD_GAP * run.box.height else ""
        text += "".join(char for char in run.text if not is_glyph(char))
    return " ".join(text.split())

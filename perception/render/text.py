"""Renders a snapshot as text: one element a line, in the page's words, within a token budget. Short texts beside each
other share a line.

    - textbox "Email" [ref=e2]: "a@b.co" [required]
    - canvas "Sales chart" [ref=e9]
      - button "Zoom in" [ref=v2] [at=640,300]

Rule 1: without a budget the role-ref style lists every element with information, and folds long runs of alike elements
without a name; the compact style also folds those that are out of view.
Rule 2: `max_tokens` is never exceeded; elements of lower rank are counted and left for the next page.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from perception.render.element_lines import INDENT
from perception.render.fold import (
    Fold,
    RepeatUnit,
    find_runs,
    fold_alike,
    fold_covered,
    fold_nameless,
    fold_regions,
    may_hold_nameless,
)
from perception.render.outline import Outline, outline
from perception.render.redundancy import known_above
from perception.render.token_budget import MIN_LINE, Pager, check_budget
from perception.render.tokens import count_tokens
from perception.render.written_text import WrittenText
from perception.types import Element, TextStyle, View


@dataclass(frozen=True, slots=True)
class TextPage:
    """One page of text.

    Attributes:
        text: the page.
        token_count: its tokens by o200k_base.
        shown: indices of the elements on it.
        rest: number of elements on later pages.
    """

    text: str
    token_count: int
    shown: tuple[int, ...]
    rest: int


@dataclass(frozen=True, slots=True)
class LinePlace:
    """Where the text says an element.

    Attributes:
        page: number of its page, from 0.
        said_with: index of the element whose line stands for it, as it says nothing of its own; -1 for its own line.
        folded_into: the line that stands for a run of lines, its own among them; empty where its line is not folded.
    """

    page: int
    said_with: int = -1
    folded_into: str = ""


class PagedText:
    """The text of a list of elements. Pages are rendered on request and kept.

    Args:
        elements: the listed elements. Elements that no person can see, or without information, have no line; they are
            shown with the line before them.
        max_tokens: tokens of each page by o200k_base; 0 for one page with everything.
        style: text style.
        view: view that the elements belong to.
        places: for each element its region as a client can open it, such as `table "Users" [ref=e7]`; used in counts
            of omitted elements.
        unfolded: whether folding is off, because the client requested this part.
        boxed: whether the lines have the elements' boxes.
        written: the text that was last written of the same tab; None where it is not known.
        news: indices of the elements that come first where not everything fits.

    Raises:
        BadInputError: the budget is too small for any page.
    """

    def __init__(
        self,
        elements: Sequence[Element],
        *,
        max_tokens: int = 0,
        style: TextStyle = TextStyle.ROLE_REF,
        view: View = View.FULL,
        places: Sequence[str] = (),
        unfolded: bool = False,
        boxed: bool = False,
        written: WrittenText | None = None,
        news: Collection[int] = (),
    ) -> None:
        check_budget(max_tokens)
        self._count = len(elements)
        self._lines = lines = outline(elements, style, view, boxed=boxed)
        may_fold = not unfolded and view is not View.DIGEST and (style is TextStyle.COMPACT or may_hold_nameless(lines))
        units = find_runs(lines) if (max_tokens or may_fold) and view is not View.DIGEST else []
        units = units or [RepeatUnit()] * len(lines)
        places = places or [""] * self._count
        folds = _folds(lines, units, places) if may_fold else []
        self._folds = folds = fold_regions(lines) if lines.is_digest else folds
        hidden = sum(len(fold.lines) - 1 for fold in folds)
        self._pages: list[TextPage] = []
        self._pager: Pager | None = None
        if not max_tokens or (len(lines) - hidden) * MIN_LINE <= max_tokens:
            self._pages = [_whole(lines, folds, self._count, written or WrittenText())]
        if max_tokens and (not self._pages or self._pages[0].token_count > max_tokens):
            self._pages = []
            self._pager = Pager(lines, units, places, max_tokens, news)

    def page(self, number: int) -> TextPage:
        """The page with this number, from 0; an empty page after the last."""
        while self._pager is not None and number >= len(self._pages):
            if self._pages and not self._pages[-1].rest:
                break
            filled = self._pager.next_page()
            self._pages.append(TextPage(filled.text, count_tokens(filled.text), filled.shown, filled.rest))
        return self._pages[number] if number < len(self._pages) else TextPage("", 0, (), 0)

    def place_of(self, index: int) -> LinePlace:
        """Where the text says the element with this index."""
        lines = self._lines
        at = next((at for at in range(len(lines)) if index in lines.indices(at)), -1)
        if at < 0:
            return LinePlace(0)
        number = 0
        while index not in self.page(number).shown and self.page(number).rest:
            number += 1
        said_with = -1 if index in lines.said(at) else lines.index[at]
        # A page with a token budget of its own folds nothing.
        folds = self._folds if self._pager is None else ()
        folded = next((fold.text.strip() for fold in folds if at in fold.lines), "")
        return LinePlace(number, said_with, folded)


def render_page(
    elements: Sequence[Element],
    max_tokens: int = 0,
    page: int = 0,
    *,
    style: TextStyle = TextStyle.ROLE_REF,
    view: View = View.FULL,
    boxed: bool = False,
    news: Collection[int] = (),
) -> TextPage:
    """One page of the text of a list of elements. For several pages use PagedText, which keeps their shared state."""
    return PagedText(elements, max_tokens=max_tokens, style=style, view=view, boxed=boxed, news=news).page(page)


def _folds(lines: Outline, units: Sequence[RepeatUnit], places: Sequence[str]) -> list[Fold]:
    if lines.style is not TextStyle.COMPACT:
        return fold_nameless(lines, units, places)
    covered = fold_covered(lines)
    hidden = {at for fold in covered for at in fold.lines}
    return covered + [fold for fold in fold_alike(lines, units, places) if hidden.isdisjoint(fold.lines)]


def _whole(lines: Outline, folds: Sequence[Fold], count: int, written: WrittenText) -> TextPage:
    """All lines of `count` elements, in order. A heading's level and what covers a control are said where they
    change."""
    instead = {at: "" for fold in folds for at in fold.lines}
    for fold in folds:
        instead[fold.lines[0]] = INDENT[lines.style] * lines.depth[fold.lines[0]] + fold.text
    known = dict(known_above((at, lines.element(at)) for at in range(len(lines)) if at not in instead))
    texts = written.write(lines, known, instead)
    return TextPage("".join(texts), written.count(texts), tuple(range(count)), 0)

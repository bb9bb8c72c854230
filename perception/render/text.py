"""A snapshot as text: one element a line, in the page's words, within a token budget.

    - textbox "Email" [ref=e2]: "a@b.co" [required]
    - canvas "Sales chart" [ref=e9]
      - button "Zoom in" [ref=v2] [at=640,300]

Rule 1: without a budget the plain style lists everything that says something; only the compact one folds.
Rule 2: `max_tokens` is never exceeded; what ranks lower is counted, and left for the next page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perception.render.budget import Pager, check_budget, indented
from perception.render.fold import Fold, find_runs, fold_alike, fold_covered
from perception.render.outline import Line, outline
from perception.render.tokens import count_tokens
from perception.types import Element, TextStyle, View


@dataclass(frozen=True, slots=True)
class TextPage:
    """One page of text. `shown` are indices of the elements on it, `rest` how many come after it."""

    text: str
    token_count: int
    shown: tuple[int, ...]
    rest: int


class PagedText:
    """The text of a list of elements. Pages are made when they are asked for, and kept.

    Args:
        elements: as listed. What no person can see, and what says nothing of its own, has no line; it is shown with
            the line before it.
        max_tokens: of each page, by o200k_base; 0: everything on one page.
        places: for each element what holds it, as it can be opened: `table "Users" [ref=e7]`. Said of what is left out.
        unfolded: nothing is folded: somebody opened just this.

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
    ) -> None:
        check_budget(max_tokens)
        self._count = len(elements)
        places = places or [""] * self._count
        lines = outline(elements, style, view)
        units = find_runs(elements, lines) if max_tokens or style is TextStyle.COMPACT else []
        folds: list[Fold] = []
        if style is TextStyle.COMPACT and not unfolded:
            covered = fold_covered(elements, lines)
            hidden = {at for fold in covered for at in fold.lines}
            alike = fold_alike(elements, lines, units, places)
            folds = covered + [fold for fold in alike if hidden.isdisjoint(fold.lines)]
        text = _whole(lines, folds, style)
        whole = TextPage(text, count_tokens(text), tuple(range(self._count)), 0)
        self._pages = [whole]
        self._pager: Pager | None = None
        if max_tokens and whole.token_count > max_tokens:
            self._pages = []
            self._pager = Pager(elements, lines, units, places, style, max_tokens)

    def page(self, number: int) -> TextPage:
        """The given page, from 0; an empty one after the last."""
        while self._pager is not None and number >= len(self._pages):
            if self._pages and not self._pages[-1].rest:
                break
            filled = self._pager.next_page()
            self._pages.append(TextPage(filled.text, count_tokens(filled.text), filled.shown, filled.rest))
        return self._pages[number] if number < len(self._pages) else TextPage("", 0, (), 0)


def render_page(
    elements: Sequence[Element],
    max_tokens: int = 0,
    page: int = 0,
    *,
    style: TextStyle = TextStyle.ROLE_REF,
    view: View = View.FULL,
) -> TextPage:
    """One page of the text of a list of elements. See PagedText, which keeps what several pages share."""
    return PagedText(elements, max_tokens=max_tokens, style=style, view=view).page(page)


def _whole(lines: Sequence[Line], folds: Sequence[Fold], style: TextStyle) -> str:
    instead = {fold.lines[0]: indented(fold.text, lines[fold.lines[0]].depth, style) for fold in folds}
    hidden = {at for fold in folds for at in fold.lines}
    parts = [
        instead.get(at, "") if at in hidden else indented(line.text, line.depth, style) for at, line in enumerate(lines)
    ]
    return "".join(parts)

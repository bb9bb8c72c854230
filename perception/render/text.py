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

from perception.render.budget import MIN_LINE, Pager, check_budget
from perception.render.fold import Fold, Unit, find_runs, fold_alike, fold_covered
from perception.render.lines import INDENT
from perception.render.outline import Outline, outline
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
        lines = outline(elements, style, view)
        units = find_runs(lines) if (max_tokens or style is TextStyle.COMPACT) and view is not View.DIGEST else []
        units = units or [Unit()] * len(lines)
        places = places or [""] * self._count
        folds = (
            [] if unfolded or style is not TextStyle.COMPACT or view is View.DIGEST else _folds(lines, units, places)
        )
        hidden = sum(len(fold.lines) - 1 for fold in folds)
        self._pages: list[TextPage] = []
        self._pager: Pager | None = None
        if not max_tokens or (len(lines) - hidden) * MIN_LINE <= max_tokens:
            text = _whole(lines, folds)
            self._pages = [TextPage(text, count_tokens(text), tuple(range(self._count)), 0)]
        if max_tokens and (not self._pages or self._pages[0].token_count > max_tokens):
            self._pages = []
            self._pager = Pager(lines, units, places, max_tokens)

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


def _folds(lines: Outline, units: Sequence[Unit], places: Sequence[str]) -> list[Fold]:
    covered = fold_covered(lines)
    hidden = {at for fold in covered for at in fold.lines}
    return covered + [fold for fold in fold_alike(lines, units, places) if hidden.isdisjoint(fold.lines)]


def _whole(lines: Outline, folds: Sequence[Fold]) -> str:
    hidden = {at for fold in folds for at in fold.lines}
    indent = INDENT[lines.style]
    instead = {fold.lines[0]: indent * lines.depth[fold.lines[0]] + fold.text for fold in folds}
    return "".join(instead.get(at, "") if at in hidden else lines.text(at) for at in range(len(lines)))

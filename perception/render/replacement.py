"""When the text of the new snapshot takes the place of a diff's, and how. Pure.

    42 of 50 elements replaced:
    - heading "Users" [level=1]
    - button "Add" [ref=e61]

Rule 1: the text of a diff is never longer than that of the snapshot that it leads to, except for the line above it.
Rule 2: where most of the page is another, the page is shorter to read than its changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from perception.render.diff import Diff
from perception.render.diff_text import ChangeText
from perception.render.quoting import plural
from perception.render.text import PagedText, TextPage
from perception.render.tokens import count_tokens
from perception.types import Element

MOST = 0.6
"""Share of the elements of both lists beyond which the page counts as another one."""

HEAD_TOKENS = 12
"""At most, of the line above the new text."""

SMALL_DIFF_TOKENS = 60
"""A diff up to this length is not compared with the text of a long page, which would have to be written for it."""

SHORT_PAGE = 20
"""Elements of a page that may be shorter than a small diff."""


def is_replaced(old: Sequence[Element], new: Sequence[Element], diff: Diff, text: ChangeText, page: PagedText) -> bool:
    """Whether the text of the new snapshot is the better description of the changes.

    Args:
        old: elements of the old snapshot.
        new: elements of the new snapshot.
        diff: their difference.
        text: its text, without a limit.
        page: text of the new snapshot.
    """
    if not text.text or not new:
        return False
    if changed_share(old, new, diff) > MOST:
        return True
    if text.token_count <= SMALL_DIFF_TOKENS and len(new) > SHORT_PAGE:
        return False
    return text.token_count > page.page(0).token_count


def changed_share(old: Sequence[Element], new: Sequence[Element], diff: Diff) -> float:
    """Share of the elements of both lists that are in one only, or have another role or name; 0 for empty lists."""
    renamed = sum(1 for change in diff.changed if not {"role", "name"}.isdisjoint(change.fields))
    return (len(diff.added) + len(diff.removed) + 2 * renamed) / max(len(old) + len(new), 1)


def replacement_head(old: Sequence[Element], new: Sequence[Element], diff: Diff) -> str:
    """What happened to most of the page: how many of the old elements are gone, or have another role, name or ref; how
    many of the new were added; or, where each is what it was, how many changed."""
    another = sum(1 for change in diff.changed if not {"role", "name", "ref"}.isdisjoint(change.fields))
    replaced = len(diff.removed) + another
    if len(diff.added) * len(old) > replaced * len(new):
        return f"{len(diff.added)} of {plural(len(new), 'element')} new:"
    if replaced:
        return f"{replaced} of {plural(len(old), 'element')} replaced:"
    changed = sum(1 for change in diff.changed if change.is_news)
    return f"{changed} of {plural(len(new), 'element')} changed:"


def replacement_text(head: str, page: PagedText, write: Callable[[int], TextPage], max_tokens: int = 0) -> ChangeText:
    """The text of the new snapshot below a line that says that it is one.

    Args:
        head: that line.
        page: text of the new snapshot.
        write: writes the first page of that text within a budget, what is new before the rest.
        max_tokens: limit for the whole, HEAD_TOKENS + MIN_TOKENS at least; 0 for none.
    """
    first = page.page(0)
    if max_tokens and (first.rest or first.token_count > max_tokens - HEAD_TOKENS):
        first = write(max_tokens - HEAD_TOKENS)
    text = f"{head}\n{first.text}"
    return ChangeText(text, count_tokens(text))

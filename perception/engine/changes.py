"""What changed from one snapshot to a later one of the same tab, as values and as text."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from perception.engine.presented import PresentedSnapshot
from perception.render.diff import Diff
from perception.render.diff_text import ChangeText, diff_lines, limit_lines
from perception.render.replacement import HEAD_TOKENS, is_replaced, replacement_head, replacement_text
from perception.render.select import depths
from perception.render.text import TextPage, render_page
from perception.render.token_budget import MIN_TOKENS
from perception.types import Element


@dataclass(frozen=True, slots=True)
class SnapshotChanges:
    """A diff with the elements that it is about, and without the lists that it was made of.

    Attributes:
        since_snapshot_id: the snapshot that it leads from.
        diff: indices into both lists.
        elements: what was added or changed, by index in the new list, each with its depth there.
        text: what fits the token budget, not yet marked as the page's words.
        text_is_snapshot: `text` is that of the new snapshot, and not that of the changes.
    """

    since_snapshot_id: str
    diff: Diff
    elements: Mapping[int, tuple[Element, int]]
    text: ChangeText
    text_is_snapshot: bool = False


def describe_changes(
    before: PresentedSnapshot,
    after: PresentedSnapshot,
    diff: Diff,
    *,
    max_tokens: int = 0,
    out_of_view: Collection[str] = (),
) -> SnapshotChanges:
    """All changes as values; as text the shorter of the changes and of the later snapshot.

    Args:
        before: the snapshot that the diff leads from.
        after: the snapshot that it leads to.
        diff: their difference.
        max_tokens: limit for the text; 0 for none. The later snapshot's own limit applies as well.
        out_of_view: refs that were removed since they are out of view only.
    """
    options = after.options
    limit = min((each for each in (max_tokens, options.max_tokens) if each), default=0)

    def write(elements: Sequence[Element], max_tokens: int = 0, news: Collection[int] = ()) -> TextPage:
        style, view = options.style, options.view
        return render_page(elements, max_tokens, style=style, view=view, boxed=options.boxes, news=news)

    lines = diff_lines(
        before.listed,
        after.listed,
        diff,
        lambda elements: write(elements).text,
        boxed=options.boxes,
        out_of_view=out_of_view,
    )
    text = limit_lines(lines, 0)
    elements = changed_elements(after.listed, diff)
    is_new_text = is_replaced(before.listed, after.listed, diff, text, after.text) and _has_room(after, limit)
    if is_new_text:
        head = replacement_head(before.listed, after.listed, diff)
        text = replacement_text(head, after.text, lambda room: write(after.listed, room, elements), limit)
    elif limit and text.token_count > limit:
        text = limit_lines(lines, limit)
    return SnapshotChanges(before.snapshot.snapshot_id, diff, elements, text, text_is_snapshot=is_new_text)


def _has_room(after: PresentedSnapshot, limit: int) -> bool:
    """Whether the text of the snapshot, or a page of it, fits below its head."""
    room = limit - HEAD_TOKENS
    return not limit or room >= MIN_TOKENS or after.text.page(0).token_count <= room


def changed_elements(new: Sequence[Element], diff: Diff) -> dict[int, tuple[Element, int]]:
    """The elements of a list that a diff leading to it adds or changes, by index, each with its depth."""
    depth = depths(new)
    indices = sorted({*diff.added, *(change.index for change in diff.changed)})
    return {index: (new[index], depth[index]) for index in indices}

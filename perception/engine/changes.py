"""What changed from one snapshot to a later one of the same tab, as values and as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perception.engine.presented import PresentedSnapshot
from perception.render.diff import Diff
from perception.render.diff_text import ChangeText, render_changes
from perception.render.select import depths
from perception.render.text import render_page
from perception.types import Element


@dataclass(frozen=True, slots=True)
class SnapshotChanges:
    """A diff with the elements that it is about, and without the lists that it was made of.

    Attributes:
        since_snapshot_id: the snapshot that it leads from.
        diff: indices into both lists.
        elements: what was added or changed, by index in the new list, each with its depth there.
        text: what fits the token budget, not yet marked as the page's words.
    """

    since_snapshot_id: str
    diff: Diff
    elements: Mapping[int, tuple[Element, int]]
    text: ChangeText


def describe_changes(before: PresentedSnapshot, after: PresentedSnapshot, diff: Diff) -> SnapshotChanges:
    """All changes as values; as text those that fit the max_tokens of the later snapshot."""
    options = after.options

    def write(elements: Sequence[Element]) -> str:
        return render_page(elements, style=options.style, view=options.view).text

    text = render_changes(before.listed, after.listed, diff, write, options.max_tokens)
    return SnapshotChanges(before.snapshot.snapshot_id, diff, changed_elements(after.listed, diff), text)


def changed_elements(new: Sequence[Element], diff: Diff) -> dict[int, tuple[Element, int]]:
    """The elements of a list that a diff leading to it adds or changes, by index, each with its depth."""
    depth = depths(new)
    indices = sorted({*diff.added, *(change.index for change in diff.changed)})
    return {index: (new[index], depth[index]) for index in indices}

"""A snapshot as it is served."""

from __future__ import annotations

from dataclasses import dataclass, field

from perception.engine.last_look import LastLook
from perception.engine.request import SnapshotOptions
from perception.errors import BadInputError
from perception.render.text import PagedText
from perception.snapshot import Snapshot
from perception.types import Element


@dataclass(frozen=True, slots=True)
class PresentedSnapshot:
    """A snapshot as its options show it.

    Attributes:
        snapshot: what was seen in the scope and root, before the view.
        tab_id: the tab it is of.
        listed: the elements that the view lists, in the order of `text`.
        text: of `listed`, in pages.
        options: what was asked for.
        last_look: what was made of the elements of its tab; None where it is not known.
    """

    snapshot: Snapshot
    tab_id: str
    listed: tuple[Element, ...]
    text: PagedText
    options: SnapshotOptions
    last_look: LastLook | None = field(default=None, compare=False, repr=False)


def require_comparable(before: PresentedSnapshot, tab_id: str, options: SnapshotOptions) -> None:
    """Checks that two lists differ only by what happened, and not by what was asked for.

    Raises:
        BadInputError: they would not be comparable.
    """
    asked = {"tab": tab_id, **options.list_settings()}
    for name, value in {"tab": before.tab_id, **before.options.list_settings()}.items():
        if asked[name] != value:
            raise BadInputError(
                f"{before.snapshot.snapshot_id} was taken with {name} {value or 'none'}, this one is asked for with "
                f"{asked[name] or 'none'}: ask with the same, or take a snapshot without since_snapshot_id",
                field="since_snapshot_id",
            )

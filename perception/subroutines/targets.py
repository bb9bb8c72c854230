"""Which object the target of a step belongs to: by its row, by its own name, or by what it leads to."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from perception.subroutines.objects import is_found_by_name, link_identifies, row_cell
from perception.subroutines.parameter import Parameter
from perception.subroutines.recording import Recording, Target
from perception.subroutines.values import known_values, linked_objects

Known = Collection[str]
"""Objects of the first recording that the script or the page knows."""


def leads_to_object(targets: Sequence[Target], known: Known) -> bool:
    """Whether a link leads to an object that the script does not know, or to another one in each recording."""
    if len({each.href for each in targets}) > 1:
        return True
    return link_identifies(targets[0], known)


def chosen_row(targets: Sequence[Target], known: Known) -> int | None:
    """Index of the cell that says which row a target stands in; None where the row does not decide.

    Args:
        targets: the target in each recording.
        known: objects that the script or the page knows.
    """
    leads = leads_to_object(targets, known)
    if leads and targets[0].href and all(map(is_found_by_name, targets)):
        return None
    return row_cell(targets, leads=leads and bool(targets[0].href))


def chosen_link(targets: Sequence[Target], known: Known) -> bool:
    """Whether a link without a row says by its name which object is meant."""
    return bool(targets[0].name) and bool(targets[0].href) and leads_to_object(targets, known)


def rows_of(recordings: Sequence[Recording], parameters: Sequence[Parameter]) -> dict[int, int]:
    """For each event whose target is found by its row, the index of the cell."""
    found = {}
    for index in range(len(recordings[0].events)):
        targets = [recording.events[index].target for recording in recordings]
        cell = chosen_row(targets, known_objects(recordings, parameters, index))
        if cell is not None:
            found[index] = cell
    return found


def known_objects(recordings: Sequence[Recording], parameters: Sequence[Parameter], until: int) -> frozenset[str]:
    """Objects of the first recording that the script, or the page by its links, knows before an event."""
    before = [each for each in parameters if each.steps[0] < until]
    known = (each.recorded[0] for each in known_values(recordings, before, until))
    return frozenset(known) | linked_objects(recordings, until)

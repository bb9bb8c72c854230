"""Objects of a task: which parameters say what a task is done to.

An object is identified by the address that the task starts at, by an address that is opened in between, by the link
that is clicked, or by the row that a target stands in.

Rule: an object is never a constant of the script. It is a parameter, or it is computed from one, or the page gives it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from urllib.parse import urljoin

from perception.errors import RecordingsDifferError
from perception.subroutines.hosts import origin_of
from perception.subroutines.masking import local_address
from perception.subroutines.parameter import Parameter, slug
from perception.subroutines.recording import Cell, Recording, Target
from perception.subroutines.routes import Part, is_same_route, parts_of, route_of, route_pattern

START = -1
"""The step of a parameter that is used before the first event."""

MIN_IN_NAME = 3
"""Characters: a shorter text occurs in names of elements by chance."""

_FIELDS = frozenset("textbox searchbox combobox listbox spinbutton slider checkbox radio switch".split())


def start_address(recording: Recording) -> str:
    """Path, query and fragment of the page that a task starts at."""
    events = recording.events
    return str(events[0].value) if events and events[0].kind == "goto" else local_address(recording.start_url)


def objects_in(addresses: Sequence[str], what: str) -> tuple[int, ...]:
    """Indices of the parts that identify an object, of one address, or of the same address in two recordings.

    Args:
        addresses: the address in each recording.
        what: what the address is, for the error.

    Raises:
        RecordingsDifferError: the addresses have different routes.
    """
    first, *others = (parts_of(each) for each in addresses)
    for number, other in enumerate(others, 1):
        if not is_same_route(first, other):
            raise RecordingsDifferError(
                f"{what} in one recording, {addresses[0][:120]}, is of another kind than in the other, "
                f"{addresses[number][:120]}: record the same task with other values"
            )
    return tuple(
        index
        for index, part in enumerate(first)
        if any(other[index].value != part.value for other in others)
        or any(each[index].is_object for each in (first, *others))
    )


def start_parameter(recordings: Sequence[Recording]) -> Parameter | None:
    """The parameter `url`, if the address that the task starts at identifies an object; else None."""
    addresses = [start_address(each) for each in recordings]
    objects = objects_in(addresses, "the page that the task starts at")
    if not objects:
        return None
    origin = origin_of(recordings[0].start_url)
    route = route_of(addresses[0], names_of(parts_of(addresses[0]), objects))
    example, *others = (urljoin(f"{origin}/", each) for each in addresses)
    return Parameter(
        "url",
        "string",
        f"Page to start at: {route}, a path or on {origin}",
        (START,),
        example,
        place="start",
        others=tuple(others),
        pattern=route_pattern(addresses[0], objects, origin),
    )


def names_of(parts: Sequence[Part], objects: Sequence[int]) -> dict[int, str]:
    """A name for each object of an address, each another one."""
    names: dict[int, str] = {}
    for index in objects:
        name, number = parts[index].name, 2
        while name in names.values():
            name, number = f"{parts[index].name}_{number}", number + 1
        names[index] = name
    return names


def address_parameters(
    index: int, addresses: Sequence[str], is_known: Callable[[tuple[str, ...], str], bool], what: str
) -> tuple[Parameter, ...]:
    """The parameters of an address that is opened in between: its objects, without those that are known.

    Args:
        index: index of the event.
        addresses: the address in each recording.
        is_known: whether the script knows by then what has this value in each recording, and this name.
        what: what the address is, for the error.
    """
    objects = objects_in(addresses, what)
    each_parts = [parts_of(each) for each in addresses]
    names = names_of(each_parts[0], objects)
    found = []
    for part in objects:
        values = tuple(parts[part].value for parts in each_parts)
        if is_known(values, names[part]):
            continue
        route = route_of(addresses[0], names)
        found.append(
            Parameter(
                names[part],
                "string",
                f"{names[part].replace('_', ' ')} in {route}",
                (index,),
                values[0],
                place="address",
                others=values[1:],
                part=part,
            )
        )
    return tuple(found)


def link_identifies(target: Target, known: Collection[str]) -> bool:
    """Whether a link leads to an object that is not known yet."""
    return bool(target.href) and any(part.is_object and part.value not in known for part in parts_of(target.href))


def row_cell(targets: Sequence[Target], *, leads: bool) -> int | None:
    """Index of the cell that identifies the row of a target; None where the row does not decide.

    Args:
        targets: the target in each recording.
        leads: whether it is a link to an object.
    """
    first = targets[0]
    if len({tuple(each.column for each in target.cells) for target in targets}) != 1:
        return None
    found = [
        index
        for index, cell in enumerate(first.cells)
        if all(target.cells[index].text and target.cells[index].unique for target in targets) and not cell.own
    ]
    titled = [index for index in found if re.search(r"\w", first.cells[index].column)]
    labeled = () if first.role in _FIELDS else found  # what stands beside a field is its label
    named = [index for index in labeled if all(contains(each.name, each.cells[index].text) for each in targets)]
    if len({each.name for each in targets}) > 1 and not named:
        return None
    differing = [index for index in titled or found if len({each.cells[index].text for each in targets}) > 1]
    decides = bool(titled) or bool(named) or leads or any(each.of != 1 for each in targets)
    return next(iter((*named, *differing, *titled, *found)), None) if decides else None


def row_parameter(index: int, targets: Sequence[Target], cell: int) -> Parameter:
    """The parameter of a row: the text of the cell that identifies it."""
    cells = [each.cells[cell] for each in targets]
    column = cells[0].column
    return Parameter(
        slug(column) or "row",
        "string",
        f"{column} of the row" if column else "A text of the row that no other row has",
        (index,),
        cells[0].text,
        place="row",
        others=tuple(each.text for each in cells[1:]),
        column=column,
    )


def is_found_by_name(target: Target) -> bool:
    """Whether a link's own name identifies what it leads to: no other link there has its name."""
    own = next((each for each in target.cells if each.own), Cell(unique=True))
    return bool(target.name) and target.of == 1 and (target.rows != 1) and own.unique


def link_parameter(index: int, targets: Sequence[Target]) -> Parameter:
    """The parameter of a link that its name identifies."""
    first = targets[0]
    column = next((each.column for each in first.cells if each.own), "")
    objects = [part for part in parts_of(first.href) if part.is_object]
    word = objects[-1].name.removesuffix("_id") if objects else ""
    name = slug(column) or (word if word not in ("", "id", "name") else "") or slug(first.role) or "link"
    said = f"Which {first.role}" if not column else f"{column}: which {first.role}"
    return Parameter(
        name, "string", said, (index,), first.name, place="name", others=tuple(each.name for each in targets[1:])
    )


def contains(name: str, text: str) -> bool:
    """Whether a name contains a text as words."""
    before, found, after = name.partition(text)
    return bool(found) and not before[-1:].isalnum() and not after[:1].isalnum()

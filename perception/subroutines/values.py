"""Values that a script knows: of its parameters, of the address it starts at, and of the pages that it comes to.

Rule: a value is computed only from one that was equal to it in every recording.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from perception.subroutines.masking import local_address
from perception.subroutines.objects import MIN_IN_NAME, START, names_of, objects_in, start_address
from perception.subroutines.parameter import Parameter
from perception.subroutines.recording import Recording
from perception.subroutines.routes import is_same_route, parts_of, route_of, write_address


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a script knows.

    Attributes:
        name: what it is called, such as `ticket_id`.
        recorded: the value in each recording.
        code: JavaScript that gives it.
        step: index of the event before which it is known first; START for the start.
        place: that of its parameter; `page` if the page gives it.
        parameter: name of its parameter; "" if the page gives it.
        reads: route of the address that it is read from; "" for a parameter's own value.
    """

    name: str
    recorded: tuple[str, ...]
    code: str
    step: int
    place: str = ""
    parameter: str = ""
    reads: str = ""


def values_of(recordings: Sequence[Recording], parameters: Sequence[Parameter]) -> tuple[Value, ...]:
    """All values that a script of these parameters knows, the earliest first."""
    found = [*_start_values(recordings, parameters)]
    for each in parameters:
        if each.place != "start" and not each.secret and isinstance(each.example, str | int | float):
            found.append(
                Value(each.field_name, each.recorded, f"params.{each.name}", each.steps[0], each.place, each.name)
            )
    return tuple(sorted((*found, *_page_values(recordings, found)), key=lambda each: each.step))


def known_values(recordings: Sequence[Recording], found: Sequence[Parameter], until: int) -> tuple[Value, ...]:
    """What a script of these parameters knows before an event."""
    return tuple(each for each in values_of(recordings, found) if each.step <= until)


def linked_objects(recordings: Sequence[Recording], until: int) -> frozenset[str]:
    """Objects that links lead to which were clicked before an event."""
    hrefs = [event.target.href for event in recordings[0].events[:until] if event.target.href]
    return frozenset(part.value for href in hrefs for part in parts_of(href) if part.is_object)


def find_value(values: Sequence[Value], recorded: tuple[str, ...], step: int, name: str = "") -> Value | None:
    """The value that was recorded so in each recording and is known before a step; of several, that of the name."""
    found = [
        each for each in values if each.recorded == recorded and each.step <= step and not _is_by_chance(each, name)
    ]
    return next((each for each in found if each.name == name), found[0] if found else None)


def _is_by_chance(value: Value, name: str) -> bool:
    """Whether an entered value may equal another one by chance: a short one or a number, in every recording."""
    text = value.recorded[0]
    if value.place or len(set(value.recorded)) > 1 or name in (value.name, f"{value.name}_id"):
        return False
    return text.isdecimal() or len(text) < MIN_IN_NAME


def _start_values(recordings: Sequence[Recording], parameters: Sequence[Parameter]) -> Iterator[Value]:
    if not any(each.place == "start" for each in parameters):
        return
    addresses = [start_address(each) for each in recordings]
    yield from _address_values(addresses, START, "at", "start", "url")


def _page_values(recordings: Sequence[Recording], known: Sequence[Value]) -> Iterator[Value]:
    """What the page's own addresses say that no parameter does."""
    seen = {each.recorded for each in known}
    number = 2
    for index, event in enumerate(recordings[0].events):
        events = [recording.events[index] for recording in recordings]
        if event.kind == "goto" or any(each.target.frame for each in events):
            continue
        made = _address_values([local_address(each.url) for each in events], index, f"at{number}", "page", "")
        new = [each for each in made if each.recorded not in seen]
        if new:
            yield from new
            seen |= {each.recorded for each in new}
            number += 1


def _address_values(addresses: Sequence[str], step: int, name: str, place: str, parameter: str) -> Iterator[Value]:
    each_parts = [parts_of(each) for each in addresses]
    if not all(is_same_route(each_parts[0], each) for each in each_parts):
        return
    objects = objects_in(addresses, "an address")
    names = names_of(each_parts[0], objects)
    route = route_of(addresses[0], names)
    for part in objects:
        recorded = tuple(parts[part].value for parts in each_parts)
        yield Value(names[part], recorded, f"{name}.{names[part]}", step, place, parameter, route)


def address_code(
    addresses: Sequence[str], values: Sequence[Value], step: int
) -> tuple[str, tuple[Value, ...], tuple[str, ...]]:
    """An address as a template of JavaScript, with the objects that are known.

    Args:
        addresses: the address in each recording, of one route.
        values: what the script knows.
        step: index of the event before which it is used.

    Returns:
        The inner text of a template literal, the values in it, and the objects that are not known.
    """
    each_parts = [parts_of(each) for each in addresses]
    used: dict[int, Value] = {}
    unknown = []
    for part in objects_in(addresses, "an address"):
        recorded = tuple(parts[part].value for parts in each_parts)
        value = find_value(values, recorded, step, each_parts[0][part].name)
        if value is None:
            unknown.append(recorded[0])
        else:
            used[part] = value
    code = {index: f"${{encodeURIComponent({value.code})}}" for index, value in used.items()}
    return write_address(addresses[0], code) if code else addresses[0], tuple(used.values()), tuple(unknown)

"""Addresses as routes: which parts of an address identify an object, and what they are called.

`/tickets/7/edit?tab=notes` has the route `/tickets/:ticket_id/edit?tab=notes`.

Rule: in doubt a part identifies an object. A part that is taken for an object must be given again; one that is not is
the same in every run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from perception.subroutines.masking import is_masked

_ROUTE_WORDS = frozenset(
    "new edit add create update change delete remove destroy copy clone list all index search find show view detail"
    " details overview history settings preferences options profile login logout signin signup register password"
    " account admin dashboard home help about api rest graphql rpc app apps static assets public auth oauth export"
    " import upload download print preview comment comments report reports stats statistics me self current latest"
    " open closed archive active inbox sent drafts trash".split()
)
"""Words of routes: what is done, or which view is shown."""

_COLLECTIONS = frozenset(
    "wiki w page blog tag category user author db database table repo project file doc docs".split()
)
"""Segments, besides plurals, that the name of one thing follows."""

_ACTIONS_ON_ONE = frozenset("edit update change delete remove destroy copy clone show view detail details".split())
"""Words of routes that the key of one thing follows, such as `update/WzJd`."""

_VIEW_KEYS = frozenset(
    "page pg per_page perpage page_size pagesize limit offset start size count cursor sort order orderby order_by dir"
    " direction asc desc tab view mode layout lang locale hl theme skin debug embed print format popup _popup modal"
    " action do op cmd task method controller module route next return return_to returnto redirect continue back"
    " noise utm_source utm_medium utm_campaign".split()
)
"""Query parameters of paging, of the view, and of the route itself."""

_FLAGS = frozenset("true false yes no on off".split())

_VERSION = re.compile(r"v?\d+(?:\.\d+)+|v\d+")
_DECIMAL = re.compile(r"\d+")
_MIXED = re.compile(r"(?=.*\d)[\w.~:@-]*")
_WORD_AND_COUNTER = re.compile(r"[a-z]+\d")
"""`oauth2`, `step2`: a word of the route, unless it follows a collection or ends the path (`issue2`)."""
_PLAIN_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an address.

    Attributes:
        place: `path`, `query`, `fragment`, `fragment path` or `fragment query`.
        key: name of a query parameter; "" for another part.
        value: decoded text.
        name: what it is called if it identifies an object, such as `ticket_id`.
        is_object: whether it identifies an object by its looks.
    """

    place: str
    key: str
    value: str
    name: str
    is_object: bool


def parts_of(address: str) -> tuple[Part, ...]:
    """The parts of an address, in order. Segments, query parameters, and the same of a fragment that has them."""
    parts = urlsplit(address)
    found = [*_segments("path", parts.path), *_pairs("query", parts.query)]
    fragment = parts.fragment
    lead = re.match(r"!?/", fragment)
    if lead:
        path, _, query = fragment[len(lead[0]) - 1 :].partition("?")
        found += [*_segments("fragment path", path), *_pairs("fragment query", query)]
    elif "=" in fragment:
        found += _pairs("fragment query", fragment.lstrip("?"))
    elif fragment:
        value = unquote(fragment)
        is_name = _is_id(value) or not _PLAIN_WORD.fullmatch(value) or value[:1].isupper()
        found.append(Part("fragment", "", value, "fragment", is_name and not is_masked(value)))
    return tuple(found)


def has_objects(address: str) -> bool:
    """Whether an address identifies an object."""
    return any(part.is_object for part in parts_of(address))


def is_same_route(one: Sequence[Part], other: Sequence[Part]) -> bool:
    """Whether two addresses have the same parts, with any values."""
    return [(each.place, each.key) for each in one] == [(each.place, each.key) for each in other]


def write_address(address: str, values: Mapping[int, str]) -> str:
    """An address with other values for some of its parts.

    Args:
        address: path, query and fragment.
        values: what is written in place of a part, by its index in `parts_of`; already encoded.
    """
    parts = parts_of(address)
    written = {index: values.get(index, _quoted(part)) for index, part in enumerate(parts)}
    split = urlsplit(address)
    path = "/" + "/".join(written[index] for index, part in enumerate(parts) if part.place == "path")
    query = _written_pairs(parts, written, "query")
    fragment = split.fragment
    lead = re.match(r"!?/", fragment)
    if lead:
        inner = "/".join(written[index] for index, part in enumerate(parts) if part.place == "fragment path")
        pairs = _written_pairs(parts, written, "fragment query")
        fragment = f"{lead[0]}{inner}{'?' + pairs if pairs else ''}"
    elif "=" in fragment:
        fragment = ("?" if fragment.startswith("?") else "") + _written_pairs(parts, written, "fragment query")
    elif fragment and len(parts) - 1 in values:
        fragment = values[len(parts) - 1]
    return f"{path}{'?' + query if query else ''}{'#' + fragment if fragment else ''}"


def route_of(address: str, objects: Mapping[int, str]) -> str:
    """The route of an address: `:name` for each object, by its index in `parts_of`.

    >>> route_of("/tickets/7/edit?tab=notes", {1: "ticket_id"})
    '/tickets/:ticket_id/edit?tab=notes'
    """
    return write_address(address, {index: f":{name}" for index, name in objects.items()})


def route_pattern(address: str, objects: Sequence[int], origin: str) -> str:
    """A regular expression, valid in Python and JavaScript, for the addresses of a route: paths, or on its origin."""
    parts = parts_of(address)
    any_of = {
        index: "[^/?#]+" if "path" in parts[index].place else "[^&#]+" if parts[index].key else "[^#/]+"
        for index in objects
    }
    path = "".join(f"/{any_of.get(index, _escaped(part))}" for index, part in enumerate(parts) if part.place == "path")
    pairs = [(index, part) for index, part in enumerate(parts) if part.place == "query"]
    wanted = "".join(
        f"(?=(?:[^#]*&)?{_key_pattern(part.key)}{f'={any_of.get(index, _escaped(part))}' if part.value else '=?'}"
        "(?:[&#]|$))"
        for index, part in pairs
    )
    query = f"\\?{wanted}[^&#]+(?:&[^&#]+){{{len(pairs) - 1}}}" if pairs else ""
    tail = _fragment_pattern(address, any_of)
    return f"^(?:{_literal(origin)})?{path}{query}{tail}$"


def _fragment_pattern(address: str, any_of: Mapping[int, str]) -> str:
    fragment = urlsplit(address).fragment
    if not fragment:
        return ""
    written = write_address(address, {index: f"\0{index}\0" for index in any_of}).partition("#")[2]
    return "#" + "".join(
        any_of[int(text)] if number % 2 else _literal(text) for number, text in enumerate(written.split("\0"))
    )


def _escaped(part: Part) -> str:
    plain, strict = _literal(_quoted(part)), _literal(quote(part.value, safe=""))
    return plain if plain == strict else f"(?:{plain}|{strict})"


def _key_pattern(key: str) -> str:
    """A query parameter's name, encoded as far as is necessary, or strictly."""
    written = dict.fromkeys((quote(key), quote(key, safe="@:,;$!*'()/[]"), quote(key, safe="")))
    return f"(?:{'|'.join(map(_literal, written))})" if len(written) > 1 else _literal(key)


def _quoted(part: Part) -> str:
    """A part as addresses commonly have it."""
    return quote(part.value, safe="-_.~!*'()@:,;$«»/?" if part.key else "-_.~!*'()@:,+;$=«»")


def _literal(text: str) -> str:
    """A text in a regular expression of Python or JavaScript."""
    return re.sub(r"([.*+?^${}()|\[\]\\])", r"\\\1", text)


def _segments(place: str, path: str) -> list[Part]:
    values = [unquote(each) for each in path.split("/")[1:]]
    found = []
    for index, value in enumerate(values):
        before = values[index - 1] if index else ""
        is_last = not any(values[index + 1 :])
        is_object = _names_object(value, before) or (is_last and _is_counted_name(value))
        found.append(Part(place, "", value, _segment_name(value, before), is_object))
    return found


def _pairs(place: str, query: str) -> list[Part]:
    return [
        Part(place, key, value, _named(key) or "id", _is_object_value(key, value))
        for key, value in parse_qsl(query, keep_blank_values=True)
    ]


def _written_pairs(parts: Sequence[Part], written: Mapping[int, str], place: str) -> str:
    return "&".join(
        f"{quote(part.key)}={written[index]}" if part.value or written.get(index) else quote(part.key)
        for index, part in enumerate(parts)
        if part.place == place
    )


def _is_id(text: str) -> bool:
    """Whether a text looks like an id: a number, or with digits in it."""
    if _DECIMAL.fullmatch(text):
        return True
    return bool(_MIXED.fullmatch(text)) and not _VERSION.fullmatch(text) and not _WORD_AND_COUNTER.fullmatch(text)


def _is_counted_name(value: str) -> bool:
    """Whether the end of a path is a word with a number, such as `issue1`, and no step of a way."""
    return bool(_WORD_AND_COUNTER.fullmatch(value)) and value[:-1] not in ("step", "page", "tab", "v", "part")


def _names_object(value: str, before: str) -> bool:
    if not value or is_masked(value) or _VERSION.fullmatch(value) or value.lower() in _ROUTE_WORDS:
        return False
    if _is_id(value) or not _PLAIN_WORD.fullmatch(value):
        return True
    if re.search(r"\.[a-z]{2,5}$", value):  # index.php
        return False
    word = before.lower()
    if word in _ACTIONS_ON_ONE:
        return True
    is_plural = word.endswith("s") and not word.endswith("ss") and len(word) > 3
    return (is_plural or word in _COLLECTIONS) and word not in _ROUTE_WORDS


def _is_object_value(key: str, value: str) -> bool:
    if not value or is_masked(value) or value.lower() in _FLAGS or "/" in value:
        return False
    words = key.lower().replace("-", "_")
    return words not in _VIEW_KEYS and words not in _ROUTE_WORDS


def _segment_name(value: str, before: str) -> str:
    word = _named(before) if before and not _is_id(before) else ""
    if not word or word in _ROUTE_WORDS:
        return "id" if _is_id(value) else "name"
    return f"{_singular(word)}_id" if _is_id(value) else _singular(word)


def _singular(word: str) -> str:
    """The singular of an English word.

    >>> _singular("tickets"), _singular("entries"), _singular("boxes"), _singular("status")
    ('ticket', 'entry', 'box', 'status')
    """
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _named(text: str) -> str:
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    plain = re.sub(r"[^a-z0-9]+", "_", apart.lower()).strip("_")[:40]
    return plain if re.match(r"[a-z]", plain) else ""

"""The objects that a page's scripts write: which of their values are literals, and which are computed.

Rule: a literal counts where it is written into something that is sent. One that stands ready when something is done,
such as what the server wrote into a document, may be data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import unquote_plus

import msgspec
from tree_sitter import Node, Query, QueryCursor

from perception.subroutines.javascript_parser import javascript, javascript_parser
from perception.subroutines.script_literals import (
    COMPUTED,
    COMPUTED_TEXT,
    UNDEFINED,
    called_name,
    key_of,
    literal,
    source_of,
    written_text,
)

_SENDERS = frozenset(
    "fetch send sendBeacon stringify ajax post put patch request axios mutate mutateAsync URLSearchParams"
    " FormData".split()
)
"""Last names of what turns an object into a request, or sends it."""

_MERGERS = re.compile(r"assign|extend|merge|spread", re.I)
"""Functions that copy objects into one; compilers write a spread so."""

MAX_NAMED = 2**19
"""Characters of a script whose named constants are read: in larger ones, which are minified, names are short and stand
for many things."""

_FUNCTIONS = frozenset(
    "function_declaration function_expression arrow_function method_definition generator_function"
    " generator_function_declaration".split()
)

_TEXTS = ("string", "template_string")

_NODES = """
(object) @object (call_expression) @call (new_expression) @call (assignment_expression) @assignment
(string) @text (template_string) @text
"""

_NAMES = """
(variable_declarator name: (identifier) @name) (formal_parameters (identifier) @name)
(arrow_function parameter: (identifier) @name) (shorthand_property_identifier_pattern) @name
(formal_parameters (assignment_pattern left: (identifier) @name)) (pair_pattern value: (identifier) @name)
(array_pattern (identifier) @name) (rest_pattern (identifier) @name) (catch_clause parameter: (identifier) @name)
(assignment_expression left: (identifier) @name) (augmented_assignment_expression left: (identifier) @name)
(function_declaration name: (identifier) @name)
"""
"""Everything that gives a name a value."""

_CHANGED = """
(assignment_expression left: (member_expression property: (property_identifier) @key))
(augmented_assignment_expression left: (member_expression property: (property_identifier) @key))
(assignment_expression left: (subscript_expression index: (string (string_fragment) @key)))
"""
"""Keys that are set after their object was written."""

GRAPHQL = re.compile(r"\s*(?:(?:query|mutation|subscription|fragment)\b|\{)")
"""The start of a GraphQL document."""

_OPERATION = re.compile(r"[\"'`\s](?:query|mutation|subscription|fragment)\b[^\"'`]*\{")

_PAIRS = re.compile(r"[?&]?[\w.\[\]%-]+=[^&\s<>{};]*(?:&[\w.\[\]%-]+=[^&\s<>{};]*)*&?")
"""A form's body or a query, as a script writes it."""


@dataclass(frozen=True, slots=True)
class Script:
    """A script of the page.

    Attributes:
        source: its text.
        inline: whether it stands in a document, where the server may write data into it.
    """

    source: str
    inline: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """An object, or a part of one, that a script writes.

    Attributes:
        entries: literal, COMPUTED or UNDEFINED, by key.
        sends: whether the function that writes it sends something: it is written when that is sent.
        part: whether other code may add further keys.
        copies: whether it copies another object, as by a spread: its other keys are those of that object.
    """

    entries: Mapping[str, Any]
    sends: bool = False
    part: bool = False
    copies: bool = False

    @property
    def is_data(self) -> bool:
        """Whether everything in it is a literal, as in data."""
        return not self.part and all(each is not COMPUTED for each in self.entries.values())


def written_objects(script: Script, keys: Collection[str]) -> tuple[Written, ...]:
    """What a script writes as objects: object literals, JSON and queries in texts, form data, and assignments.

    Args:
        script: the script.
        keys: objects without one of these are left out.
    """
    root = javascript_parser().parse(script.source.encode("utf-8", "replace")).root_node
    nodes = QueryCursor(_query(_NODES)).captures(root)
    calls = nodes.get("call", [])
    senders = {_function(each) for each in calls if called_name(each) in _SENDERS} - {0}
    known = _constants(root, None if not script.inline else senders) if len(script.source) <= MAX_NAMED else {}
    made = [_object(each, known, senders) for each in nodes.get("object", []) if _has_key(each, keys)]
    made += _grouped((*calls, *nodes.get("assignment", [])), keys, known, senders)
    for node in nodes.get("text", []):
        if any(key in source_of(node) for key in keys):
            made += _in_text(node, known, senders)
    return tuple(made)


def graphql_texts(script: Script) -> Iterator[str]:
    """The GraphQL documents that a script writes without a computed part."""
    if not _OPERATION.search(script.source):
        return
    root = javascript_parser().parse(script.source.encode("utf-8", "replace")).root_node
    for node in _captures(_NODES, root, "text"):
        text = written_text(node, {})
        if COMPUTED_TEXT not in text and GRAPHQL.match(text):
            yield text


def _has_key(node: Node, keys: Collection[str]) -> bool:
    names = (
        each if each.type == "shorthand_property_identifier" else each.child_by_field_name("key")
        for each in node.named_children
    )
    return any(each is not None and key_of(each) in keys for each in names)


def _object(node: Node, known: Mapping[str, Any], senders: Collection[int]) -> Written:
    entries: dict[str, Any] = {}
    copies = _is_merged(node)
    for each in node.named_children:
        key = None
        value: Any = COMPUTED
        if each.type == "comment":
            continue
        if each.type == "pair":
            key, value = key_of(each.child_by_field_name("key")), literal(each.child_by_field_name("value"), known)
        elif each.type == "shorthand_property_identifier":
            key = source_of(each)
        elif each.type == "method_definition":
            key = key_of(each.child_by_field_name("name"))
        if key is None:  # a spread or a computed key: it may replace what stands before it
            copies, entries = True, dict.fromkeys(entries, COMPUTED)
        else:
            entries[key] = value
    return Written(entries, _function(node) in senders, part=copies, copies=copies)


def _is_merged(node: Node) -> bool:
    """Whether an object is one of several arguments of a function that copies them into one."""
    given = node.parent
    call = given.parent if given is not None and given.type == "arguments" else None
    is_call = call is not None and call.type == "call_expression"
    return is_call and _MERGERS.search(called_name(call)) is not None  # type: ignore[arg-type]


def _grouped(
    nodes: Sequence[Node], keys: Collection[str], known: Mapping[str, Any], senders: Collection[int]
) -> list[Written]:
    """Keys that are added one by one, `form.append("k", v)` and `body.k = v`, by their object and function."""
    groups: dict[tuple[int, str], dict[str, Any]] = {}
    for node in nodes:
        found = _assigned(node) if node.type == "assignment_expression" else _appended(node)
        if found is None or found[1] not in keys:
            continue
        holder, key, value = found
        entries = groups.setdefault((_function(node), holder), {})
        entries[key] = COMPUTED if key in entries else literal(value, known)
    return [Written(entries, function in senders, part=True) for (function, _), entries in groups.items()]


def _assigned(node: Node) -> tuple[str, str, Node | None] | None:
    left = node.child_by_field_name("left")
    if left is None or left.type not in ("member_expression", "subscript_expression"):
        return None
    holder = left.child_by_field_name("object")
    name = left.child_by_field_name("property") or left.child_by_field_name("index")
    is_named = left.type == "member_expression" or (name is not None and name.type == "string")
    key = key_of(name) if is_named else None
    return None if holder is None or key is None else (source_of(holder), key, node.child_by_field_name("right"))


def _appended(node: Node) -> tuple[str, str, Node | None] | None:
    called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if called is None or given is None or called_name(node) not in ("append", "set"):
        return None
    values = [each for each in given.named_children if each.type != "comment"]
    holder = called.child_by_field_name("object")
    if holder is None or len(values) != 2 or values[0].type not in _TEXTS:
        return None
    return source_of(holder), written_text(values[0], {}), values[1]


def _in_text(node: Node, known: Mapping[str, Any], senders: Collection[int]) -> list[Written]:
    """JSON, or a form's body, that a script writes as a text."""
    top = node
    while top.parent is not None and top.parent.type == "binary_expression":
        top = top.parent
    if top is not node and top.start_byte != node.start_byte:
        return []  # a part of a sum, which its first part stands for
    text = written_text(top, known)
    sends = _function(node) in senders
    if text[:1] in ("{", "["):
        try:
            parsed = msgspec.json.decode(text.replace(COMPUTED_TEXT, _MARK))
        except msgspec.DecodeError:
            return []
        return [Written(each, sends, part=True) for each in _objects(_marked(parsed))]
    if not _PAIRS.fullmatch(text):
        return []
    pairs = [each.partition("=") for each in text.strip("?&").split("&")]
    entries = {
        unquote_plus(key): COMPUTED if COMPUTED_TEXT in value else unquote_plus(value) for key, _, value in pairs
    }
    return [Written(entries, sends, part=True)]


_MARK = "\\u0000"
"""COMPUTED_TEXT as JSON writes it."""


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _marked(each) for key, each in value.items()}
    if isinstance(value, list):
        items = [_marked(each) for each in value]
        return COMPUTED if any(each is COMPUTED for each in items) else items
    return COMPUTED if isinstance(value, str) and COMPUTED_TEXT in value else value


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(each)
    if isinstance(value, dict):
        yield value


def _constants(root: Node, within: Collection[int] | None) -> dict[str, Any]:
    """Literals by what stands for them: the name of a constant, if nothing else has it, or `name.key` of an object.

    Args:
        root: the script.
        within: functions whose constants count; None for all. In a document another one may be what the server wrote.
    """
    names = Counter(source_of(each) for each in _captures(_NAMES, root, "name"))
    changed = {source_of(each) for each in _captures(_CHANGED, root, "key")}
    found: dict[str, Any] = {}
    for node in _captures("(lexical_declaration (variable_declarator) @one)", root, "one"):
        name = node.child_by_field_name("name")
        kind = node.parent.child_by_field_name("kind") if node.parent is not None else None
        if name is None or names[source_of(name)] != 1 or kind is None or source_of(kind) != "const":
            continue
        value = literal(node.child_by_field_name("value"), {})
        if value is COMPUTED or value is UNDEFINED or (within is not None and _function(node) not in within):
            continue
        if not isinstance(value, dict | list):
            found[source_of(name)] = value
        keys = value if isinstance(value, dict) else {}
        found |= {f"{source_of(name)}.{key}": each for key, each in keys.items() if key not in changed}
    return found


def _captures(query: str, root: Node, name: str) -> list[Node]:
    return QueryCursor(_query(query)).captures(root).get(name, [])


def _function(node: Node) -> int:
    """The id of the function that a node stands in; 0 for none."""
    above = node.parent
    while above is not None and above.type not in _FUNCTIONS:
        above = above.parent
    return above.id if above is not None else 0


def data_objects(written: Iterable[Written]) -> Iterator[Mapping[str, Any]]:
    """Objects of literals alone that are not written where something is sent: a document's data."""
    return (each.entries for each in written if each.is_data and not each.sends)


@cache
def _query(text: str) -> Query:
    return Query(javascript(), text)

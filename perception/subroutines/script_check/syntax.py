"""What the text of a script may contain, by its syntax tree.

The sandbox holds scripts in any case (see `sandbox.js`); this says before a run, and with a line, what would not work
there.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from perception.subroutines.generate import HELPERS
from perception.subroutines.javascript_parser import javascript_parser
from perception.subroutines.replay import GLOBALS

MAX_SCRIPT = 65_536
"""Bytes. The longest generated scripts of the recorded applications have a tenth of this."""

_REFUSED = {
    "import": "`import`",
    "this": "`this`",
    "super": "`super`",
    "class": "a class",
    "class_declaration": "a class",
    "generator_function": "a generator",
    "generator_function_declaration": "a generator",
    "meta_property": "`new.target` or `import.meta`",
    "with_statement": "`with`",
    "debugger_statement": "`debugger`",
    "html_comment": "an HTML comment",
    "hash_bang_line": "`#!`",
}
"""Syntax that no task needs."""

_REACHING = frozenset(
    "constructor prototype __proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ caller"
    " callee".split()
)
"""Properties that lead from a value to the means of the language."""

_MADE = frozenset(
    {"Error", "TypeError", "RangeError", "Map", "Set", "RegExp", "Promise", "URL", "URLSearchParams", "Array"}
)
"""What `new` may make."""

_FORM = "write it as one function, async ({ goto, click, … }, params) => { … }"


def syntax_problems(body: str) -> tuple[str, ...]:
    """What is wrong with the text of a script, each with its line; empty if nothing is."""
    text = body.rstrip().rstrip(";").encode("utf-8", "replace")
    if not text.strip():
        return (f"there is no script: {_FORM}",)
    if len(text) > MAX_SCRIPT:
        return (f"the script has {len(text)} bytes, the limit is {MAX_SCRIPT}",)
    root = javascript_parser().parse(text).root_node
    if root.has_error:
        return (f"the script is not valid JavaScript {_place(_first_error(root))}: {_FORM}",)
    function = _function_of(root)
    if function is None:
        return (f"the script is not one async function of its helpers and parameters: {_FORM}",)
    found = [*_refused(root), *_names(root, function)]
    return tuple(dict.fromkeys(found))


def literals_in(body: str) -> tuple[str, ...]:
    """Texts, numbers and keys that a script writes: what it may compare an argument with."""
    kinds = ("string_fragment", "number", "property_identifier", "escape_sequence")
    root = javascript_parser().parse(body.encode("utf-8", "replace")).root_node
    return tuple(dict.fromkeys(_text(each) for each in _nodes(root) if each.type in kinds))


def _nodes(node: Node) -> Iterator[Node]:
    """A node and all below it, in the order of the text. Without recursion: a text may nest deeply."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        waiting.extend(reversed(here.children))


def _text(node: Node | None) -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def _place(node: Node) -> str:
    return f"at line {node.start_point[0] + 1}"


def _first_error(root: Node) -> Node:
    return next((each for each in _nodes(root) if each.is_error or each.is_missing), root)


def _function_of(root: Node) -> Node | None:
    """The script's function, if the script is nothing else."""
    parts = [each for each in root.named_children if each.type != "comment"]
    if len(parts) != 1 or parts[0].type != "expression_statement":
        return None
    inner = [each for each in parts[0].named_children if each.type != "comment"]
    function = inner[0] if len(inner) == 1 and inner[0].type == "arrow_function" else None
    if function is None or not any(each.type == "async" for each in function.children):
        return None
    given = _given(function)
    return function if 1 <= len(given) <= 2 and given[0].type == "object_pattern" else None


def _given(function: Node) -> list[Node]:
    parameters = function.child_by_field_name("parameters")
    return [each for each in parameters.named_children if each.type != "comment"] if parameters is not None else []


def _refused(root: Node) -> Iterator[str]:
    for node in _nodes(root):
        if node.type in _REFUSED and (node.is_named or node.type == "import"):
            yield f"{_REFUSED[node.type]} {_place(node)}: no script needs it, leave it out"
        elif _text(node) in _REACHING and _reaches(node):
            yield f"`{_text(node)}` {_place(node)}: scripts make no code and change no built-in object"
        elif node.type == "new_expression" and _text(node.child_by_field_name("constructor")) not in _MADE:
            name = _text(node.child_by_field_name("constructor"))[:40]
            yield f"`new {name}` {_place(node)}: scripts cannot make that"


def _reaches(node: Node) -> bool:
    """Whether a name is that of a property that is read or set. A key of an object that is written is data, except for
    `__proto__`, which has to be written `["__proto__"]`."""
    kinds = [each.type for each in _above(node)]
    if node.type == "property_identifier":
        return kinds[0] != "pair" or _text(node) == "__proto__"
    if node.type != "string_fragment":
        return False
    return kinds[1] == "subscript_expression" or kinds[1:3] == ["computed_property_name", "pair_pattern"]


def _above(node: Node) -> Iterator[Node]:
    """What a node stands in, from the inside to the outside."""
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def _names(root: Node, function: Node) -> Iterator[str]:
    """Names that nothing in the script says and no script has."""
    helpers = _given(function)[0]
    taken: set[str] = set()
    for each in helpers.named_children:
        name = _text(each.child_by_field_name("key")) if each.type == "pair_pattern" else _text(each)
        if each.type != "comment" and name not in HELPERS:
            yield f"`{name[:40]}` {_place(each)} is not a call of scripts: there is {', '.join(HELPERS)}"
        taken.add(name)
    bound = {_text(each) for each in _nodes(root) if _is_bound(each)}
    for each in _nodes(root):
        name = _text(each)
        if each.type not in ("identifier", "shorthand_property_identifier") or name in bound or name in GLOBALS:
            continue
        if name in HELPERS:
            yield f"`{name}` {_place(each)} is not among the names of the script's first parameter: add it there"
        else:
            yield f"`{name[:40]}` {_place(each)} is nothing that a script has: {_HAS}"


_HAS = "it has its calls, its parameters, and JSON, Math, String and the like"

_BINDING = frozenset(
    {"variable_declarator", "function_declaration", "function_expression", "arrow_function", "catch_clause"}
)


def _is_bound(node: Node) -> bool:
    """Whether a name is declared there. Scopes are not distinguished: the sandbox has the last word."""
    if node.type == "shorthand_property_identifier_pattern":
        return True
    if node.type != "identifier":
        return False
    inner, outer = node, node.parent
    while outer is not None:
        kind = outer.type
        if kind == "formal_parameters":
            return True
        if kind in _BINDING:
            fields = ("name", "parameter")
            return any(_same(outer.child_by_field_name(field), inner) for field in fields)
        if kind == "for_in_statement":
            return outer.child_by_field_name("kind") is not None and _same(outer.child_by_field_name("left"), inner)
        if kind == "assignment_pattern" and not _same(outer.child_by_field_name("left"), inner):
            return False
        if kind == "pair_pattern" and not _same(outer.child_by_field_name("value"), inner):
            return False
        if kind not in ("object_pattern", "array_pattern", "rest_pattern", "assignment_pattern", "pair_pattern"):
            return False
        inner, outer = outer, outer.parent
    return False


def _same(one: Node | None, other: Node) -> bool:
    return one is not None and one.id == other.id

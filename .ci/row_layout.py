"""Makes the JavaScript and the Python side of the walker's row layout from one schema.

Usage: python .ci/row_layout.py SCHEMA FOLDER   writes FOLDER/row_layout.js and FOLDER/row_layout.py.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

TYPES = {
    "node": ("number", "int"),
    "index": ("number", "int"),
    "int": ("number", "int"),
    "float": ("number", "float"),
    "text": ("string", "str"),
    "texts": ("string[]", "list[str]"),
    "rect": ("Rect", "Rect"),
    "point": ("Point", "tuple[float, float]"),
    "scroll": ("number[]", "tuple[float, float, float, float]"),
}
"""JavaScript (JSDoc) and Python types by type in the schema."""

PYTHON_DEFAULTS = {"''": '""', "null": "None"}
MADE_FROM = "Generated from row_layout.toml by .ci/row_layout. Not to be edited."

Table = dict[str, Any]


def camel(name: str) -> str:
    """`covered_by` → `coveredBy`."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def types_of(field: Table) -> tuple[str, str]:
    """A field's type in JavaScript and in Python."""
    js, py = TYPES[field["type"].rstrip("?")]
    js = field.get("js", js)
    return (f"{js}|null", f"{py} | None") if field["type"].endswith("?") else (js, py)


def javascript(schema: Table) -> str:
    lines = [f"// {MADE_FROM}", "", "/** @import { Point, Rect } from './layout/rects.js' */", ""]
    for name, words in schema["words"].items():
        union = "|".join(f"'{value}'" for value in words["values"])
        lines += ["/**", f" * {words['doc']}", f" * @typedef {{{union}}} {name}", " */", ""]
    flags = schema["flags"]
    lines += constants("FLAG", flags["doc"], [(each, 1 << bit) for bit, each in enumerate(flags["values"])])
    for name, numbers in schema["numbers"].items():
        lines += constants(name.upper(), numbers["doc"], [(each, at) for at, each in enumerate(numbers["values"])])
    for name, row in schema["rows"].items():
        lines += js_row(name, row)
    return "\n".join(lines).rstrip() + "\n"


def constants(name: str, doc: str, values: list[tuple[Table, int]]) -> list[str]:
    return [
        f"/** {doc} */",
        f"export const {name} = /** @type {{const}} */ ({{",
        *(f"  /** {each['doc']} */\n  {camel(each['name'])}: {number}," for each, number in values),
        "});",
        "",
    ]


def js_row(name: str, row: Table) -> list[str]:
    """The tuple type, the indices of its fields, and a constructor, for a kind of row."""
    fields = [field for field in row["fields"] if not field.get("service")]
    places = [f"  {camel(field['name'])}: {at}," for at, field in enumerate(fields)]
    made = [camel(each["name"]) + (f" = {each['default']}" if "default" in each else "") for each in fields]
    return [
        "/**",
        f" * {row['doc']} As it is sent:",
        " * @typedef {[",
        *(f" *   {camel(field['name'])}: {types_of(field)[0]}," for field in fields),
        f" * ]}} {name}",
        " */",
        "",
        f"/** Places of the fields in a `{name}`. */",
        f"export const {constant(name)} = /** @type {{const}} */ ({{",
        *places,
        "});",
        "",
        "/**",
        " * @param {object} fields",
        *(js_param(field) for field in fields),
        f" * @returns {{{name}}}",
        " */",
        f"export function make{name}({{",
        *(f"  {each}," for each in made),
        "}) {",
        "  return [",
        *(f"    {camel(field['name'])}," for field in fields),
        "  ];",
        "}",
        "",
    ]


def js_param(field: Table) -> str:
    path = f"fields.{camel(field['name'])}"
    return f" * @param {{{types_of(field)[0]}}} {f'[{path}]' if 'default' in field else path} {field['doc']}"


def constant(name: str) -> str:
    """`FrameRow` → `FRAME_ROW`."""
    return "".join(f"_{char}" if char.isupper() and at else char for at, char in enumerate(name)).upper()


def python(schema: Table) -> str:
    taken = [numbers["python"].rsplit(".", 1) for numbers in schema["numbers"].values() if "python" in numbers]
    lines = [
        f'"""{MADE_FROM}',
        "",
        "The rows in which the walker answers. Coordinates and lengths are CSS px in the viewport of the frame.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from enum import IntEnum",
        "from typing import Final",
        "",
        "import msgspec",
        "",
        *(f"from {module} import {name}" for module, name in taken),
        "",
        "Rect = tuple[float, float, float, float]",
        '"""Left, top, right, bottom."""',
        "",
    ]
    for bit, each in enumerate(schema["flags"]["values"]):
        lines += [f"{each['name'].upper()}: Final = {1 << bit}", f'"""Flag: {each["doc"]}."""', ""]
    for name, numbers in schema["numbers"].items():
        lines += py_numbers(name, numbers)
    for name, row in schema["rows"].items():
        lines += ["", *py_row(name, row)]
    return "\n".join(lines).rstrip() + "\n"


def py_numbers(name: str, numbers: Table) -> list[str]:
    """The values of one of our enums, in order, or an enum of its own."""
    if "python" in numbers:
        enum = numbers["python"].rsplit(".", 1)[1]
        members = ", ".join(f"{enum}.{each['name'].upper()}" for each in numbers["values"])
        return [f"{name.upper()}ES: Final = ({members})", '"""By the walker\'s number for each."""', ""]
    return [
        "",
        f"class {name.capitalize()}(IntEnum):",
        f'    """{numbers["doc"]}',
        "",
        *(f"    {each['name'].upper()}: {each['doc']}." for each in numbers["values"]),
        '    """',
        "",
        *(f"    {each['name'].upper()} = {at}" for at, each in enumerate(numbers["values"])),
        "",
    ]


def py_row(name: str, row: Table) -> list[str]:
    """A struct that msgspec decodes from an array. The walker sends all fields except those that the service adds."""
    return [
        f"class {name}(msgspec.Struct, array_like=True):",
        f'    """{row["doc"]}',
        "",
        "    Attributes:",
        *(f"        {field['name']}: {field['doc']}." for field in row["fields"]),
        '    """',
        "",
        *(f"    {field['name']}: {types_of(field)[1]}{py_default(field)}" for field in row["fields"]),
        "",
    ]


def py_default(field: Table) -> str:
    if not field.get("service"):
        return ""
    return f" = {PYTHON_DEFAULTS.get(field['default'], field['default'])}"


if __name__ == "__main__":
    source, folder = map(Path, sys.argv[1:])
    layout = tomllib.loads(source.read_text("utf-8"))
    (folder / "row_layout.js").write_text(javascript(layout), "utf-8")
    (folder / "row_layout.py").write_text(python(layout), "utf-8")

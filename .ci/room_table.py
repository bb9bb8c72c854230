"""Writes the table of rooms in CONTRIBUTING.md: what each holds, by its package's docstring, and which of the others it
imports, by the import graph. Usage: .venv/bin/python .ci/room_table.py [TARGET]
"""

import ast
import sys
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- rooms, by .ci/room_table.py -->\n", "<!-- end of rooms -->\n"
EVERYWHERE = {"errors", "v1"}
"""Part of the vocabulary, and generated."""


def rooms(graph: grimp.ImportGraph) -> list[str]:
    return sorted(name for name in graph.find_children("perception") if (_folder(name) / "__init__.py").is_file())


def _folder(module: str) -> Path:
    return ROOT.joinpath(*module.split("."))


def row(graph: grimp.ImportGraph, room: str, others: list[str]) -> str:
    name = room.partition(".")[2]
    held = ast.get_docstring(ast.parse((_folder(room) / "__init__.py").read_text("utf-8"))) or ""
    inside = {room, *graph.find_descendants(room)}
    used = {each for module in inside for each in graph.find_modules_directly_imported_by(module)} - inside
    found = [each.partition(".")[2] for each in others if any(f"{use}.".startswith(f"{each}.") for use in used)]
    imports = " ".join(f"`{each}`" for each in found)
    return f"| `{name}` | {held.partition(chr(10) * 2)[0].replace(chr(10), ' ')} | {imports} |\n"


if __name__ == "__main__":
    target = Path(sys.argv[1]) if sys.argv[1:] else GUIDE
    whole = grimp.build_graph("perception", cache_dir=None)
    listed = [each for each in rooms(whole) if each.partition(".")[2] not in EVERYWHERE]
    table = "| room | holds | imports |\n|---|---|---|\n" + "".join(row(whole, each, listed) for each in listed)
    text = GUIDE.read_text("utf-8")
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    target.write_text(before + BEGIN + table + END + after, "utf-8")

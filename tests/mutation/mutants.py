"""Small changes of the product's code, one at a time, that tests should notice. Pure.

The changes are those that mutation testing uses (https://pitest.org/quickstart/mutators/): conditions negated,
comparisons and numbers shifted, calls left out, values not returned. Python is read by `ast`, JavaScript by the words
of its operators.
"""

from __future__ import annotations

import ast
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SKIPPED = ("perception/v1/", "perception/client/_sync/", "server/viewer/web/", "server/viewer/static/")
"""Made by other code."""

ROOMS = ("perception/", "server/", "fusion/")

COMPARISONS = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}

JAVASCRIPT = {
    "===": "!==",
    "!==": "===",
    "&&": "||",
    "||": "&&",
    "return true": "return false",
    "return false": "return true",
    " < ": " >= ",
    " > ": " <= ",
    " <= ": " > ",
    " >= ": " < ",
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change.

    Attributes:
        path: of the file, from the repository's root.
        line: where it begins, from 1.
        before, after: the source lines that it changes, as they are and as they become.
    """

    path: str
    line: int
    before: str
    after: str

    @property
    def room(self) -> str:
        parts = self.path.split("/")
        if self.path.endswith(".js"):
            return "/".join(parts[:-1])
        return "/".join(parts[:2]) if parts[0] in ("perception", "server") and len(parts) > 2 else parts[0]

    def apply(self, text: str) -> str:
        """The file's text with the change. Raises ValueError: it does not have these lines, or has them twice."""
        if text.count(self.before) != 1:
            raise ValueError(f"{self.path}: {self.before.strip()!r} stands there {text.count(self.before)} times")
        return text.replace(self.before, self.after)


def draw_mutants(root: Path, count: int, seed: int) -> list[Mutant]:
    """Changes spread over all rooms, as evenly as there are some, the same for the same seed."""
    dice = random.Random(seed)
    by_room: dict[str, list[Mutant]] = defaultdict(list)
    for path in sorted([*root.glob("perception/**/*.py"), *root.glob("perception/**/*.js"), *root.glob("*/**/*.py")]):
        name = path.relative_to(root).as_posix()
        if path.is_symlink() or any(each.is_symlink() for each in path.parents) or name.startswith(SKIPPED):
            continue
        if not name.startswith(ROOMS):
            continue
        text = path.read_text("utf-8")
        found = _of_python(name, text) if path.suffix == ".py" else _of_javascript(name, text)
        for each in found:
            if text.count(each.before) == 1:
                by_room[each.room].append(each)
    for found in by_room.values():
        dice.shuffle(found)
    drawn: list[Mutant] = []
    while len(drawn) < count and any(by_room.values()):
        rooms = [room for room in sorted(by_room) if by_room[room]]
        dice.shuffle(rooms)
        drawn += [by_room[room].pop() for room in rooms[: count - len(drawn)]]
    return drawn


def _of_python(path: str, text: str) -> Iterator[Mutant]:
    lines = text.splitlines(keepends=True)

    def change(node: ast.expr | ast.stmt, becomes: str) -> Mutant:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        first, last = node.lineno - 1, node.end_lineno - 1
        before = "".join(lines[first : last + 1])
        head = lines[first].encode()[: node.col_offset].decode()
        tail = lines[last].encode()[node.end_col_offset :].decode()
        return Mutant(path, node.lineno, before, head + becomes + tail)

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
            left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
            yield change(node, f"{left} {COMPARISONS[type(node.ops[0])]} {right}")
        elif isinstance(node, ast.BoolOp):
            joined = " or " if isinstance(node.op, ast.And) else " and "
            yield change(node, "(" + joined.join(f"({ast.unparse(each)})" for each in node.values) + ")")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield change(node, f"({ast.unparse(node.operand)})")
        elif isinstance(node, ast.If | ast.IfExp | ast.While) and not isinstance(node.test, ast.Compare):
            yield change(node.test, f"not ({ast.unparse(node.test)})")
        elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
            yield change(node.value, "None")
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await):
            yield change(node, "pass")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            other = "-" if isinstance(node.op, ast.Add) else "+"
            yield change(node, f"({ast.unparse(node.left)} {other} {ast.unparse(node.right)})")
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield change(node, str(node.value + 1))


def _of_javascript(path: str, text: str) -> Iterator[Mutant]:
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if line.lstrip().startswith(("*", "//", "/*", "import ")):
            continue
        for old, new in JAVASCRIPT.items():
            for found in re.finditer(re.escape(old), line):
                if line[max(0, found.start() - 1) : found.end() + 1].count("=") > new.count("=") + old.count("="):
                    continue  # a part of a longer operator
                yield Mutant(path, number, line, line[: found.start()] + new + line[found.end() :])

"""Batches: the rows to run a subroutine over, and what is known of each from a results file. Pure: text in, plans out.

A results file is JSON Lines. A row has a line when it is begun and one when it has ended, so that a row that was begun
and never ended is known as one that nobody may run again.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from perception.errors import BadInputError
from perception.subroutines.arguments import check_arguments

MAX_ROWS = 100_000
"""More than a browser does in a day."""

_TRUE, _FALSE = ("true", "yes", "1", "on"), ("false", "no", "0", "off")


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its place in the file (from 1), its arguments, and a mark of them."""

    number: int
    arguments: Mapping[str, Any]
    mark: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """What a results file leaves: rows to run, rows that have ended, and rows that were begun and never ended."""

    left: tuple[Row, ...]
    ended: int
    unknown: tuple[Row, ...]


def read_rows(text: str, schema: Mapping[str, Any], *, is_csv: bool) -> tuple[Row, ...]:
    """The rows of a CSV file (with a head) or of JSON Lines, each checked against a subroutine's parameters.

    Raises:
        BadInputError: a row cannot be read or has a bad argument; says which row.
    """
    rows = []
    given = _csv_rows(text, schema) if is_csv else _json_rows(text)
    for number, arguments in enumerate(given, 1):
        if number > MAX_ROWS:
            raise BadInputError(f"the file has over {MAX_ROWS} rows: split it")
        try:
            checked = check_arguments(schema, arguments)
        except BadInputError as exc:
            raise BadInputError(f"row {number}: {exc}") from exc
        rows.append(Row(number, checked, _mark(checked)))
    if not rows:
        raise BadInputError("the file has no rows: give a head and rows (CSV), or an object a line (JSON Lines)")
    return tuple(rows)


def resume(rows: Sequence[Row], results: str) -> Resumed:
    """What is left to do after what a results file tells.

    Raises:
        BadInputError: the file is of other rows, or no results file.
    """
    begun: dict[int, str] = {}
    ended: set[int] = set()
    for line in results.splitlines():
        entry = _entry(line)
        number = int(entry["row"])
        begun.setdefault(number, str(entry.get("mark", begun.get(number, ""))))
        if entry.get("state") == "ended":
            ended.add(number)
    for row in rows:
        if begun.get(row.number, row.mark) != row.mark:
            raise BadInputError(
                f"row {row.number} is another one in the results file: give the file that belongs to these rows, or a "
                "new one"
            )
    unknown = tuple(row for row in rows if row.number in begun and row.number not in ended)
    left = tuple(row for row in rows if row.number not in begun)
    return Resumed(left, len(ended), unknown)


def begun_line(row: Row) -> str:
    """Written before a row is run. It holds no argument: some are secret."""
    return json.dumps({"row": row.number, "state": "begun", "mark": row.mark}) + "\n"


def ended_line(row: Row, result: Mapping[str, Any]) -> str:
    """Written when a row has ended, however it did."""
    return json.dumps({"row": row.number, "state": "ended", **result}, ensure_ascii=False) + "\n"


def _mark(arguments: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).hexdigest()[:16]


def _entry(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
        int(entry["row"])
    except (ValueError, TypeError, KeyError, OverflowError) as exc:
        # A line that was cut by a crash is the last one, and its row was begun by the one before it.
        if not line.endswith("}"):
            return {"row": 0}
        raise BadInputError(f"{line[:60]!r} is no line of a results file: give another --out") from exc
    return dict(entry)


def _csv_rows(text: str, schema: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    reader = csv.DictReader(io.StringIO(text), strict=True)
    try:
        for number, row in enumerate(reader, 1):
            if None in row or None in row.values():
                raise BadInputError(
                    f"row {number} has more or fewer values than the head: write each value, also empty"
                )
            yield {
                name: _typed(value, properties[name]) if name in properties else value
                for name, value in row.items()
                if value != "" or properties.get(name, {}).get("type") == "string"
            }
    except csv.Error as exc:
        raise BadInputError(f"the file is no CSV: {exc}") from exc


def _typed(text: str, schema: Mapping[str, Any]) -> Any:
    """A CSV value as the schema wants it; one that cannot be is left to be refused."""
    kind = schema["type"]
    if kind == "number":
        try:
            return float(text)
        except ValueError:
            return text
    if kind == "boolean":
        return True if text.lower() in _TRUE else False if text.lower() in _FALSE else text
    return [each.strip() for each in text.split(";")] if kind == "array" else text


def _json_rows(text: str) -> Iterable[dict[str, Any]]:
    for number, line in enumerate((line for line in text.splitlines() if line.strip()), 1):
        try:
            row = json.loads(line)
        except ValueError as exc:
            raise BadInputError(f"row {number} is no JSON: {exc}") from exc
        if not isinstance(row, dict):
            raise BadInputError(f"row {number} is no object: write one a line")
        yield row

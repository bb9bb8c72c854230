"""Batches: the rows of a file to run a subroutine over, and their states from a results file. Pure: works on text.

A results file is JSON Lines. A row has one line when it is started and one when it has ended, so that a row without its
second line is known as one that must not run again.
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
"""More than a browser can process in a day."""

_TRUE, _FALSE = ("true", "yes", "1", "on"), ("false", "no", "0", "off")


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One row of a file.

    Attributes:
        number: its number in the file, from 1.
        arguments: checked arguments.
        mark: digest of the arguments.
    """

    number: int
    arguments: Mapping[str, Any]
    mark: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """State of the rows after reading a results file.

    Attributes:
        left: rows that were not started.
        ended: number of rows that have ended.
        unknown: rows that were started and have not ended.
    """

    left: tuple[BatchRow, ...]
    ended: int
    unknown: tuple[BatchRow, ...]


def read_rows(text: str, schema: Mapping[str, Any], *, is_csv: bool) -> tuple[BatchRow, ...]:
    """Reads the rows of a CSV file (with a header) or of JSON Lines, and checks their arguments.

    Args:
        text: content of the file.
        schema: JSON Schema of the subroutine's parameters.
        is_csv: whether it is CSV.

    Raises:
        BadInputError: a row cannot be read or has an invalid argument; the message names the row.
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
        rows.append(BatchRow(number, checked, _mark(checked)))
    if not rows:
        raise BadInputError("the file has no rows: give a head and rows (CSV), or an object a line (JSON Lines)")
    return tuple(rows)


def resume(rows: Sequence[BatchRow], results: str) -> Resumed:
    """The state of rows by a results file.

    Raises:
        BadInputError: the file belongs to other rows, or is not a results file.
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


def begun_line(row: BatchRow) -> str:
    """The line to write before a row runs. It contains no arguments, since some are secret."""
    return json.dumps({"row": row.number, "state": "begun", "mark": row.mark}) + "\n"


def ended_line(row: BatchRow, result: Mapping[str, Any]) -> str:
    """The line to write when a row has ended, successfully or not."""
    return json.dumps({"row": row.number, "state": "ended", **result}, ensure_ascii=False) + "\n"


def _mark(arguments: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).hexdigest()[:16]


def _entry(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
        int(entry["row"])
    except (ValueError, TypeError, KeyError, OverflowError) as exc:
        # A line that a crash truncated is the last one, and the line before it has started its row.
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
    """A CSV value in the schema's type; a value that cannot be converted is returned unchanged and refused later."""
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

"""Batches: the rows of a file to run a subroutine over, and their states from a results file. Pure: works on text.

A results file is JSON Lines. A row has one line when it is started and one when it has ended, so that a row without its
second line is known as one that must not run again. A row that cannot be run has one line that says why.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
        arguments: checked arguments, except for the computed ones.
        mark: digest of the arguments.
        cells: what computed columns may use, as text by column.
    """

    number: int
    arguments: Mapping[str, Any]
    mark: str
    cells: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be run.

    Attributes:
        number: its number in the file, from 1.
        error: why, and what to do.
    """

    number: int
    error: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """State of the rows after reading a results file.

    Attributes:
        left: rows to run.
        ended: number of rows that have ended and are not run again.
        unknown: rows that were started and have not ended.
        doubtful: failed rows that are not run again, although that was asked for: they may have had an effect.
    """

    left: tuple[BatchRow, ...]
    ended: int
    unknown: tuple[BatchRow, ...]
    doubtful: tuple[BatchRow, ...] = ()


def read_rows(
    text: str,
    schema: Mapping[str, Any],
    *,
    is_csv: bool,
    computed: Collection[str] = (),
    sources: Collection[str] = (),
) -> tuple[tuple[BatchRow, ...], tuple[BadRow, ...]]:
    """Reads the rows of a CSV file (with a header) or of JSON Lines, and checks their arguments.

    Args:
        text: content of the file.
        schema: JSON Schema of the subroutine's parameters.
        is_csv: whether it is CSV.
        computed: parameters that are computed later for each row.
        sources: columns from which they are computed; they need not be parameters.

    Returns:
        The rows to run, and those that cannot be read or have an invalid argument.

    Raises:
        BadInputError: the whole file cannot be used: it is not CSV, a column is not a parameter, or there are no rows.
    """
    rows: list[BatchRow] = []
    bad: list[BadRow] = []
    known = {**{key: {"type": "string"} for key in sources}, **schema.get("properties", {})}
    wanted = {**schema, "required": [name for name in schema.get("required", ()) if name not in computed]}
    given = _csv_rows(text, known) if is_csv else _json_rows(text)
    for number, arguments in enumerate(given, 1):
        if number > MAX_ROWS:
            raise BadInputError(f"the file has over {MAX_ROWS} rows: split it")
        if isinstance(arguments, str):
            bad.append(BadRow(number, arguments))
            continue
        cells = {name: str(arguments[name]) for name in sources if name in arguments}
        own = {name: value for name, value in arguments.items() if name in schema["properties"] or name not in cells}
        try:
            checked = check_arguments(wanted, own)
        except BadInputError as exc:
            bad.append(BadRow(number, str(exc)))
        else:
            rows.append(BatchRow(number, checked, _mark({**cells, **checked}), cells))
    if not rows and not bad:
        raise BadInputError("the file has no rows: give a head and rows (CSV), or an object a line (JSON Lines)")
    return tuple(rows), tuple(bad)


def resume(rows: Sequence[BatchRow], results: str, *, retry_failed: bool = False) -> Resumed:
    """The state of rows by a results file.

    Args:
        rows: the rows to run.
        results: content of the file.
        retry_failed: whether rows that failed without an effect are run again, also with other arguments.

    Raises:
        BadInputError: the file belongs to other rows, or is not a results file.
    """
    begun: dict[int, str] = {}
    ended: dict[int, dict[str, Any]] = {}
    for line in results.splitlines():
        entry = _entry(line)
        number = int(entry["row"])
        if entry.get("state") == "begun":
            begun[number] = str(entry.get("mark", ""))
            ended.pop(number, None)
        elif entry.get("state") == "ended":
            ended[number] = entry
    failed = {number for number, entry in ended.items() if not entry.get("success")}
    again = {number for number in failed if retry_failed and had_no_effect(ended[number])}
    for row in rows:
        if row.number not in again and begun.get(row.number, row.mark) != row.mark:
            raise BadInputError(
                f"row {row.number} is another one in the results file: give the file that belongs to these rows, or a "
                "new one"
            )
    return Resumed(
        left=tuple(row for row in rows if row.number not in begun or row.number in again),
        ended=len(ended.keys() - again),
        unknown=tuple(row for row in rows if row.number in begun and row.number not in ended),
        doubtful=tuple(row for row in rows if retry_failed and row.number in failed - again),
    )


def had_no_effect(ended: Mapping[str, Any]) -> bool:
    """Whether a failed row may be run again: nothing was sent, or the site refused the one request that was."""
    if ended.get("sent") is False:
        return True
    match ended.get("statuses"):
        case [int(status)]:
            return ended.get("reason") in ("REFUSED", "NOT_LOGGED_IN") and 200 <= status < 500
    return False


def begun_line(row: BatchRow) -> str:
    """The line to write before a row runs. It contains no arguments, since some are secret."""
    return json.dumps({"row": row.number, "state": "begun", "mark": row.mark}) + "\n"


def ended_line(row: BatchRow, result: Mapping[str, Any]) -> str:
    """The line to write when a row has ended, successfully or not."""
    return json.dumps({"row": row.number, "state": "ended", **result}, ensure_ascii=False) + "\n"


def bad_line(row: BadRow) -> str:
    """The line for a row that is not run. It is run when the file is corrected and the batch continued."""
    result = {"success": False, "error": row.error, "reason": BadInputError.reason, "sent": False}
    return json.dumps({"row": row.number, "state": "bad", **result}, ensure_ascii=False) + "\n"


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
        raise BadInputError(f"{line[:60]!r} is not a line of a results file: give another --out") from exc
    return dict(entry)


def _csv_rows(text: str, properties: Mapping[str, Any]) -> Iterator[dict[str, Any] | str]:
    """Arguments by row; for a row that cannot be read, why."""
    reader = csv.DictReader(io.StringIO(text), strict=True)
    try:
        unknown = [name for name in reader.fieldnames or () if name not in properties]
        if unknown:
            raise BadInputError(
                f"the column {unknown[0][:60]!r} is not a parameter: it takes {', '.join(properties) or 'none'}"
            )
        for row in reader:
            if None in row or None in row.values():
                yield "it has more or fewer values than the head: write each value, also empty"
                continue
            yield {name: typed(value, properties[name]) for name, value in row.items() if value != ""}
    except csv.Error as exc:
        raise BadInputError(f"the file is not valid CSV: {exc}") from exc


def typed(text: str, schema: Mapping[str, Any]) -> Any:
    """A text in the schema's type; one that cannot be converted is returned unchanged, and refused later."""
    kind = schema["type"]
    if kind == "number":
        try:
            return float(text)
        except ValueError:
            return text
    if kind == "boolean":
        return True if text.lower() in _TRUE else False if text.lower() in _FALSE else text
    return [each.strip() for each in text.split(";")] if kind == "array" else text


def _json_rows(text: str) -> Iterator[dict[str, Any] | str]:
    """Arguments by row; for a row that cannot be read, why."""
    for line in filter(str.strip, text.splitlines()):
        try:
            row = json.loads(line)
        except ValueError as exc:
            yield f"it is not valid JSON: {exc}"
            continue
        yield row if isinstance(row, dict) else "it is not an object: write one a line"

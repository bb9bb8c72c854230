"""Reads records from Parquet files, a few rows at a time. Needs pyarrow, which is an extra."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any

from perception.datasets.layouts.jsonstream import FileError, Record
from perception.datasets.sample import Broken
from perception.errors import first_line

ROWS = 4
"""Rows that are read at once: a row may contain a screenshot of some MB."""

BUFFER = 1 << 20
"""Bytes of a column that are read ahead, instead of whole row groups. For 400 screenshots of 0.5 MB in four row groups
pyarrow 26 then holds at most 98 MB, and 283 MB by default."""

SKIPPED = frozenset({"raw_html", "cleaned_html", "neg_candidates"})
"""Columns of Multimodal-Mind2Web with most of its bytes, which are not used."""


def read_rows(path: Path, label: str) -> Iterator[Record | Broken]:
    """Yields every row as a dict.

    Raises:
        FileError: pyarrow is not installed, or the file is not Parquet.
    """
    pyarrow, parquet = _modules()
    try:
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=BUFFER) as file:
            wanted = [name for name in file.schema_arrow.names if name not in SKIPPED]
            index = 0
            for batch in file.iter_batches(batch_size=ROWS, columns=wanted):
                for row in batch.to_pylist():
                    yield Record(f"{label}[{index}]", row)
                    index += 1
    except (OSError, ValueError, pyarrow.ArrowException) as exc:
        raise FileError(f"cannot be read as Parquet: {first_line(exc)}") from exc


def columns_of(path: Path) -> Set[str]:
    """The names of the columns. Raises FileError as `read_rows`."""
    pyarrow, parquet = _modules()
    try:
        return frozenset(parquet.read_schema(path).names)
    except (OSError, ValueError, pyarrow.ArrowException) as exc:
        raise FileError(f"cannot be read as Parquet: {first_line(exc)}") from exc


def _modules() -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError as exc:
        raise FileError("is Parquet, which needs pyarrow: pip install pyarrow") from exc

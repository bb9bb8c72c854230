"""A data set by what is typed on the command line."""

from __future__ import annotations

from pathlib import Path

from perception.datasets.sample import Dataset, DatasetError
from perception.datasets.store import Store


def open_dataset(spec: str, home: Path) -> Dataset:
    """A built data set by its name.

    Raises:
        DatasetError: there is none of that name.
    """
    store = Store(home)
    if spec in store.names():
        return store.dataset(spec)
    raise DatasetError(
        f"no data set {spec!r}: built are {', '.join(store.names()) or 'none'}; `perception dataset build {spec}` builds one"
    )

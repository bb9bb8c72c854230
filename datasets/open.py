"""Opens a data set by its name on the command line, and imports one into the store.

NAME              a data set that was built or imported
LAYOUT:FOLDER     a folder of the user's, in a public layout
LAYOUT@BOXES:FOLDER   the same for a copy with another form of boxes: xywh-px, xyxy-px, xywh-normalised, …
FOLDER            the same with the layout recognized by the folder's files
…#SPLIT           the part train, dev or test of any of these
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from perception.datasets.layouts import LAYOUTS, BoxForm, DatasetLayout
from perception.datasets.layouts.dataset_files import ImageFinder, image_files, record_files
from perception.datasets.layouts.layout_base import Contents, LayoutReading, Peek, peek
from perception.datasets.sample import Broken, Dataset, DatasetError, Reference, Split, split_of
from perception.datasets.sample_store import IndexRow, Store

if TYPE_CHECKING:
    from perception.datasets.sources.build import BuildReport


class FolderDataset:
    """A folder of the user's, read in a layout. `name` is the name on the command line."""

    def __init__(self, name: str, contents: Contents) -> None:
        self.name = name
        self._contents = contents

    def __iter__(self) -> Iterator[Reference | Broken]:
        return self._contents.read()


class SplitDataset:
    """The part of a data set whose groups belong to a split. Broken records have no group and are in every part."""

    def __init__(self, name: str, whole: Dataset, split: Split) -> None:
        self.name = name
        self._whole = whole
        self._split = split

    def __iter__(self) -> Iterator[Reference | Broken]:
        for record in self._whole:
            if isinstance(record, Broken) or _split_of(record) in (self._split, None):
                yield record


def _split_of(record: Reference) -> Split | None:
    """The split of a record; None if it cannot be loaded, which its next use reports."""
    try:
        return split_of(record.load().sample.group)
    except DatasetError:
        return None


def parse_split(spec: str) -> tuple[str, Split | None]:
    """The name of a data set without its split, and the split."""
    base, _, part = spec.rpartition("#")
    return (base, Split(part)) if base and part in set(Split) else (spec, None)


def open_dataset(spec: str, home: Path) -> Dataset:
    """Opens a data set that was built, or a folder.

    Args:
        spec: a name as described in the module's docstring.
        home: folder of the built data sets, and of images that are unpacked from records.

    Raises:
        DatasetError: there is no such data set or folder, or the folder cannot be read in that layout.
    """
    base, split = parse_split(spec)
    if split is not None:
        return SplitDataset(spec, open_dataset(base, home), split)
    layout, colon, folder = spec.partition(":")
    name, at, form = layout.partition("@")
    if colon and name in LAYOUTS:
        return _open_folder(spec, name, Path(folder).expanduser(), home, _form(name, form) if at else None)
    store = Store(home)
    if spec in store.names():
        return store.dataset(spec)
    if (path := Path(spec).expanduser()).is_dir():
        return _open_folder(spec, recognize(path), path, home, None)
    if path.exists():
        raise DatasetError(f"{spec} is a file: name its folder, as FOLDER or LAYOUT:FOLDER")
    if colon:
        raise DatasetError(f"layout {name!r} is not known: {', '.join(LAYOUTS)} are")
    raise DatasetError(
        f"no data set {spec!r}, and no such folder: built are {', '.join(store.names()) or 'none'}; "
        "`perception dataset build packages` builds one; a folder of yours is named as LAYOUT:FOLDER with "
        f"{', '.join(LAYOUTS)}"
    )


def recognize(folder: Path) -> str:
    """The name of a folder's layout, by its files.

    Raises:
        DatasetError: no layout fits, or several do.
    """
    peeks = _peek_all(folder)
    fitting = [name for name, layout in LAYOUTS.items() if any(map(layout.claims, peeks))]
    if not fitting and not peeks and next(image_files(folder), None) is not None:
        return "images"
    if len(fitting) == 1:
        return fitting[0]
    wants = "; ".join(f"{name}: {layout.describe}" for name, layout in LAYOUTS.items())
    if fitting:
        raise DatasetError(f"{folder} may be {' or '.join(fitting)}: say which, as {fitting[0]}:{folder}")
    raise DatasetError(f"{folder} has none of the layouts that are known: say which, as LAYOUT:FOLDER. {wants}")


def import_dataset(dataset: Dataset, store: Store, name: str) -> BuildReport:
    """Copies a data set into the store, so that its folder is no longer needed. Existing samples are kept.

    Returns:
        The numbers of copied and kept samples; `failed` has every record that cannot be used, with its reason.

    Raises:
        DatasetError: the name is invalid, or no record of the data set can be used.
    """
    from perception.datasets.sources.build import BuildReport

    stored = store.dataset(name)
    report = BuildReport()
    rows = stored.rows()
    kept: set[str] = set()
    for record in dataset:
        if isinstance(record, Broken):
            report.failed[record.record] = record.reason
            continue
        kept.add(record.name)
        if record.name in rows and rows[record.name].id == record.id:
            report.kept += 1
            continue
        try:
            _copy(record, store)
        except DatasetError as exc:
            report.failed[record.name] = str(exc)
        else:
            stored.add(IndexRow(record.name, record.id, record.id))
            report.made += 1
    if not report.made and not report.kept:
        why = next(iter(report.failed.values()), "it holds no records")
        raise DatasetError(f"nothing of {dataset.name} can be used; the first reason: {why}")
    stored.keep(kept - report.failed.keys())
    return report


def _copy(reference: Reference, store: Store) -> None:
    item = reference.load()
    store.put_image(item.image.read_bytes())
    store.put(item.sample)


def _open_folder(spec: str, name: str, folder: Path, home: Path, form: BoxForm | None) -> FolderDataset:
    if spec.endswith(":") or not folder.is_dir():
        raise DatasetError(f"{spec!r}: there is no such folder: name the one that holds the data set")
    layout = LAYOUTS[name]
    folder = folder.absolute()
    reading = LayoutReading(name, folder, form or layout.form or BoxForm.XYWH_PX, ImageFinder(folder, home))
    contents = layout.contents(reading, _files_of(layout, name, folder))
    contents.check()
    return FolderDataset(spec, contents)


def _files_of(layout: DatasetLayout, name: str, folder: Path) -> list[Path]:
    """The files of a layout and those that cannot be read; if there are none, all files, so that errors are
    reported."""
    if layout.form is None:
        return []
    peeks = _peek_all(folder)
    claimed = any(map(layout.claims, peeks))
    files = [each.path for each in peeks if not claimed or not each.top or layout.claims(each)]
    if not files:
        raise DatasetError(f"{folder} is not of layout {name}: it takes {layout.describe}")
    return files


def _peek_all(folder: Path) -> list[Peek]:
    return [peek(path) for path in record_files(folder)]


def _form(name: str, word: str) -> BoxForm:
    if LAYOUTS[name].form is None:
        raise DatasetError(f"{name} has no boxes: leave out @{word}")
    try:
        return BoxForm(word)
    except ValueError as exc:
        raise DatasetError(f"boxes {word!r} are not known: {', '.join(BoxForm)} are") from exc

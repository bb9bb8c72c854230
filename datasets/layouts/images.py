"""The layout of any folder of PNG, JPEG and WebP files, at any depth: samples without ground truth."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from perception.datasets.layouts.dataset_files import RecordError, image_files, open_image
from perception.datasets.layouts.layout_base import UNSIZED, Contents, DatasetLayout, LayoutReading, make_reference
from perception.datasets.sample import Broken, DatasetError, Reference, Sample


class ImageContents(Contents):
    """A folder's images. The group is the image's folder; for images directly in the data set's folder, the image."""

    def __init__(self, reading: LayoutReading, files: list[Path]) -> None:
        self._reading = reading

    def check(self) -> None:
        if next(image_files(self._reading.folder), None) is None:
            raise DatasetError(f"{self._reading.folder} holds no PNG, JPEG or WebP files")

    def read(self) -> Iterator[Reference | Broken]:
        for path in image_files(self._reading.folder):
            name = self._reading.label(path)
            group = name.rpartition("/")[0] or name
            sample = Sample(name, self._reading.layout, group, name, "", UNSIZED)
            try:
                yield make_reference(sample, open_image(path))
            except RecordError as exc:
                yield Broken(name, str(exc))


IMAGES = DatasetLayout("any folder of PNG, JPEG and WebP files, nested; no truth", lambda peek: False, ImageContents)

"""Samples and images by their content; indexes that grow by whole lines."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from perception.datasets.sample import (
    DatasetError,
    Sample,
    Split,
    TruthElement,
    decode_sample,
    encode_sample,
    sample_id,
    split_of,
)
from perception.datasets.sample_store import IndexRow, Store
from perception.geometry import Box, Point
from perception.imaging.codec import encode_png
from perception.types import Capture, Element, NodeKey, Scroll, Source, Viewport

PNG = encode_png(np.zeros((4, 6, 3), np.uint8))


def sample(store: Store, name: str = "a@6x4") -> Sample:
    element = Element(
        "button", "Zoë", Box(0, 0, 2, 2), sources=(Source.OCR,), node=NodeKey("l", 1), click_point=Point(1, 1)
    )
    capture = Capture("u", "t", "l", Viewport(6, 4), Scroll(), (element,))
    truth = (TruthElement("button", "Zoë", Box(0, 0, 2, 2), True, True),)
    digest = store.put_image(PNG)
    return Sample(
        name, "test", "group", "a", digest, Viewport(6, 4), truth=truth, capture=capture, made={"b": "1", "a": "2"}
    )


def test_what_is_stored_comes_back_with_its_image(tmp_path: Path) -> None:
    store = Store(tmp_path)
    kept = sample(store)
    digest = store.put(kept)
    item = store.load(digest)
    assert item.sample == kept
    assert item.image.read_bytes() == PNG
    assert store.has(digest)


def test_an_id_is_of_the_content_alone(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first, other = sample(store), sample(store, "b@6x4")
    assert store.put(first) == store.put(sample(store)) == sample_id(encode_sample(first))
    assert store.put(first) != store.put(other)
    assert decode_sample(encode_sample(first)) == first


def test_a_sample_that_was_changed_or_is_gone_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    store = Store(tmp_path)
    digest = store.put(sample(store))
    path = next(tmp_path.glob(f"objects/*/{digest}.json"))
    path.write_bytes(path.read_bytes().replace(b"button", b"buttom"))
    with pytest.raises(DatasetError, match="was changed"):
        store.load(digest)
    path.unlink()
    with pytest.raises(DatasetError, match="build its data set again"):
        store.load(digest)


def test_an_invalid_image_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="neither a PNG nor a JPEG"):
        Store(tmp_path).put_image(b"<svg/>")


def test_the_last_row_of_a_name_counts_and_a_cut_off_line_does_not(tmp_path: Path) -> None:
    store = Store(tmp_path)
    dataset = store.dataset("pages")
    assert dataset.rows() == {}
    dataset.add(IndexRow("a", "1", "k1"))
    dataset.add(IndexRow("b", "2", "k2"))
    dataset.add(IndexRow("a", "3", "k3"))
    index = tmp_path / "datasets" / "pages.jsonl"
    index.write_bytes(index.read_bytes() + b'{"name":"c","id"')
    assert {row.name: row.id for row in dataset.rows().values()} == {"a": "3", "b": "2"}
    dataset.add(IndexRow("c", "4", "k4"))
    assert list(dataset.rows()) == ["a", "b", "c"]
    assert store.names() == ["pages"]


def test_references_load_from_elsewhere(tmp_path: Path) -> None:
    store = Store(tmp_path)
    dataset = store.dataset("pages")
    dataset.add(IndexRow("a@6x4", store.put(sample(store)), "k"))
    (reference,) = pickle.loads(pickle.dumps(list(dataset)))
    assert reference.load().sample.name == "a@6x4"


@pytest.mark.parametrize("name", ["", "../up", "UP", "a/b", ".hidden"])
def test_a_name_that_is_no_file_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(DatasetError, match="small letters"):
        Store(tmp_path).dataset(name)


def test_a_group_is_in_one_split_for_ever() -> None:
    assert split_of("django") is split_of("django")
    found = [split_of(f"package-{index}") for index in range(500)]
    assert {split: round(found.count(split) / 500, 1) for split in Split} == {
        Split.TRAIN: 0.6,
        Split.DEV: 0.2,
        Split.TEST: 0.2,
    }

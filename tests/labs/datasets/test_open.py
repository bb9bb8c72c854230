"""Data sets by what is typed, and taking folders in."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from perception.datasets.layouts import LAYOUTS
from perception.datasets.open import import_dataset, open_dataset
from perception.datasets.sample import Broken, Dataset, DatasetError, Split
from perception.datasets.sample_store import Store


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A ScreenSpot folder of two good images and a missing one."""
    folder = tmp_path / "data"
    (folder / "imgs").mkdir(parents=True)
    for name in ("a.png", "b.jpg"):
        Image.new("RGB", (200, 100)).save(folder / "imgs" / name)
    names = ("a.png", "b.jpg", "gone.png")
    records = [{"img_filename": name, "instruction": "open", "bbox": [1, 2, 30, 40]} for name in names]
    (folder / "screenspot_web.json").write_text(json.dumps(records))
    return folder


def names_of(dataset: Dataset) -> list[str]:
    return [each.record if isinstance(each, Broken) else each.name for each in dataset]


def test_a_folder_is_recognized_by_its_files(folder: Path, home: Path) -> None:
    dataset = open_dataset(str(folder), home)
    assert dataset.name == str(folder)
    assert sorted(names_of(dataset)) == ["a.png", "b.jpg", "screenspot_web.json[2]"]


def test_a_folder_of_images_alone_is_that(folder: Path, home: Path) -> None:
    assert names_of(open_dataset(str(folder / "imgs"), home)) == ["a.png", "b.jpg"]


def test_a_layout_that_is_named_is_used(folder: Path, home: Path) -> None:
    assert names_of(open_dataset(f"images:{folder}", home)) == ["imgs/a.png", "imgs/b.jpg"]


def test_a_data_set_can_be_gone_through_twice(folder: Path, home: Path) -> None:
    dataset = open_dataset(str(folder), home)
    assert names_of(dataset) == names_of(dataset)


def test_splits_part_a_data_set_and_name_what_is_broken_in_each(folder: Path, home: Path) -> None:
    for number in range(20):
        shutil.copy(folder / "imgs" / "a.png", folder / "imgs" / f"{number}.png")
    names = [f"{number}.png" for number in range(20)]
    records = [{"img_filename": name, "instruction": "open", "bbox": [1, 2, 30, 40]} for name in [*names, "gone.png"]]
    (folder / "screenspot_web.json").write_text(json.dumps(records))
    broken = "screenspot_web.json[20]"
    parts = [names_of(open_dataset(f"screenspot:{folder}#{split}", home)) for split in Split]
    assert all(broken in part for part in parts)
    found = [name for part in parts for name in part if name != broken]
    assert sorted(found) == sorted(names)


def test_a_home_folder_is_understood(folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder.parent))
    assert len(names_of(open_dataset("screenspot:~/data", home))) == 3


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        pytest.param(
            "nothing", "no data set 'nothing', and no such folder: built are none; `perception dataset build", id="name"
        ),
        pytest.param("jpegs:{folder}", "layout 'jpegs' is not known: screenspot, screenspot-v2", id="layout"),
        pytest.param("screenspot@diagonal:{folder}", "boxes 'diagonal' are not known: xywh-px, xyxy-px", id="form"),
        pytest.param("images@xywh-px:{folder}", "images has no boxes", id="form of none"),
        pytest.param("screenspot:{folder}/gone", "there is no such folder", id="folder"),
        pytest.param("screenspot:", "there is no such folder", id="no folder"),
        pytest.param("{folder}/screenspot_web.json", "is a file: name its folder", id="file"),
        pytest.param(
            "screenspot:{folder}/imgs", "is not of layout screenspot: it takes ScreenSpot:", id="without records"
        ),
        pytest.param("images:{folder}/empty", "holds no PNG, JPEG or WebP files", id="no images"),
        pytest.param("{folder}/empty", "has none of the layouts that are known", id="nothing in it"),
    ],
)
def test_an_unknown_data_set_error_lists_the_known_ones(folder: Path, home: Path, spec: str, says: str) -> None:
    (folder / "empty").mkdir()
    with pytest.raises(DatasetError, match=says) as caught:
        open_dataset(spec.format(folder=folder), home)
    assert "\n" not in str(caught.value)


def test_a_folder_of_none_names_every_layout_and_what_it_takes(tmp_path: Path, home: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "not a data set"}')
    Image.new("RGB", (20, 10)).save(tmp_path / "a.png")
    with pytest.raises(DatasetError) as caught:
        open_dataset(str(tmp_path), home)
    assert all(f"{name}: {layout.describe}" in str(caught.value) for name, layout in LAYOUTS.items())


def test_a_folder_of_two_layouts_asks_which(folder: Path, home: Path) -> None:
    shutil.copyfile(folder / "screenspot_web.json", folder / "screenspot_web_v2.json")
    with pytest.raises(DatasetError, match="may be screenspot or screenspot-v2: say which, as screenspot:"):
        open_dataset(str(folder), home)
    assert len(names_of(open_dataset(f"screenspot-v2:{folder}", home))) == 3


def test_an_imported_data_set_outlives_its_folder(folder: Path, home: Path) -> None:
    source = open_dataset(f"screenspot:{folder}", home)
    ids = [each.id for each in source if not isinstance(each, Broken)]
    report = import_dataset(source, Store(home), "mine")
    assert (report.made, report.kept) == (2, 0)
    assert list(report.failed) == ["screenspot_web.json[2]"]
    shutil.rmtree(folder)
    records = [each for each in open_dataset("mine", home) if not isinstance(each, Broken)]
    assert [each.id for each in records] == ids
    assert [each.load().sample.tasks[0].instruction for each in records] == ["open", "open"]


def test_taking_in_again_copies_what_changed_and_forgets_what_is_gone(folder: Path, home: Path) -> None:
    import_dataset(open_dataset(str(folder), home), Store(home), "mine")
    Image.new("RGB", (200, 100), "red").save(folder / "imgs" / "a.png")
    (folder / "imgs" / "b.jpg").rename(folder / "imgs" / "gone.png")
    report = import_dataset(open_dataset(str(folder), home), Store(home), "mine")
    assert (report.made, report.kept, list(report.failed)) == (2, 0, ["screenspot_web.json[1]"])
    assert names_of(open_dataset("mine", home)) == ["a.png", "gone.png"]
    assert import_dataset(open_dataset(str(folder), home), Store(home), "mine").kept == 2


def test_a_folder_of_which_nothing_can_be_used_is_not_taken_in(folder: Path, home: Path) -> None:
    shutil.rmtree(folder / "imgs")
    with pytest.raises(DatasetError, match=r"nothing of .* can be used; the first reason: image 'a\.png' is missing"):
        import_dataset(open_dataset(str(folder), home), Store(home), "mine")
    assert Store(home).names() == []


def test_a_data_set_is_not_imported_under_an_invalid_name(folder: Path, home: Path) -> None:
    with pytest.raises(DatasetError, match="use small letters"):
        import_dataset(open_dataset(str(folder), home), Store(home), "My Data")

"""Public layouts, each from a small folder that is made here, with what real folders have wrong."""

from __future__ import annotations

import base64
import concurrent.futures
import io
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import tracemalloc
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from perception.datasets.layouts.layout_base import FolderReference
from perception.datasets.open import open_dataset
from perception.datasets.sample import Broken, DatasetError, ElementKind, Item, Reference, Stratum
from perception.geometry import Box

W, H = 200, 100


def draw(path: Path, size: tuple[int, int] = (W, H), color: str = "white") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, color).save(path)
    return path


def picture(form: str = "PNG") -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (W, H), "navy").save(data, form)
    return data.getvalue()


def dump(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), "utf-8")
    return path


def lines(path: Path, values: Iterable[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")
    return path


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str, Path], tuple[list[Item], list[Broken]]]:
    """The samples and the broken records of a folder in a layout."""

    def read(layout: str, folder: Path) -> tuple[list[Item], list[Broken]]:
        records = list(open_dataset(f"{layout}:{folder}", tmp_path / "home"))
        items = [each.load() for each in records if not isinstance(each, Broken)]
        return items, [each for each in records if isinstance(each, Broken)]

    return read


Read = Callable[[str, Path], tuple[list[Item], list[Broken]]]


def target(
    name: str = "a.png", instruction: object = "open settings", box: object = (20, 10, 60, 30), **more: object
) -> Any:
    return {
        "img_filename": name,
        "instruction": instruction,
        "bbox": box,
        "data_type": "text",
        "data_source": "ios",
    } | more


def corners(box: Box) -> Any:
    return pytest.approx((box.left, box.top, box.right, box.bottom))


# ScreenSpot and its kin


def test_screenspot_reads_left_top_width_height(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "screenspot_imgs" / "a.png")
    dump(tmp_path / "d" / "screenspot_mobile.json", [target(), target(instruction="back", data_type="icon")])
    (item,), broken = read("screenspot", tmp_path / "d")
    sample = item.sample
    assert broken == []
    assert [(task.instruction, task.kind, task.target) for task in sample.tasks] == [
        ("open settings", ElementKind.TEXT, 0),
        ("back", ElementKind.ICON, 1),
    ]
    assert sample.tasks[0].box == sample.truth[0].box == Box(20, 10, 80, 40)
    assert (sample.name, sample.source, sample.group, sample.category) == ("a.png", "screenspot", "ios", "mobile")
    assert (sample.viewport.width, sample.viewport.height, sample.viewport.scale) == (W, H, 1)
    assert (sample.complete, sample.stratum, sample.capture, sample.ax) == (False, Stratum.UNKNOWN, None, ())


def test_screenspot_v2_is_recognized_by_its_name(tmp_path: Path) -> None:
    draw(tmp_path / "d" / "screenspotv2_image" / "a.png")
    dump(tmp_path / "d" / "screenspot_web_v2.json", [target()])
    (record,) = open_dataset(str(tmp_path / "d"), tmp_path / "home")
    assert isinstance(record, FolderReference)
    assert record.load().sample.source == "screenspot-v2"


def test_screenspot_pro_reads_corners_and_its_own_fields(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "images" / "vscode_macos" / "a.png")
    record = {
        "id": "vscode_macos_0",
        "img_filename": "vscode_macos/a.png",
        "bbox": [20, 10, 80, 40],
        "img_size": [W, H],
        "ui_type": "icon",
        "platform": "macos",
        "application": "vscode",
        "group": "Dev",
        "instruction": "打开 settings",
        "instruction_cn": "打开设置",
    }
    dump(tmp_path / "d" / "annotations" / "vscode_macos.json", [record, record | {"img_size": [W, H + 1]}])
    (item,), (broken,) = read("screenspot-pro", tmp_path / "d")
    assert item.sample.tasks[0].box == Box(20, 10, 80, 40)
    assert item.sample.tasks[0].instruction == "打开 settings"
    assert (item.sample.group, item.sample.category) == ("vscode-macos", "Dev")
    assert broken == Broken(
        "annotations/vscode_macos.json[1]", "the image has 200x100 pixels, its record says [200, 101]"
    )


def test_records_of_an_image_that_follow_each_other_are_one_sample_even_around_a_broken_one(
    tmp_path: Path, read: Read
) -> None:
    for name in ("a.png", "b.png"):
        draw(tmp_path / "d" / name)
    records = [target(), target(box=[0, 0, 0, 0]), target(), target("b.png"), target()]
    dump(tmp_path / "d" / "screenspot_web.json", records)
    items, broken = read("screenspot", tmp_path / "d")
    assert [(item.sample.name, item.sample.page, len(item.sample.tasks)) for item in items] == [
        ("a.png", "a.png", 2),
        ("b.png", "b.png", 1),
        ("a.png#2", "a.png", 1),
    ]
    assert [each.record for each in broken] == ["screenspot_web.json[1]"]


BAD_RECORDS = [
    pytest.param(target(box=[float("nan"), 1, 2, 3]), "not all of it are finite", id="NaN"),
    pytest.param(target(box=[20, 10, -60, 30]), "inverted", id="negative size"),
    pytest.param(target(box=[20, 10, 0, 30]), "without area", id="no area"),
    pytest.param(target(box=[150, 10, 60, 30]), "leaves the 200x100 image by 10 px", id="partly outside"),
    pytest.param(target(box=None), "bbox is missing", id="no box"),
    pytest.param(target(box="20,10,60,30"), "four numbers", id="a box in text"),
    pytest.param(target(instruction=""), "instruction is empty", id="empty instruction"),
    pytest.param(target(instruction="  \n"), "instruction is empty", id="blank instruction"),
    pytest.param(target(instruction=None), "instruction is missing", id="no instruction"),
    pytest.param(target(instruction=7), "instruction is int, not text", id="a number for an instruction"),
    pytest.param(target(instruction="\ud83d"), "half of a surrogate pair", id="half an emoji"),
    pytest.param(target(data_type=["text"]), "data_type is list, not text", id="a list for a type"),
    pytest.param(target("gone.png"), "image 'gone.png' is missing", id="missing image"),
    pytest.param(target("x" * 5000), "is missing", id="endless name"),
    pytest.param(target("a\0.png"), "is missing", id="NUL in a name"),
    pytest.param(target("../secret.png"), "outside the data set's folder", id="out of the folder"),
    pytest.param(target("/etc/passwd"), "outside the data set's folder", id="absolute"),
    pytest.param(target("C:\\a.png"), "outside the data set's folder", id="a Windows drive"),
    pytest.param(target("text.png"), "not a PNG, JPEG or WebP", id="no image"),
    pytest.param(target("empty.png"), "not a PNG, JPEG or WebP", id="empty image"),
    pytest.param(target("cut.png"), "damaged or cut off", id="image cut off"),
    pytest.param(target("huge.png"), "pixels, more than 50 million", id="too many pixels"),
    pytest.param("text", "the record is str, not an object", id="text for a record"),
    pytest.param(None, "the record is NoneType, not an object", id="null"),
]


@pytest.mark.parametrize(("record", "reason"), BAD_RECORDS)
def test_a_bad_record_is_listed_with_its_reason_and_the_others_stay(
    tmp_path: Path, read: Read, record: object, reason: str
) -> None:
    folder = tmp_path / "d"
    draw(folder / "a.png")
    draw(tmp_path / "secret.png")
    (folder / "text.png").write_text("<html>")
    (folder / "empty.png").touch()
    noise = Image.frombytes("RGB", (W, H), os.urandom(3 * W * H))
    noise.save(folder / "cut.png")
    (folder / "cut.png").write_bytes((folder / "cut.png").read_bytes()[:-3000])
    Image.new("1", (8000, 7000)).save(folder / "huge.png")
    (folder / "screenspot_web.json").write_text(json.dumps([target(), record, target()]), "utf-8")
    items, (broken,) = read("screenspot", folder)
    assert [item.image.name for item in items for _ in item.sample.tasks] == ["a.png", "a.png"]
    assert broken.record == "screenspot_web.json[1]"
    assert reason in broken.reason


@pytest.mark.parametrize(
    ("named", "file"),
    [
        pytest.param("shots\\a.png", "shots/a.png", id="Windows separators"),
        pytest.param("a.png", "a.PNG", id="ending in capitals"),
        pytest.param("a.PNG", "imgs/a.png", id="ending in small letters"),
        pytest.param("bücher.png", unicodedata.normalize("NFD", "bücher.png"), id="decomposed by macOS"),
        pytest.param("图 1.png", "图 1.png", id="unicode"),
        pytest.param("./shots/a.png", "shots/a.png", id="dot"),
    ],
)
def test_an_image_is_found_however_its_name_is_spelt(tmp_path: Path, read: Read, named: str, file: str) -> None:
    draw(tmp_path / "d" / file)
    dump(tmp_path / "d" / "screenspot_web.json", [target(named)])
    (item,), broken = read("screenspot", tmp_path / "d")
    assert (item.sample.name, broken) == (named, [])


def test_links_are_followed_where_the_user_put_them(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "elsewhere" / "a.png")
    dump(tmp_path / "d" / "screenspot_web.json", [target()])
    (tmp_path / "d" / "imgs").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "d" / "round").symlink_to(tmp_path / "d")
    items, broken = read("screenspot", tmp_path / "d")
    assert (len(items), broken) == (1, [])


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "a.png")
    (tmp_path / "d" / "screenspot_web.json").write_bytes(b"\xef\xbb\xbf" + json.dumps([target()]).encode())
    items, broken = read("screenspot", tmp_path / "d")
    assert (len(items), broken) == (1, [])


def test_a_torn_file_gives_what_could_be_read_and_one_line(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "a.png")
    path = dump(tmp_path / "d" / "screenspot_web.json", [target(), target(), target()])
    path.write_bytes(path.read_bytes()[:-30])
    (item,), (broken,) = read("screenspot", tmp_path / "d")
    assert len(item.sample.tasks) == 2
    assert broken.record == "screenspot_web.json"
    assert "ends early" in broken.reason


def test_a_file_that_cannot_be_used_is_one_line_beside_those_that_can(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "a.png")
    dump(tmp_path / "d" / "screenspot_web.json", [target()])
    dump(tmp_path / "d" / "screenspot_desktop.json", {"records": []})
    (tmp_path / "d" / "screenspot_mobile.json").touch()
    (item,), broken = read("screenspot", tmp_path / "d")
    assert len(item.sample.tasks) == 1
    assert broken == [
        Broken("screenspot_desktop.json", "the file holds an object, not a list of records"),
        Broken("screenspot_mobile.json", "the file holds nothing, not a list of records"),
    ]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param("", "screenspot_web.json holds nothing", id="empty"),
        pytest.param("[]", "screenspot_web.json holds no records", id="empty list"),
        pytest.param("{}", "screenspot_web.json holds an object, not a list", id="object"),
    ],
)
def test_a_folder_without_any_file_that_can_be_used_is_an_error(
    tmp_path: Path, read: Read, data: str, says: str
) -> None:
    draw(tmp_path / "d" / "a.png")
    (tmp_path / "d" / "screenspot_web.json").write_text(data)
    with pytest.raises(DatasetError, match=says):
        read("screenspot", tmp_path / "d")


SPREAD = [(x, y) for x in (5, 60, 120, 170) for y in (5, 40, 75)]


@pytest.mark.parametrize(
    ("layout", "boxes", "right"),
    [
        pytest.param("screenspot", [[x, y, x + 20, y + 15] for x, y in SPREAD], "xyxy-px", id="corners as sizes"),
        pytest.param("screenspot-hf", [[x, y, 20, 15] for x, y in SPREAD], "xywh-px", id="pixels as shares"),
        pytest.param(
            "screenspot",
            [[x / W, y / H, (x + 20) / W, (y + 15) / H] for x, y in SPREAD],
            "xyxy-normalised",
            id="shares as pixels",
        ),
    ],
)
def test_boxes_of_another_form_are_an_error_that_names_the_right_one_and_with_it_they_are_read(
    tmp_path: Path, read: Read, layout: str, boxes: list[list[float]], right: str
) -> None:
    draw(tmp_path / "d" / "a.png")
    records = [target(box=box) for box in boxes]
    if layout == "screenspot":
        dump(tmp_path / "d" / "screenspot_web.json", records)
    else:
        lines(tmp_path / "d" / "test.jsonl", records)
    with pytest.raises(DatasetError, match=f"name it {layout}@{right}:FOLDER"):
        read(layout, tmp_path / "d")
    (item,), broken = read(f"{layout}@{right}", tmp_path / "d")
    assert broken == []
    boxes_read = [(task.box.left, task.box.top, task.box.right, task.box.bottom) for task in item.sample.tasks]
    assert boxes_read == [pytest.approx((x, y, x + 20, y + 15)) for x, y in SPREAD]


def test_boxes_that_are_broken_one_by_one_are_no_other_form(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "a.png")
    boxes: list[object] = [[x, y, 20, 15] if index % 2 else [x, y, 500, 15] for index, (x, y) in enumerate(SPREAD)]
    dump(tmp_path / "d" / "screenspot_web.json", [target(box=box) for box in boxes])
    (item,), broken = read("screenspot", tmp_path / "d")
    assert (len(item.sample.tasks), len(broken)) == (6, 6)


def test_one_box_of_another_form_is_named(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "a.png")
    dump(tmp_path / "d" / "screenspot_web.json", [target(), target(box=[120, 60, 180, 90])])
    _, (broken,) = read("screenspot", tmp_path / "d")
    assert "it is one as left, top, right, bottom in pixels (screenspot@xyxy-px)" in broken.reason


def test_copies_with_shares_are_read_from_json_lines(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "images" / "a.png")
    record = {"file_name": "a.png", "instruction": "open", "bbox": [0.1, 0.1, 0.4, 0.4], "data_type": "icon"}
    path = lines(tmp_path / "d" / "test.jsonl", [record])
    path.write_text(path.read_text() + json.dumps(record)[:-9])
    (item,), (broken,) = read("screenspot-hf", tmp_path / "d")
    assert corners(item.sample.tasks[0].box) == (20, 10, 80, 40)
    assert item.sample.group == "a.png"
    assert broken.record == "test.jsonl:2"
    assert "the file ends in this line" in broken.reason


def write_parquet(path: Path, rows: list[dict[str, object]]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)


def test_copies_with_their_images_within_are_read_from_parquet(tmp_path: Path, read: Read) -> None:
    image = {"bytes": picture(), "path": "a.png"}
    row = {"file_name": "a.png", "bbox": [0.1, 0.1, 0.4, 0.4], "instruction": "open", "data_type": "text"}
    rows: list[dict[str, object]] = [
        row | {"image": image},
        row | {"image": image, "instruction": "close"},
        row | {"image": {"bytes": b"no image", "path": "b.png"}},
    ]
    write_parquet(tmp_path / "d" / "data" / "test-00000-of-00001.parquet", rows)
    (item,), (broken,) = read("screenspot-hf", tmp_path / "d")
    assert corners(item.sample.tasks[1].box) == (20, 10, 80, 40)
    assert len(item.sample.tasks) == 2
    assert item.image.read_bytes() == picture()
    assert broken.record == "data/test-00000-of-00001.parquet[2]"
    assert "not a PNG, JPEG or WebP" in broken.reason


def test_parquet_without_its_reader_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "test.parquet").write_bytes(b"PAR1")
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from pathlib import Path; from perception.datasets.open import open_dataset\n"
        f"open_dataset('screenspot-hf:{tmp_path / 'd'}', Path('.'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].endswith("test.parquet is Parquet, which needs pyarrow: pip install pyarrow")


def test_a_damaged_parquet_file_is_one_line(tmp_path: Path, read: Read) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "test.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(DatasetError, match=r"test\.parquet cannot be read as Parquet"):
        read("screenspot-hf", tmp_path / "d")


# SeeClick


def test_seeclick_reads_a_task_for_each_element(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "seeclick_web_imgs" / "a.png")
    elements = [
        {"instruction": "Home", "bbox": [0.1, 0.1, 0.4, 0.4], "data_type": "text"},
        {"instruction": "Search", "bbox": [-0.5, 0.1, 0.4, 0.4], "data_type": "hover"},
        {"instruction": "Menu", "bbox": [0.5, 0.5, 0.6, 0.7], "data_type": "hover"},
    ]
    page = {"img_filename": "a.png", "url": "https://shop.example:8080/x", "elements": elements}
    pages = [page, page | {"elements": []}, page | {"elements": 3}, page | {"img_filename": "gone.png"}]
    dump(tmp_path / "d" / "seeclick_web.json", pages)
    (item,), broken = read("seeclick", tmp_path / "d")
    sample = item.sample
    assert [(task.instruction, task.kind) for task in sample.tasks] == [
        ("Home", ElementKind.TEXT),
        ("Menu", ElementKind.UNKNOWN),
    ]
    assert [element.name for element in sample.truth] == ["Home", "Menu"]
    assert corners(sample.truth[0].box) == (20, 10, 80, 40)
    assert sample.group == "shop.example"
    assert [each.record for each in broken] == [
        "seeclick_web.json[0].elements[1]",
        "seeclick_web.json[1]",
        "seeclick_web.json[2]",
        "seeclick_web.json[3]",
    ]


# Mind2Web


def candidate(rect: str, **more: object) -> str:
    attributes = json.dumps({"backend_node_id": "12", "bounding_box_rect": rect})
    return json.dumps({"tag": "button", "attributes": attributes} | more)


def step(**more: object) -> dict[str, object]:
    return {
        "annotation_id": "t1",
        "action_uid": "a1",
        "confirmed_task": "Rent a car",
        "operation": json.dumps({"original_op": "TYPE", "value": "Brooklyn", "op": "TYPE"}),
        "pos_candidates": [candidate("20,10,60,30")],
        "website": "united",
        "domain": "Travel",
        "screenshot": "shots/a1.jpg",
    } | more


def test_mind2web_reads_an_action_a_sample(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "shots" / "a1.jpg")
    click = {"original_op": "CLICK", "value": "", "op": "CLICK"}
    steps = [step(), step(action_uid="a2", operation=click, pos_candidates=None, bbox=[20, 10, 60, 30])]
    lines(tmp_path / "d" / "test.jsonl", steps)
    items, broken = read("mind2web", tmp_path / "d")
    assert broken == []
    assert [(item.sample.name, item.sample.page) for item in items] == [("t1/a1", "t1"), ("t1/a2", "t1")]
    assert [item.sample.tasks[0].instruction for item in items] == [
        "Rent a car -> TYPE: Brooklyn",
        "Rent a car -> CLICK",
    ]
    assert {item.sample.tasks[0].box for item in items} == {Box(20, 10, 80, 40)}
    assert (items[0].sample.group, items[0].sample.category) == ("united", "Travel")


def test_mind2webs_target_is_the_original_one_that_is_shown(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "shots" / "a1.jpg")
    candidates = [candidate("-1,-1,-1,-1"), candidate("0,0,200,100"), candidate("20,10,60,30", is_original_target=True)]
    lines(
        tmp_path / "d" / "test.jsonl",
        [step(pos_candidates=candidates), step(action_uid="a2", pos_candidates=candidates[:2])],
    )
    items, _ = read("mind2web", tmp_path / "d")
    assert [item.sample.tasks[0].box for item in items] == [Box(20, 10, 80, 40), Box(0, 0, 200, 100)]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param({"pos_candidates": []}, "the step has no target", id="no candidates"),
        pytest.param({"pos_candidates": [candidate("-1,-1,-1,-1")]}, "the step's target is not shown", id="not shown"),
        pytest.param({"pos_candidates": ["{"]}, "JSON within a string is damaged", id="damaged candidate"),
        pytest.param({"pos_candidates": [candidate("a,b")]}, "four numbers are wanted", id="rect of letters"),
        pytest.param({"pos_candidates": [candidate("190,10,60,30")]}, "leaves the 200x100 image", id="center outside"),
        pytest.param({"screenshot": None}, "screenshot is empty", id="no screenshot"),
        pytest.param({"operation": "{}"}, "op or original_op is missing", id="no operation"),
        pytest.param({"confirmed_task": ""}, "confirmed_task is empty", id="no task"),
    ],
)
def test_a_mind2web_step_that_cannot_be_used_says_why(
    tmp_path: Path, read: Read, change: dict[str, object], reason: str
) -> None:
    draw(tmp_path / "d" / "shots" / "a1.jpg")
    lines(tmp_path / "d" / "test.jsonl", [step(), step() | change])
    items, (broken,) = read("mind2web", tmp_path / "d")
    assert (len(items), broken.record) == (1, "test.jsonl:2")
    assert reason in broken.reason


def test_a_pages_element_over_the_edge_is_cut_where_its_center_shows(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "shots" / "a1.jpg")
    lines(tmp_path / "d" / "test.jsonl", [step(pos_candidates=[candidate("150,10,80,30")])])
    (item,), _ = read("mind2web", tmp_path / "d")
    assert item.sample.tasks[0].box == Box(150, 10, 200, 40)


@pytest.mark.parametrize("form", ["bare", "data", "bytes"])
def test_a_screenshot_in_base64_is_unpacked_by_its_content(tmp_path: Path, read: Read, form: str) -> None:
    text = base64.b64encode(picture("JPEG")).decode()
    shots = {"bare": text, "data": f"data:image/jpeg;base64,{text}", "bytes": {"bytes": text, "path": None}}
    lines(tmp_path / "d" / "test.jsonl", [step(screenshot=shots[form])])
    (item,), broken = read("mind2web", tmp_path / "d")
    assert broken == []
    assert item.image.read_bytes() == picture("JPEG")
    assert item.image.stem == item.sample.image_sha256


def test_mind2web_is_read_from_parquet(tmp_path: Path, read: Read) -> None:
    row = step(screenshot={"bytes": picture("JPEG"), "path": None}, raw_html="<html>", neg_candidates=["{}"])
    write_parquet(tmp_path / "d" / "data" / "train-0.parquet", [row, row | {"action_uid": "a2", "screenshot": None}])
    (item,), (broken,) = read("mind2web", tmp_path / "d")
    assert item.sample.tasks[0].box == Box(20, 10, 80, 40)
    assert broken == Broken("data/train-0.parquet[1]", "screenshot is empty: the data set has none for this action")


def test_seeclicks_form_of_mind2web_lists_tasks_with_actions(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "images" / "t1-a1.jpg")
    operation = {"original_op": "HOVER", "value": "", "op": "CLICK"}
    action = {"action_uid": "a1", "operation": operation, "bbox": {"x": 20, "y": 10, "width": 60, "height": 30}}
    task = {"annotation_id": "t1", "confirmed_task": "Rent a car", "website": "united", "domain": "Travel"}
    actions = [action, action | {"action_uid": "a2"}, {"action_uid": "a1", "operation": operation}]
    dump(tmp_path / "d" / "mind2web_data_test_task.json", [task | {"actions": actions}])
    (item,), broken = read("mind2web", tmp_path / "d")
    assert item.sample.tasks[0].box == Box(20, 10, 80, 40)
    assert item.sample.tasks[0].instruction == "Rent a car -> CLICK"
    assert [(each.record[-10:], each.reason[:21]) for each in broken] == [
        ("actions[1]", "no screenshot is name"),
        ("actions[2]", "the step has no targe"),
    ]


# COCO


def coco(**more: object) -> dict[str, object]:
    return {
        "info": {},
        "images": [{"id": 7, "file_name": "a.png", "width": W, "height": H}],
        "annotations": [
            {"id": 1, "image_id": 7, "category_id": 3, "bbox": [20, 10, 60, 30], "iscrowd": 0, "area": 1800}
        ],
        "categories": [{"id": 3, "name": "button"}],
    } | more


def test_coco_gives_complete_truth_with_categories_as_roles(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "val2017" / "a.png")
    draw(tmp_path / "d" / "train2017" / "a.png", (30, 30))
    draw(tmp_path / "d" / "val2017" / "b.png")
    box = {"image_id": 7, "category_id": 3}
    annotations = [box | {"bbox": [20, 10, 60, 30]}, box | {"bbox": [0, 0, 200, 100], "iscrowd": 1}]
    images = [{"id": 7, "file_name": "a.png", "width": W, "height": H}, {"id": 8, "file_name": "b.png"}]
    dump(tmp_path / "d" / "annotations" / "instances_val2017.json", coco(images=images, annotations=annotations))
    dump(tmp_path / "d" / "annotations" / "captions_val2017.json", coco(categories=[]))
    (item, bare), broken = read("coco", tmp_path / "d")
    assert broken == []
    assert [(each.role, each.box, each.reachable, each.states) for each in item.sample.truth] == [
        ("button", Box(20, 10, 80, 40), True, ()),
        ("button", Box(0, 0, 200, 100), None, ("crowd",)),
    ]
    assert (item.sample.complete, item.sample.tasks, item.sample.viewport.width) == (True, (), W)
    assert (bare.sample.complete, bare.sample.truth) == (True, ())


def test_what_is_wrong_in_coco_is_listed_and_its_images_truth_is_not_complete(tmp_path: Path, read: Read) -> None:
    for name in "abcd":
        draw(tmp_path / "d" / f"{name}.png")
    images: list[object] = [
        {"id": 1, "file_name": "a.png"},
        {"id": 2, "file_name": "b.png"},
        {"id": 1, "file_name": "c.png"},
        {"id": 4, "file_name": "d.png", "width": 1, "height": 1},
        {"id": 5, "file_name": "gone.png"},
        {"file_name": "a.png"},
        7,
    ]
    good = {"image_id": 1, "category_id": 3, "bbox": [20, 10, 60, 30]}
    bad: list[object] = [
        good | {"bbox": [20, 10, -1, 3]},
        good | {"bbox": None},
        good | {"category_id": 9},
        good | {"image_id": 99},
        good | {"image_id": [1]},
        good | {"iscrowd": "no"},
        "text",
    ]
    categories = [{"id": 3, "name": "button"}, {"id": 3, "name": "link"}, {"id": 4}]
    document = coco(images=images, annotations=[good, *bad, good | {"image_id": 2}], categories=categories)
    dump(tmp_path / "d" / "instances.json", document)
    items, broken = read("coco", tmp_path / "d")
    found = [(item.sample.name, len(item.sample.truth), item.sample.complete) for item in items]
    assert found == [("a.png", 1, False), ("b.png", 1, True)]
    reasons = {each.record.removeprefix("instances.json."): each.reason for each in broken}
    assert len(reasons) == len(broken)
    assert {name: reason[:24] for name, reason in reasons.items()} == {
        "categories[1]": "id 3 is that of an earli",
        "categories[2]": "name is missing",
        "annotations[1]": "box [20.0, 10.0, -1.0, 3",
        "annotations[2]": "bbox is missing",
        "annotations[3]": "its category_id is not a",
        "annotations[4]": "its image_id is not amon",
        "annotations[5]": "image_id is [1], not a w",
        "annotations[6]": "iscrowd is 'no', not 0 o",
        "annotations[7]": "the record is str, not a",
        "images[2]": "id 1 is that of an earli",
        "images[3]": "the image has 200x100 pi",
        "images[4]": "image 'gone.png' is miss",
        "images[5]": "id is missing",
        "images[6]": "id is missing",
    }


def test_coco_without_one_of_its_lists_is_an_error(tmp_path: Path, read: Read) -> None:
    document = coco()
    del document["categories"]
    dump(tmp_path / "d" / "instances.json", document)
    with pytest.raises(DatasetError, match=r"instances\.json has no categories"):
        read("coco", tmp_path / "d")


def test_coco_with_corners_is_an_error_that_names_them(tmp_path: Path, read: Read) -> None:
    draw(tmp_path / "d" / "a.png")
    annotations = [{"image_id": 7, "category_id": 3, "bbox": [x, y, x + 20, y + 15]} for x, y in SPREAD]
    dump(tmp_path / "d" / "instances.json", coco(annotations=annotations))
    with pytest.raises(DatasetError, match="coco@xyxy-px:FOLDER"):
        read("coco", tmp_path / "d")
    (item,), _ = read("coco@xyxy-px", tmp_path / "d")
    assert len(item.sample.truth) == len(SPREAD)


# Plain images


def test_any_folder_of_images_is_read_nested_and_in_order(tmp_path: Path, read: Read) -> None:
    folder = tmp_path / "d"
    for name in ("b.png", "a.JPG", "sub/deep/c.webp", "sub/ü.jpeg", ".hidden.png", "__MACOSX/a.png"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (W, H)).save(folder / name)
    (folder / "notes.txt").write_text("not an image")
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "sub" / "round").symlink_to(folder)
    items, broken = read("images", folder)
    assert [item.sample.name for item in items] == ["a.JPG", "b.png", "sub/ü.jpeg", "sub/deep/c.webp"]
    assert [item.sample.group for item in items] == ["a.JPG", "b.png", "sub", "sub/deep"]
    assert {(item.sample.truth, item.sample.tasks, item.sample.complete) for item in items} == {((), (), False)}
    assert [each.record for each in broken] == ["broken.png"]


def test_a_name_that_is_not_unicode_can_still_be_printed(tmp_path: Path, read: Read) -> None:
    folder = tmp_path / "d"
    draw(folder / "a.png").rename(os.fsdecode(os.fsencode(folder) + b"/\xff.png"))
    (item,), broken = read("images", folder)
    assert (item.sample.name, broken) == ("\\xff.png", [])


def test_a_rotated_photo_has_its_upright_size(tmp_path: Path, read: Read) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    (tmp_path / "d").mkdir()
    Image.new("RGB", (W, H)).save(tmp_path / "d" / "a.jpg", exif=exif)
    (item,), _ = read("images", tmp_path / "d")
    assert (item.sample.viewport.width, item.sample.viewport.height) == (H, W)


# References, and many of them


def _load_far_away(reference: Reference) -> tuple[str, str]:
    item = reference.load()
    return item.id, item.sample.name


def test_a_reference_is_loaded_in_another_process(tmp_path: Path) -> None:
    draw(tmp_path / "d" / "a.png")
    dump(tmp_path / "d" / "screenspot_web.json", [target()])
    (reference,) = open_dataset(f"screenspot:{tmp_path / 'd'}", tmp_path / "home")
    assert not isinstance(reference, Broken)
    assert pickle.loads(pickle.dumps(reference)) == reference
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as pool:
        assert pool.submit(_load_far_away, reference).result() == (reference.id, "a.png")


@pytest.mark.parametrize("change", ["repaint", "delete"])
def test_a_reference_whose_image_changed_since_is_refused(tmp_path: Path, change: str) -> None:
    path = draw(tmp_path / "d" / "a.png")
    (reference,) = open_dataset(f"images:{tmp_path / 'd'}", tmp_path / "home")
    assert not isinstance(reference, Broken)
    path.unlink()
    if change == "repaint":
        draw(path, color="red")
    with pytest.raises(DatasetError, match=r"changed after the data set was read|cannot be read"):
        reference.load()


def test_an_id_is_the_same_when_it_is_read_again_and_another_when_anything_of_it_changes(tmp_path: Path) -> None:
    def ids() -> list[str]:
        records = open_dataset(f"screenspot:{tmp_path / 'd'}", tmp_path / "home")
        return [each.id for each in records if not isinstance(each, Broken)]

    draw(tmp_path / "d" / "a.png")
    dump(tmp_path / "d" / "screenspot_web.json", [target()])
    first = ids()
    assert ids() == first
    dump(tmp_path / "d" / "screenspot_web.json", [target(box=[20, 10, 60, 31])])
    second = ids()
    draw(tmp_path / "d" / "a.png", color="red")
    assert len({*first, *second, *ids()}) == 3


def test_ten_times_as_many_samples_take_no_more_memory(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        folder = tmp_path / str(count)
        (folder / "imgs").mkdir(parents=True)
        data = picture()
        for index in range(count):
            (folder / "imgs" / f"{index}.png").write_bytes(data)
        dump(folder / "screenspot_web.json", [target(f"{index}.png", "x" * 2000) for index in range(count)])
        tracemalloc.start()
        try:
            found = sum(1 for _ in open_dataset(f"screenspot:{folder}", tmp_path / "home"))
            assert found == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(2000) < peak(200) + 1_000_000  # all records together are 4 MB

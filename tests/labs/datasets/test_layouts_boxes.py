"""Forms of boxes, and reading files of records piece by piece."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.datasets.layouts import jsonstream
from perception.datasets.layouts.boxes import BoxError, BoxForm, forms_that_fit, to_box
from perception.datasets.layouts.jsonstream import FileError, Record, read_members, read_records
from perception.datasets.sample import Broken
from perception.geometry import Box

SIZE = (200, 100)


@pytest.mark.parametrize(
    ("form", "numbers"),
    [
        pytest.param(BoxForm.XYWH_PX, [20, 10, 60, 30], id="xywh-px"),
        pytest.param(BoxForm.XYXY_PX, [20, 10, 80, 40], id="xyxy-px"),
        pytest.param(BoxForm.XYWH_NORMALIZED, [0.1, 0.1, 0.3, 0.3], id="xywh-normalised"),
        pytest.param(BoxForm.XYXY_NORMALIZED, [0.1, 0.1, 0.4, 0.4], id="xyxy-normalised"),
    ],
)
def test_each_form_gives_the_same_box(form: BoxForm, numbers: list[float]) -> None:
    box = to_box(numbers, form, SIZE)
    assert (box.left, box.top, box.right, box.bottom) == pytest.approx((20, 10, 80, 40))


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        pytest.param([20, 10, 60], "four numbers", id="three numbers"),
        pytest.param("20,10,60,30", "four numbers", id="text"),
        pytest.param(None, "four numbers", id="nothing"),
        pytest.param([20, 10, "60", 30], "not all of it are numbers", id="a number in text"),
        pytest.param([20, 10, True, 30], "not all of it are numbers", id="a truth value"),
        pytest.param([math.nan, 10, 60, 30], "not all of it are finite", id="NaN"),
        pytest.param([20, 10, math.inf, 30], "not all of it are finite", id="endless"),
        pytest.param([10**400, 10, 60, 30], "not all of it are finite", id="more than a float holds"),
        pytest.param([20, 10, 0, 30], "without area", id="no width"),
        pytest.param([20, 10, -5, 30], "inverted", id="negative width"),
        pytest.param([20, 10, 200, 30], "leaves the 200x100 image by 20 px", id="too far right"),
        pytest.param([-3, 10, 20, 30], "leaves the 200x100 image by 3 px", id="too far left"),
        pytest.param([300, 300, 20, 30], "leaves the 200x100 image", id="far outside"),
        pytest.param([0.1, 0.2, 0.3, 0.4], "smaller than a pixel", id="shares"),
    ],
)
def test_what_is_no_box_is_refused_with_the_reason(numbers: object, says: str) -> None:
    with pytest.raises(BoxError, match=says):
        to_box(numbers, BoxForm.XYWH_PX, SIZE)


def test_a_box_that_sticks_out_by_rounding_is_cut_off_at_the_edge() -> None:
    assert to_box([-1, 90, 30, 12], BoxForm.XYWH_PX, SIZE) == Box(0, 90, 29, 100)


def test_a_box_that_only_sticks_out_is_refused() -> None:
    with pytest.raises(BoxError, match="leaves the 200x100 image"):
        to_box([200, 10, 2, 30], BoxForm.XYWH_PX, SIZE)


def test_corners_in_the_right_half_fit_as_corners_only() -> None:
    assert forms_that_fit([120, 60, 180, 90], SIZE) == [BoxForm.XYXY_PX]


@given(
    left=st.floats(0, 150),
    top=st.floats(0, 80),
    width=st.floats(2, 49),
    height=st.floats(2, 19),
)
def test_results_are_within_the_image(left: float, top: float, width: float, height: float) -> None:
    box = to_box([left, top, width, height], BoxForm.XYWH_PX, SIZE)
    assert 0 <= box.left < box.right <= 200
    assert 0 <= box.top < box.bottom <= 100


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(values=st.lists(JSON, max_size=8), indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
def test_a_list_is_read_as_json_reads_it_however_it_is_cut(
    tmp_path_factory: pytest.TempPathFactory, values: list[object], indent: int | None, ascii_only: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "list.json"
    path.write_text(json.dumps(values, indent=indent, ensure_ascii=ascii_only), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonstream, "CHUNK", 3)
        found = [each.value for each in read_records(path, "list") if isinstance(each, Record)]
    assert found == values


def test_an_objects_lists_are_read_element_by_element(tmp_path: Path) -> None:
    path = tmp_path / "object.json"
    path.write_text('{"info": {"year": 2017}, "a": [1, [2]], "none": [], "b": [{"c": 3}]}')
    assert list(read_members(path)) == [
        ("info", -1, {"year": 2017}),
        ("a", 0, 1),
        ("a", 1, [2]),
        ("none", -1, []),
        ("b", 0, {"c": 3}),
    ]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", "holds nothing, not a list", id="empty"),
        pytest.param(b" \n", "holds nothing, not a list", id="spaces"),
        pytest.param(b'{"a": []}', "holds an object, not a list", id="an object"),
        pytest.param(b"12", "holds a number or no JSON", id="a number"),
        pytest.param(b"<html>", "holds a number or no JSON", id="a web page"),
        pytest.param(b"\xff\xfe[\x00]\x00", "is not UTF-8", id="UTF-16"),
        pytest.param(b"[" * 100_000, "holds what cannot be read", id="nested without end"),
        pytest.param(b'[1, 2, {"a', "ends early", id="torn in a string"),
        pytest.param(b"[1, 2", "ends early", id="torn after a record"),
        pytest.param(b"[1, 2,", "ends early, after 2", id="torn after a comma"),
        pytest.param(b"[1 2]", "a comma is wanted", id="no comma"),
        pytest.param(b"[1, nope]", "is not JSON", id="a bare word"),
        pytest.param(b'[{"a": 1}]\n[{"a": 2}]', "goes on after its end", id="two lists"),
    ],
)
def test_a_file_that_is_no_list_is_reported_after_what_could_be_read(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "list.json"
    path.write_bytes(data)
    with pytest.raises(FileError, match=says):
        list(read_records(path, "list"))


def test_a_bad_line_fails_alone_and_a_torn_last_one_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes('﻿{"a": 1}\r\n\n{"a": \nnope\n{"a": "ü"}\n{"a"'.encode())
    found = list(read_records(path, "lines.jsonl"))
    assert [each.where if isinstance(each, Record) else each.record for each in found] == [
        f"lines.jsonl:{number}" for number in (1, 3, 4, 5, 6)
    ]
    assert [each.value for each in found if isinstance(each, Record)] == [{"a": 1}, {"a": "ü"}]
    assert [("ends in this line" in each.reason) for each in found if isinstance(each, Broken)] == [False, False, True]


def test_a_record_over_the_limit_is_refused_and_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonstream, "CHUNK", 10)
    monkeypatch.setattr(jsonstream, "MAX_RECORD", 100)
    path = tmp_path / "list.json"
    path.write_text(json.dumps([1, "x" * 10_000]))
    records = read_records(path, "list")
    next(records)
    with pytest.raises(FileError, match="is not JSON, or ends early"):
        next(records)

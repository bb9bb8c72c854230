"""Real if tiny detection models: they see what is red or green, cell by cell, and say so in any layout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx.helper
import onnx.parser
import pytest

from perception.types import Pixels

STRENGTH = {8: 0.1, 16: 0.5, 32: 1.0}
"""Score of a cell that is wholly of one color, by its side."""
COLORS = {"red": (0, 0, 255), "green": (0, 255, 0)}
KINDS = {"float": 1, "uint8": 2, "float16": 10}

FORMS = {
    "yolo": "plain = Identity(given)",
    "yolox": "mirrored = Gather<axis=1>(given, backwards) plain = Div(mirrored, white)",
    "imagenet": "spread = Mul(given, deviations) plain = Add(spread, means)",
    "masked": """
        spread = Mul(given, deviations) whole_plain = Add(spread, means)
        marks = Cast<to=1>(pixel_mask) marks4 = Unsqueeze(marks, i1) plain = Mul(whole_plain, marks4)
    """,
    "signed": "doubled = Add(given, one) plain = Mul(doubled, point5)",
    "bytes": "plain = Div(given, white)",
    "channels last": "plain = Transpose<perm=[0,3,1,2]>(given)",
}
"""How what a model is given becomes red, green and blue of 0 … 1; what comes in another form is not seen."""

LIST = "all = Concat<axis=2>(f8, f16, f32) output0 = Transpose<perm=[0,2,1]>(all)"
PAIR = """
    each = Transpose<perm=[0,2,1]>(f32) boxes4 = Slice(each, i0, i4, i2) said = Slice(each, i4, i9, i2)
    pred_boxes = Div(boxes4, whole)
"""
BODIES = {
    "yolov8": ("x y w w red leaf", (8, 16, 32), "output0 = Concat<axis=2>(f8, f16, f32)"),
    "yolov5": ("x y w w sure red leaf", (8, 16, 32), LIST),
    "yolox": ("u u none none sure red leaf", (8, 16, 32), LIST),
    "end-to-end": ("l t r b best which", (32,), "output0 = Transpose<perm=[0,2,1]>(f32)"),
    "yolov7-end-to-end": (
        "none l t r b which best",
        (32,),
        "all = Transpose<perm=[0,2,1]>(f32) output0 = Squeeze(all, i0)",
    ),
    "rt-detr": ("x y w w logit leaflogit", (32,), PAIR + "logits = Identity(said)"),
    "detr": ("x y w w logit leaflogit nothing", (32,), PAIR + "logits = Identity(said)"),
    "rf-detr": ("x y w w logit leaflogit", (32,), PAIR + "dets = Identity(pred_boxes) labels = Identity(said)"),
    "d-fine": (
        "l t r b best which",
        (32,),
        """
        each = Transpose<perm=[0,2,1]>(f32) edges = Slice(each, i0, i4, i2) shares = Div(edges, whole)
        told = Cast<to=1>(orig_target_sizes) toldtwice = Concat<axis=1>(told, told) toldrow = Unsqueeze(toldtwice, i1)
        boxes = Mul(shares, toldrow)
        scores1 = Slice(each, i4, i5, i2) scores = Squeeze(scores1, i2)
        labels1 = Slice(each, i5, i6, i2) labels2 = Squeeze(labels1, i2) labels = Cast<to=7>(labels2)
        """,
    ),
    "joined": (
        "x y w w red leaf",
        (32,),
        PAIR + "output0 = Concat<axis=2>(pred_boxes, said)",
    ),
}
INPUTS = {"d-fine": ", int64[n,2] orig_target_sizes"}
OUTPUTS = {
    "yolov7-end-to-end": "float[a,b] output0",
    "rt-detr": "float[a,b,c] logits, float[d,e,f] pred_boxes",
    "detr": "float[a,b,c] logits, float[d,e,f] pred_boxes",
    "rf-detr": "float[a,b,c] dets, float[d,e,f] labels",
    "d-fine": "int64[a,b] labels, float[c,d,e] boxes, float[f,g] scores",
}
USUAL_FORM = {"yolox": "yolox", "detr": "imagenet", "rf-detr": "imagenet"}

Build = Callable[..., Path]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Writes a model and returns its path.

    `toml` is written beside it; `metadata` into it. `fields` and `last` replace what a layout's cells say and how that
    becomes the outputs.
    """

    def write(
        layout: str,
        size: str = "320,320",
        dtype: str = "float",
        *,
        form: str = "",
        fields: str = "",
        last: str = "",
        inputs: str = "",
        outputs: str = "",
        toml: str = "",
        metadata: dict[str, str] | None = None,
        opset: int = 17,
        name: str = "seer",
    ) -> Path:
        usual, strides, end = BODIES[layout]
        form = form or USUAL_FORM.get(layout, "yolo")
        inside = "float" if dtype == "uint8" else dtype
        shape = f"b,{size},3" if form == "channels last" else f"b,3,{size}"
        ends = outputs or OUTPUTS.get(layout, "float[a,b,c] output0").replace("float", inside)
        text = f"""
            <ir_version: 10, opset_import: ["" : {opset}]>
            seer ({dtype}[{shape}] images{inputs or INPUTS.get(layout, "")}) => ({ends}) {{
                {_constants(inside)}
                {FORMS[form]}
                {"".join(_grid(stride, fields or usual, inside) for stride in strides)}
                {last or end}
            }}
        """
        model = onnx.parser.parse_model(text)
        onnx.helper.set_model_props(model, metadata or {})
        path = tmp_path / f"{name}.onnx"
        onnx.save(model, path)
        if toml:
            path.with_suffix(".toml").write_text(toml, "utf-8")
        return path

    return write


def _constants(dtype: str) -> str:
    kind = KINDS[dtype]
    numbers = {"point5": 0.5, "point8": 0.8, "five": 5.0, "one": 1.0, "ten": 10.0, "twenty": 20.0, "white": 255.0}
    colors = {"means": (0.485, 0.456, 0.406), "deviations": (0.229, 0.224, 0.225)}
    return "\n".join(
        [
            *(f"{key}_32 = Constant<value_float={value}>()" for key, value in numbers.items()),
            *(f"{key}_32 = Constant<value = float[1,3,1,1] {{{_row(value)}}}>()" for key, value in colors.items()),
            *(f"{key} = Cast<to={kind}>({key}_32)" for key in (*numbers, *colors)),
            *(f"n{n} = Constant<value_int={n}>()" for n in range(4)),
            *(f"i{n} = Constant<value_ints=[{n}]>()" for n in (0, 1, 2, 4, 5, 6, 9)),
            "backwards = Constant<value_ints=[2,1,0]>()",
            f"given = Cast<to={kind}>(images)",
        ]
    )


def _row(values: tuple[float, ...]) -> str:
    return ", ".join(str(value) for value in values)


def _grid(stride: int, fields: str, dtype: str) -> str:
    """Nodes that give `f{stride}`, (1, fields, places): of each cell its place and how red and green it is."""
    s, kind = stride, KINDS[dtype]
    return f"""
        pooled{s} = AveragePool<kernel_shape=[{s},{s}], strides=[{s},{s}]>(plain)
        reds{s} = Slice(pooled{s}, i0, i1, i1)
        greens{s} = Slice(pooled{s}, i1, i2, i1)
        shape{s} = Shape(reds{s})
        high{s} = Gather(shape{s}, n2)
        wide{s} = Gather(shape{s}, n3)
        columns{s} = Range(n0, wide{s}, n1)
        rows{s} = Range(n0, high{s}, n1)
        upright{s} = Unsqueeze(rows{s}, i1)
        columnsf{s} = Cast<to={kind}>(columns{s})
        rowsf{s} = Cast<to={kind}>(upright{s})
        side32_{s} = Constant<value_float={float(s)}>()
        side{s} = Cast<to={kind}>(side32_{s})
        left{s} = Mul(columnsf{s}, side{s})
        top{s} = Mul(rowsf{s}, side{s})
        half{s} = Mul(side{s}, point5)
        middlex{s} = Add(left{s}, half{s})
        middley{s} = Add(top{s}, half{s})
        rightx{s} = Add(left{s}, side{s})
        bottomy{s} = Add(top{s}, side{s})
        x{s} = Expand(middlex{s}, shape{s})
        y{s} = Expand(middley{s}, shape{s})
        l{s} = Expand(left{s}, shape{s})
        t{s} = Expand(top{s}, shape{s})
        r{s} = Expand(rightx{s}, shape{s})
        b{s} = Expand(bottomy{s}, shape{s})
        w{s} = Expand(side{s}, shape{s})
        strength32_{s} = Constant<value_float={STRENGTH[s]}>()
        strength{s} = Cast<to={kind}>(strength32_{s})
        {_score("red", "reds", s)}
        {_score("leaf", "greens", s)}
        grey{s} = Identity(reds{s})
        none{s} = Sub(red{s}, red{s})
        sure{s} = Add(none{s}, one)
        u{s} = Add(none{s}, point5)
        nan{s} = Div(none{s}, none{s})
        best{s} = Max(red{s}, leaf{s})
        isleaf{s} = Greater(leaf{s}, red{s})
        which{s} = Cast<to={kind}>(isleaf{s})
        {_logit("logit", "red", s)}
        {_logit("leaflogit", "leaf", s)}
        {_logit("bestlogit", "best", s)}
        nothing{s} = Neg(bestlogit{s})
        wide1{s} = Unsqueeze(wide{s}, i0)
        high1{s} = Unsqueeze(high{s}, i0)
        cells{s} = Concat<axis=0>(wide1{s}, high1{s}, wide1{s}, high1{s})
        cellsf{s} = Cast<to={kind}>(cells{s})
        {"whole = Mul(cellsf32, side32)" if s == 32 else ""}
        planes{s} = Concat<axis=1>({", ".join(f"{field}{s}" for field in fields.split())})
        count{s} = Constant<value_ints=[1,{len(fields.split())},-1]>()
        f{s} = Reshape(planes{s}, count{s})
    """


def _score(name: str, channel: str, s: int) -> str:
    """0 … `STRENGTH`, and over it for what is more than white."""
    return f"""
        above_{name}{s} = Sub({channel}{s}, point8)
        times_{name}{s} = Mul(above_{name}{s}, five)
        only_{name}{s} = Relu(times_{name}{s})
        {name}{s} = Mul(only_{name}{s}, strength{s})
    """


def _logit(name: str, score: str, s: int) -> str:
    """-10 … 10, of which the sigmoid is 0 … 1."""
    return f"scaled_{name}{s} = Mul({score}{s}, twenty) {name}{s} = Sub(scaled_{name}{s}, ten)"


Scene = Callable[..., Pixels]


@pytest.fixture
def scene() -> Scene:
    """Black, with rectangles at (left, top) of some width, some height or the same, red or of another color."""

    def paint(width: int, height: int, *shapes: tuple[Any, ...]) -> Pixels:
        pixels = np.zeros((height, width, 3), np.uint8)
        for left, top, wide, *more in shapes:
            high, color = [*more, *(wide, "red")[len(more) :]]
            pixels[top : top + high, left : left + wide] = COLORS[color]
        return pixels

    return paint

"""What the detector is trained on: controls that a click reaches, in crops at native scale."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from onnxruntime import InferenceSession

from perception.bench.metrics.control_classes import CLASSES, targets_of
from perception.bench.metrics.control_matching import control_truth
from perception.bench.train.calibration import fit_logistic
from perception.bench.train.crops import CropSource, cut
from perception.bench.train.judge_trees import TrainedTrees, export_trees, fit_line, judged_page
from perception.bench.train.shards import Shard
from perception.datasets.sample import COMPOSED, ElementKind, Evidence, Sample, TruthElement
from perception.detectors.control_judge import Cells, propose
from perception.detectors.controls import STATES
from perception.geometry import Box
from perception.types import Viewport


def truth(role: str, box: Box, *, reachable: bool | None = True, **more: object) -> TruthElement:
    fields = {"evidence": (Evidence.ROLE,), "kind": ElementKind.TEXT, **more}
    return TruthElement(role, "Name", box, interactive=True, reachable=reachable, **fields)  # type: ignore[arg-type]


def sample(*elements: TruthElement, group: str = "a-package", unknown: tuple[Box, ...] = ()) -> Sample:
    return Sample("s", "test", group, "p", "", Viewport(400, 300, 2), complete=True, truth=elements, unknown=unknown)


def test_targets_are_what_a_click_reaches_by_its_role_in_css_px_at_any_scale() -> None:
    found = targets_of(
        sample(
            truth("button", Box(10, 10, 60, 30)),
            truth("link", Box(10, 50, 30, 70), kind=ElementKind.ICON),
            truth("searchbox", Box(350, 100, 450, 120)),
            truth("checkbox", Box(10, 150, 24, 164), states=("checked",)),
            truth("button", Box(10, 200, 60, 220), reachable=False),
            truth("generic", Box(100, 200, 160, 220), evidence=(Evidence.CURSOR,)),
            truth("button", Box(10, 900, 60, 920), reachable=None),
        )
    )
    assert [CLASSES[number] for number in found.classes] == ["button", "icon button", "textbox", "checkbox"]
    assert found.boxes.tolist() == [[10, 10, 60, 30], [10, 50, 30, 70], [350, 100, 400, 120], [10, 150, 24, 164]]
    assert found.states.tolist() == [[0, 0], [0, 0], [0, 0], [1, 0]]
    assert found.ignored.tolist() == [[10, 200, 60, 220], [100, 200, 160, 220]]


@pytest.mark.parametrize(("group", "ignored"), [("a-package", [[0, 0, 100, 100]]), (COMPOSED, [])])
def test_pictures_are_ignored_where_their_content_is_not_known(group: str, ignored: list[list[float]]) -> None:
    assert targets_of(sample(group=group, unknown=(Box(0, 0, 100, 100),))).ignored.tolist() == ignored


def test_a_crop_has_what_it_shows_and_ignores_what_it_cuts_off() -> None:
    whole = targets_of(sample(truth("button", Box(100, 100, 200, 120)), truth("button", Box(190, 200, 290, 220))))
    image = np.arange(600 * 800 * 3, dtype=np.uint32).astype(np.uint8).reshape(600, 800, 3)
    crop = cut(image, whole, 80, 80, 128)
    assert np.array_equal(crop.pixels, image[80:208, 80:208])
    assert crop.targets.boxes.tolist() == [[20, 20, 120, 40]]
    assert crop.targets.ignored.tolist() == [[110, 120, 128, 128]]
    beyond = cut(image, whole, -20, 560, 128)
    assert np.array_equal(beyond.pixels[:40, 20:], image[560:, :108])
    assert (beyond.pixels[40:] == 114).all()
    assert (beyond.pixels[:, :20] == 114).all()


def test_rare_classes_are_drawn_as_often_as_common_ones() -> None:
    buttons = [truth("button", Box(x, y, x + 20, y + 10)) for x in range(0, 380, 24) for y in range(0, 200, 14)]
    targets = targets_of(sample(*buttons, truth("switch", Box(10, 250, 40, 270))))
    pixels = np.zeros(300 * 400 * 3, np.uint8)
    shard = Shard(pixels, np.asarray([[0, 300, 400]]), ("a-package",), (targets,), Path())
    source = CropSource(shard, 64, random.Random(1))
    switches = sum(CLASSES.index("switch") in source.draw().targets.classes for _ in range(200))
    assert switches > 20  # of all crops of this size that can be drawn, three in a hundred show it


def test_the_network_is_trained_in_pieces_and_exported(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from perception.bench.train.export import export_network
    from perception.bench.train.fit import train_network
    from perception.bench.train.training_plan import TrainingPlan

    targets = targets_of(sample(truth("button", Box(10, 10, 60, 30)), truth("checkbox", Box(10, 50, 24, 64))))
    pixels = np.random.default_rng(1).integers(0, 255, 600 * 800 * 3, dtype=np.uint8)
    shard = Shard(pixels, np.asarray([[0, 600, 800]]), ("a-package",), (targets,), tmp_path)
    plan = TrainingPlan(steps=4, batch=2, side=64, width=8)
    _, first = train_network(shard, plan, tmp_path / "a.pt", seconds=0, on_step=print)
    network, last = train_network(shard, plan, tmp_path / "a.pt", seconds=60, on_step=print)
    assert (first, last) == (0, 4)
    score, classes, states, boxes = network(torch.zeros(1, 3, 64, 96))
    assert (score.shape, classes.shape, states.shape, boxes.shape) == ((1, 96), (1, 96, 11), (1, 96, 2), (1, 96, 4))
    export_network(network, tmp_path / "controls.onnx", (64, 64))
    assert (tmp_path / "controls.onnx").stat().st_size > 10_000


def test_scores_of_each_class_come_to_mean_how_likely_a_box_is_right() -> None:
    rng = np.random.default_rng(1)
    score, classes = rng.uniform(0.02, 0.98, 20_000).astype(np.float32), rng.integers(0, 2, 20_000)
    odds = 0.5 * np.log(score / (1 - score)) + np.asarray([-1.0, 1.0])[classes]
    slope, shifts = fit_logistic(score, classes, rng.uniform(size=20_000) < 1 / (1 + np.exp(-odds)))
    assert (slope, *shifts[:2]) == pytest.approx((0.5, -1, 1), abs=0.06)
    assert shifts[2] == pytest.approx((shifts[0] + shifts[1]) / 2, abs=0.1)  # nothing was seen of it


def cells(*boxes: tuple[float, float, float, float]) -> Cells:
    classes = (
        np.full((len(boxes), len(CLASSES)), 0.3, np.float32) - np.arange(len(boxes), dtype=np.float32)[:, None] / 99
    )
    none = np.zeros((len(boxes), len(STATES)), np.float32)
    return Cells(np.asarray(boxes, np.float32), classes, none)


def test_of_the_boxes_of_a_control_the_best_is_right_and_where_nothing_counts_none_is_wrong() -> None:
    shown = sample(
        truth("button", Box(100, 100, 160, 120)),
        truth("generic", Box(10, 200, 60, 220), evidence=(Evidence.CURSOR,)),
    )
    proposed = propose(cells((104, 102, 140, 118), (99, 100, 160, 121), (10, 200, 60, 220), (300, 20, 330, 40)))
    page = judged_page("a-package", control_truth(shown), proposed)
    assert page.right.tolist() == [False, True, False, False]
    assert page.counted.tolist() == [True, True, False, True]


class StubTrees:
    """Two trees: by the first column, and one leaf."""

    def dump_model(self) -> dict[str, object]:
        leaves = {"left_child": {"leaf_value": -2.0}, "right_child": {"leaf_value": 2.0}}
        split = {"split_feature": 0, "threshold": 0.5, **leaves}
        trees = [{"tree_structure": split}, {"tree_structure": {"leaf_value": 0.5}}]
        return {"max_feature_idx": 1, "tree_info": trees}


def test_an_exported_judge_says_how_likely_what_its_trees_say_is(tmp_path: Path) -> None:
    export_trees(TrainedTrees(StubTrees(), slope=2.0, shift=1.0), tmp_path / "judge.onnx")
    session = InferenceSession(str(tmp_path / "judge.onnx"))
    (likely,) = session.run(["likelihood"], {"table": np.asarray([[0.5, 9], [0.6, 9]], np.float32)})
    odds = np.asarray([2 * -1.5 + 1, 2 * 2.5 + 1])
    assert likely[:, 0] == pytest.approx(1 / (1 + np.exp(-odds)), abs=1e-6)


def test_a_fitted_line_says_how_often_boxes_are_right() -> None:
    rng = np.random.default_rng(1)
    odds = rng.normal(size=20_000) * 2
    right = rng.random(20_000) < 1 / (1 + np.exp(-(0.5 * odds - 1)))
    assert fit_line(odds, right) == pytest.approx((0.5, -1.0), abs=0.1)

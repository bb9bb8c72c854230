"""What is written in a layout is read back as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from perception.datasets.layouts import LAYOUTS
from perception.datasets.open import open_dataset
from perception.datasets.sample import Broken, ElementKind, GroundingTask, Item, Sample, TruthElement
from perception.geometry import Box
from perception.types import Viewport

SHAPES = [
    pytest.param(Viewport(200, 100), id="scale 1"),
    pytest.param(Viewport(200, 100, 2), id="scale 2"),
    pytest.param(Viewport(201, 101, 1.5), id="scale 1.5"),
]

BUTTON = Box(20.123, 10.456, 80.789, 40.5)
OVER_THE_EDGE = Box(-30, 50, 20, 400)
BELOW = Box(0, 500, 100, 600)


def page(folder: Path, viewport: Viewport, name: str = "shop/cart@200x100") -> Item:
    """A rendered page: fractions of pixels, elements over the edge, below it, covered, and without a name."""
    truth = (
        TruthElement("button", "Pay “now”", BUTTON, True, reachable=True, kind=ElementKind.TEXT),
        TruthElement("link", "Über uns", OVER_THE_EDGE, True, reachable=True, kind=ElementKind.ICON),
        TruthElement("link", "Below", BELOW, True),
        TruthElement("button", "Covered", BUTTON, True, reachable=False),
        TruthElement("heading", "Cart", BUTTON, False),
        TruthElement("", "", BUTTON, True),
    )
    tasks = (
        GroundingTask("click Pay “now”", BUTTON, ElementKind.TEXT, "name", 0),
        GroundingTask("about us", OVER_THE_EDGE, ElementKind.ICON, "name", 1),
        GroundingTask("below", BELOW, target=2),
    )
    size = (round(viewport.width * viewport.scale), round(viewport.height * viewport.scale))
    path = folder / f"{len(name)}.png"
    Image.new("RGB", size).save(path)
    sample = Sample(
        name, "packages", "shop", "cart", "0" * 64, viewport, category="shop", complete=True, truth=truth, tasks=tasks
    )
    return Item(f"{len(name):064}", sample, path)


def expected(viewport: Viewport, box: Box) -> tuple[float, float, float, float]:
    """In pixels of the image, to hundredths."""
    inside = box.intersect(viewport.box)
    assert inside is not None
    edges = (inside.left, inside.top, inside.right, inside.bottom)
    return pytest.approx(tuple(edge * viewport.scale for edge in edges), abs=0.011)  # type: ignore[return-value]


def edges(box: Box) -> tuple[float, float, float, float]:
    return (box.left, box.top, box.right, box.bottom)


def read_back(layout: str, folder: Path, home: Path) -> Iterator[Item]:
    for record in open_dataset(f"{layout}:{folder}", home):
        assert not isinstance(record, Broken), record
        yield record.load()


@pytest.mark.parametrize("viewport", SHAPES)
@pytest.mark.parametrize("layout", ["screenspot", "screenspot-v2", "screenspot-pro"])
def test_tasks_come_back_with_their_words_kinds_and_boxes(tmp_path: Path, layout: str, viewport: Viewport) -> None:
    write = LAYOUTS[layout].write
    assert write is not None
    pages = [page(tmp_path, viewport), page(tmp_path, viewport, "another")]
    assert write(iter(pages), tmp_path / "out") == 4
    for item, origin in zip(read_back(layout, tmp_path / "out", tmp_path / "home"), pages, strict=True):
        tasks = [(task.instruction, task.kind, edges(task.box)) for task in item.sample.tasks]
        assert tasks == [
            ("click Pay “now”", ElementKind.TEXT, expected(viewport, BUTTON)),
            ("about us", ElementKind.ICON, expected(viewport, OVER_THE_EDGE)),
        ]
        assert item.image.read_bytes() == origin.image.read_bytes()


@pytest.mark.parametrize("viewport", SHAPES)
def test_named_controls_come_back_from_seeclick(tmp_path: Path, viewport: Viewport) -> None:
    write = LAYOUTS["seeclick"].write
    assert write is not None
    assert write([page(tmp_path, viewport)], tmp_path / "out") == 1
    (item,) = read_back("seeclick", tmp_path / "out", tmp_path / "home")
    assert [(element.name, edges(element.box)) for element in item.sample.truth] == [
        ("Pay “now”", expected(viewport, BUTTON)),
        ("Über uns", expected(viewport, OVER_THE_EDGE)),
    ]


@pytest.mark.parametrize("viewport", SHAPES)
def test_controls_come_back_from_coco_with_their_roles(tmp_path: Path, viewport: Viewport) -> None:
    write = LAYOUTS["coco"].write
    assert write is not None
    assert write([page(tmp_path, viewport), page(tmp_path, viewport, "another")], tmp_path / "out") == 2
    for item in read_back("coco", tmp_path / "out", tmp_path / "home"):
        assert item.sample.complete
        assert [(element.role, edges(element.box)) for element in item.sample.truth] == [
            ("button", expected(viewport, BUTTON)),
            ("link", expected(viewport, OVER_THE_EDGE)),
            ("element", expected(viewport, BUTTON)),
        ]


def test_coco_is_as_other_tools_want_it(tmp_path: Path) -> None:
    write = LAYOUTS["coco"].write
    assert write is not None
    write([page(tmp_path, Viewport(200, 100, 2)), page(tmp_path, Viewport(200, 100), "another")], tmp_path / "out")
    document = json.loads((tmp_path / "out" / "annotations" / "instances.json").read_text("utf-8"))
    assert [(image["id"], image["width"], image["height"]) for image in document["images"]] == [
        (1, 400, 200),
        (2, 200, 100),
    ]
    assert [annotation["id"] for annotation in document["annotations"]] == [1, 2, 3, 4, 5, 6]
    assert document["annotations"][0] == {
        "id": 1,
        "image_id": 1,
        "category_id": 1,
        "bbox": [40.25, 20.91, 121.33, 60.09],
        "area": 7290.72,
        "iscrowd": 0,
    }
    assert document["categories"] == [
        {"id": 1, "name": "button"},
        {"id": 2, "name": "link"},
        {"id": 3, "name": "element"},
    ]
    assert [path.name for path in (tmp_path / "out" / "annotations").iterdir()] == ["instances.json"]


def test_crowds_come_back_as_crowds(tmp_path: Path) -> None:
    write = LAYOUTS["coco"].write
    assert write is not None
    origin = page(tmp_path, Viewport(200, 100))
    crowd = TruthElement("person", "", BUTTON, False, states=("crowd",))
    sample = Sample("crowd", "coco", "g", "p", "0" * 64, Viewport(200, 100), complete=True, truth=(crowd,))
    write([Item(origin.id, sample, origin.image)], tmp_path / "out")
    (item,) = read_back("coco", tmp_path / "out", tmp_path / "home")
    (element,) = item.sample.truth
    assert (element.role, element.interactive, element.states) == ("person", False, ("crowd",))


@pytest.mark.parametrize("layout", [name for name, layout in LAYOUTS.items() if layout.write])
def test_an_interrupted_write_leaves_no_file_of_records(tmp_path: Path, layout: str) -> None:
    def interrupted() -> Iterator[Item]:
        yield page(tmp_path, Viewport(200, 100))
        raise KeyboardInterrupt

    write = LAYOUTS[layout].write
    assert write is not None
    with pytest.raises(KeyboardInterrupt):
        write(interrupted(), tmp_path / "out")
    assert [path for path in (tmp_path / "out").rglob("*") if path.suffix in (".json", ".part")] == []


@pytest.mark.parametrize("layout", [name for name, layout in LAYOUTS.items() if layout.write])
def test_a_written_folder_is_recognized(tmp_path: Path, layout: str) -> None:
    write = LAYOUTS[layout].write
    assert write is not None
    write([page(tmp_path, Viewport(200, 100))], tmp_path / "out")
    (record,) = open_dataset(str(tmp_path / "out"), tmp_path / "home")
    assert not isinstance(record, Broken)
    assert record.load().sample.source == layout

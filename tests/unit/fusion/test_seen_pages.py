"""From painted pixels to a list, with the detectors that ship: what a person would find on them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from perception.deadline import Deadline
from perception.detectors.controls import ControlBoxes
from perception.detectors.ppocr import PpOcr
from perception.fusion.fuse import fuse
from perception.fusion.regions import SeenRegion, crop_region
from perception.geometry import Box
from perception.types import Detections, Element, NodeKey, Opaque, Pixels, Region, Screenshot, Source

CANVAS = Element("canvas", "", Box(20, 30, 780, 430), opaque=Opaque.CANVAS, node=NodeKey("L", 1))


class Painter:
    """Draws a page at a device scale; coordinates in CSS px."""

    def __init__(self, scale: int, *, dark: bool) -> None:
        self.scale = scale
        self.paper, self.panel, self.ink, self.line = (
            ((24, 25, 30), (36, 38, 46), (235, 235, 240), (120, 120, 130))
            if dark
            else ((255, 255, 255), (238, 241, 245), (30, 30, 30), (150, 150, 170))
        )
        self.image = Image.new("RGB", (800 * scale, 460 * scale), self.paper)
        self.draw = ImageDraw.Draw(self.image)
        self.font = ImageFont.load_default(14 * scale)

    def box(
        self, left: int, top: int, right: int, bottom: int, fill: tuple[int, int, int] | None, *, framed: bool
    ) -> None:
        sides = tuple(side * self.scale for side in (left, top, right, bottom))
        self.draw.rectangle(sides, fill=fill, outline=self.line if framed else None, width=self.scale)

    def text(self, x: int, y: int, words: str, anchor: str) -> None:
        self.draw.text((x * self.scale, y * self.scale), words, font=self.font, fill=self.ink, anchor=anchor)

    def pixels(self) -> Pixels:
        return np.ascontiguousarray(np.asarray(self.image)[..., ::-1])


def paint_editor(scale: int, *, dark: bool) -> Pixels:
    """A canvas at (20, 30) with a toolbar of two text buttons, an icon button and a field above a bar chart."""
    page = Painter(scale, dark=dark)
    page.box(20, 30, 780, 430, page.paper, framed=False)
    page.box(20, 30, 780, 78, page.panel, framed=False)
    for left, right, words in ((30, 100, "Save"), (110, 200, "Open file")):
        page.box(left, 38, right, 70, page.paper, framed=True)
        page.text((left + right) // 2, 54, words, "mm")
    page.box(220, 38, 252, 70, page.paper, framed=True)
    page.box(229, 53, 243, 55, page.ink, framed=False)
    page.box(235, 47, 237, 61, page.ink, framed=False)
    page.box(300, 40, 520, 68, page.paper, framed=True)
    page.text(308, 54, "Search", "lm")
    for place, height in enumerate((80, 150, 120, 220)):
        page.box(100 + 80 * place, 400 - height, 140 + 80 * place, 400, (76, 139, 245), framed=False)
        page.text(120 + 80 * place, 414, ("North", "East", "South", "West")[place], "mm")
    return page.pixels()


@pytest.fixture(scope="module")
def reader() -> PpOcr:
    return PpOcr()


def look(reader: PpOcr, pixels: Pixels) -> tuple[Detections, ...]:
    deadline = Deadline.of(120)
    return reader.detect(pixels, deadline), ControlBoxes().detect(pixels, deadline)


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("dark", [False, True])
def test_a_painted_toolbar_and_chart_are_listed_as_a_person_would(reader: PpOcr, scale: int, dark: bool) -> None:
    shot = Screenshot(paint_editor(scale, dark=dark), scale)
    region = Region(CANVAS.box, 0, Opaque.CANVAS)
    fused = fuse((CANVAS,), (SeenRegion(region, scale, look(reader, crop_region(shot, region))),))
    assert [(element.role, element.name.strip("+")) for element in fused[:5]] == [
        ("canvas", ""),
        ("button", "Save"),
        ("button", "Open file"),
        ("button", ""),
        ("textbox", "Search"),
    ]
    chart = fused[5:]
    assert [element.name for element in chart if element.name] == ["North", "East", "South", "West"]
    assert sum(element.interactive for element in chart) <= 5, "bars and an axis may be taken for controls"
    assert all(element.parent == 0 for element in fused[1:])
    painted = (Box(30, 38, 100, 70), Box(110, 38, 200, 70), Box(220, 38, 252, 70), Box(300, 40, 520, 68))
    for element, box in zip(fused[1:5], painted, strict=True):
        assert element.click_point is not None
        assert box.contains(element.click_point)


def test_a_nameless_picture_button_is_named_by_its_painted_text(reader: PpOcr) -> None:
    pixels = np.full((100, 300, 3), 255, np.uint8)
    cv2.rectangle(pixels, (40, 30), (139, 61), (160, 90, 20), -1)
    image = Image.fromarray(pixels)
    ImageDraw.Draw(image).text((90, 46), "Check out", font=ImageFont.load_default(15), fill="white", anchor="mm")
    button = Element("button", "", Box(40, 30, 140, 62), opaque=Opaque.NAMELESS, interactive=True, node=NodeKey("L", 1))
    region = Region(Box(36, 26, 144, 66), 0, Opaque.NAMELESS)
    crop = crop_region(Screenshot(np.asarray(image), 1), region)
    (named,) = fuse((button,), (SeenRegion(region, 1, look(reader, crop)),))
    assert named.name == "Check out"
    assert named.box == button.box
    assert {Source.DOM, Source.OCR} <= set(named.sources)

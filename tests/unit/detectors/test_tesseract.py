"""Lines in scripts that the bundled models do not read, with the real Tesseract where it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from perception.deadline import Deadline
from perception.detectors import tesseract
from perception.detectors.pool import CropCache, DetectorPool
from perception.detectors.registry import Registry
from perception.detectors.script_languages import count_scripts, likely_languages, script_of_language
from perception.detectors.tesseract_packs import PREFIX_VARIABLE, missing_pack, packs_for
from perception.engine.parse import parse
from perception.types import Pixels

pytestmark = pytest.mark.real_time  # real processes

ARABIC, RUSSIAN = "إعدادات الحساب", "Настройки учётной записи"


def needs(script: str) -> pytest.MarkDecorator:
    missing = tesseract.PLUGIN.missing_script(script) if tesseract.PLUGIN.missing_script else ""
    return pytest.mark.skipif(bool(missing), reason=f"{script}: {missing}")


READABLE = [
    pytest.param("Arabic ar", ARABIC, False, id="Arabic", marks=needs("Arabic")),
    pytest.param("Cyrillic ru", RUSSIAN, False, id="Cyrillic", marks=needs("Cyrillic")),
    pytest.param("Cyrillic ru", RUSSIAN, True, id="light on dark", marks=needs("Cyrillic")),
]


def line(text: str, *, dark: bool = False, size: int = 16, top: int = 6, height: int = 32) -> Pixels:
    """A line of text as a detector cuts it out."""
    ground, ink = ((24, 26, 30), (230, 230, 235)) if dark else ((255, 255, 255), (30, 30, 30))
    image = Image.new("RGB", (260, height), ground)
    ImageDraw.Draw(image).text((8, top), text, font=ImageFont.truetype("DejaVuSans.ttf", size), fill=ink)
    return np.ascontiguousarray(np.asarray(image)[..., ::-1])


@pytest.fixture(scope="module")
def pool() -> Iterator[DetectorPool]:
    """Tesseract in a process of its own, as the service runs it."""
    shared = DetectorPool(Registry.load())
    yield shared
    shared.close()


@pytest.mark.parametrize(("hint", "text", "dark"), READABLE)
async def test_a_line_is_read_in_its_script(pool: DetectorPool, hint: str, text: str, dark: bool) -> None:
    cache = CropCache()
    images = [line(text, dark=dark), line("", dark=dark)]
    for hits in (0, 2):
        run = await pool.detect(["tesseract"], images, Deadline.of(60), cache, reserve_s=0, hints=[hint, hint])
        (((found,), (nothing,)), skipped) = run.detections, run.skipped
        assert (found.text, found.detector, len(nothing), skipped) == ((text,), "tesseract", 0, ())
        assert found.xyxy.tolist() == [[0, 0, 260, 32]]
        assert found.score[0] > 0.6
        assert run.cache_hits == hits


@needs("Arabic")
async def test_a_line_of_another_script_is_not_read(pool: DetectorPool) -> None:
    images = [line("Account settings"), line("2026-06-06")]
    run = await pool.detect(["tesseract"], images, Deadline.of(60), CropCache(), reserve_s=0, hints=["Arabic"] * 2)
    assert [len(found) for (found,) in run.detections] == [0, 0]


@needs("Arabic")
async def test_lines_are_not_read_after_the_deadline(pool: DetectorPool) -> None:
    run = await pool.detect(
        ["tesseract"], [line(ARABIC)], Deadline.of(0), CropCache(), reserve_s=0, hints=["Arabic ar"]
    )
    assert [each.name for each in run.skipped] == ["tesseract"]


@needs("Arabic")
async def test_a_picture_of_a_page_is_read_in_both_scripts(pool: DetectorPool) -> None:
    page = np.concatenate([line(ARABIC, height=60, top=20), line("Account settings", height=60, top=20)])
    snapshot = await parse(page, 1.0, ("ppocr",), pool, Deadline.of(120))
    assert [element.name for element in snapshot.elements] == [ARABIC, "Account settings"]
    assert snapshot.skipped == ()


def test_the_page_says_which_packages_are_missing(tmp_path: Path) -> None:
    bare = {PREFIX_VARIABLE: str(tmp_path)}
    (tmp_path / "rus.traineddata").touch()
    assert missing_pack("Cyrillic", bare) == ""
    assert "apt install tesseract-ocr-script-arab" in missing_pack("Arabic", bare)
    assert "Klingon" in missing_pack("Klingon", bare)


@pytest.mark.parametrize(
    ("languages", "installed", "expected"),
    [
        pytest.param((), (), (), id="nothing installed"),
        pytest.param((), ("ara", "fas", "eng"), ("ara", "fas"), id="the more common language first"),
        pytest.param(("fa",), ("ara", "fas"), ("fas", "ara"), id="the page's language first"),
        pytest.param(("fa",), ("fas", "Arabic"), ("Arabic", "fas"), id="the whole script before a language"),
        pytest.param((), ("script/Arabic",), ("script/Arabic",), id="as Tesseract's own repository names it"),
        pytest.param(("ru", "de"), ("rus", "deu"), (), id="languages of another script"),
    ],
)
def test_data_that_reads_a_line(
    languages: tuple[str, ...], installed: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    assert packs_for("Arabic", languages, frozenset(installed)) == expected


@pytest.mark.parametrize(
    ("script", "text", "language"),
    [
        ("Arabic", "إعدادات الحساب", "ar"),
        ("Arabic", "تنظیمات حساب کاربری", "fa"),
        ("Arabic", "اکاؤنٹ کی ترتیبات", "ur"),
        ("Cyrillic", "Настройки учётной записи", "ru"),
        ("Cyrillic", "Налаштування облікового запису її", "uk"),
        ("Cyrillic", "Подешавања љубимца", "sr"),
        ("Hebrew", "Settings", "he"),
    ],
)
def test_letters_tell_the_language(script: str, text: str, language: str) -> None:
    assert likely_languages(script, [text])[0] == language


@pytest.mark.parametrize(
    ("text", "tag", "language"),
    [
        pytest.param("", "uk", "uk", id="no words"),
        pytest.param("", "UK_ua", "uk", id="any spelling of the tag"),
        pytest.param("Налаштування облікового запису її", "ru", "uk", id="words say otherwise"),
        pytest.param("", "de", "ru", id="a language of another script"),
    ],
)
def test_a_page_names_its_language(text: str, tag: str, language: str) -> None:
    assert likely_languages("Cyrillic", [text], tag)[0] == language


@pytest.mark.parametrize(
    ("tag", "script"), [("ar-EG", "Arabic"), ("sr", "Cyrillic"), ("KO", "Hangul"), ("en", ""), ("", "")]
)
def test_the_script_of_a_language(tag: str, script: str) -> None:
    assert script_of_language(tag) == script


def test_scripts_are_counted_by_letters() -> None:
    assert count_scripts(["Ада 12", "Ada", "한글", ""]) == {"Cyrillic": 3, "Hangul": 2}
    assert count_scripts([]) == {}
    assert likely_languages("Klingon", ["x"]) == ()

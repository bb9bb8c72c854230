"""Lines of text in many scripts, rendered with the fonts of a folder: what the script model is trained on.

Words are names of countries, languages, currencies, units and months in Unicode's locale data (CLDR), which the `babel`
package contains. Each line has a font, a size, colors and margins of its own.

Rule 1: a font is used for training or for the check, never for both: families are split by a digest of their name.
"""

from __future__ import annotations

import hashlib
import random
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from perception.detectors.scripts import ICON, KNOWN
from perception.errors import BadInputError
from perception.types import Pixels

LOCALES: Mapping[str, Sequence[str]] = {
    KNOWN: ("en", "fr", "de", "es", "pl", "cs", "tr", "vi", "sv", "en", "en", "zh", "zh_Hant", "zh", "ja", "ja"),
    "Arabic": ("ar", "fa", "ur"),
    "Cyrillic": ("ru", "uk", "bg", "sr", "be", "kk"),
    "Devanagari": ("hi", "mr", "ne"),
    "Hangul": ("ko",),
    "Hebrew": ("he",),
    "Thai": ("th",),
}
"""Locales by script."""

RANGES: Mapping[str, tuple[int, int]] = {
    "Arabic": (0x600, 0x6FF),
    "Cyrillic": (0x400, 0x4FF),
    "Devanagari": (0x900, 0x97F),
    "Hangul": (0xAC00, 0xD7A3),
    "Hebrew": (0x590, 0x5FF),
    "Thai": (0xE00, 0xE7F),
}
"""First and last code point of each script's letters."""

CHECK_SHARE = 0.3
"""Share of the font families that only the check uses."""

SIZES = (10, 11, 12, 13, 14, 14, 15, 16, 16, 18, 20, 24, 28, 32, 40)
"""Sizes of type, px: those of pages, at one and two device pixels for each CSS px."""

SHORT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789012345678901234567890123456789"
"""Characters of short texts: names of columns, numbers of pages, keys of a calculator, `B I U`."""

STYLE = re.compile(r"(?:Semi|Demi|Extra|Ultra)?(?:Bold|Light|Medium|Italic|Oblique|Regular|Thin|Black).*$|Demi$")
"""The end of a file's name that is no part of the family's."""

EXCLUDED = ("LastResort", "Mono-Math", "Emoji", "Symbols", "Music", "Math")


@dataclass(frozen=True, slots=True)
class RenderedLine:
    """A line as the text detector would cut it out.

    Attributes:
        pixels: (H, W, 3) uint8 BGR.
        script: KNOWN or a name of RANGES.
        locale: of its words.
        font: the file's name.
        text: what it says.
    """

    pixels: Pixels
    script: str
    locale: str
    font: str
    text: str


def fonts_by_language(folder: Path) -> dict[str, list[Path]]:
    """The fonts in a folder by the languages that they cover, as fontconfig says.

    Raises:
        BadInputError: fontconfig is missing, or no font is there.
    """
    found: dict[str, list[Path]] = defaultdict(list)
    for file, languages in _scan(folder, "lang"):
        if not any(word in file for word in EXCLUDED):
            for language in languages.split("|"):
                found[language].append(Path(file))
    if not found:
        raise BadInputError(f"no font in {folder}: name a folder of fonts, such as /usr/share/fonts")
    return found


def _scan(folder: Path, fact: str) -> list[tuple[str, str]]:
    """The font files of a folder, each with a fact about it, as fontconfig says."""
    try:
        done = subprocess.run(
            ["fc-scan", "--format", f"%{{file}}|%{{{fact}}}\n", str(folder)], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as exc:
        raise BadInputError(f"fonts in {folder} cannot be listed by fc-scan: install fontconfig") from exc
    return [(file, value) for file, _, value in (line.partition("|") for line in sorted(set(done.stdout.splitlines())))]


def is_for_check(font: Path) -> bool:
    """Whether only the check uses this font. All weights and slants of a family are on one side."""
    family = STYLE.sub("", font.stem.split("-")[0]).casefold()
    return hashlib.sha256(family.encode()).digest()[0] < 256 * CHECK_SHARE


def render_lines(folder: Path, script: str, count: int, *, check: bool, seed: int) -> Iterator[RenderedLine]:
    """Renders lines of one script.

    Args:
        folder: fonts.
        script: KNOWN or a name of RANGES.
        count: number of lines.
        check: with the fonts of the check, not those of the training.
        seed: of everything that is chosen by chance.

    Raises:
        BadInputError: no font covers one of the script's locales.
    """
    chance = random.Random(f"{script} {check} {seed}")
    fonts = fonts_by_language(folder)
    for number in range(count):
        locale = LOCALES[script][number % len(LOCALES[script])]
        language = {"zh": "zh-cn", "zh_Hant": "zh-tw"}.get(locale, locale)
        usable = [font for font in fonts.get(language, []) if is_for_check(font) is check]
        if not usable:
            raise BadInputError(f"no font for {language} in {folder} ({'check' if check else 'training'})")
        font = chance.choice(_by_family(usable)[chance.choice(sorted(_by_family(usable)))])
        text = make_text(chance, script, locale)
        yield RenderedLine(draw(chance, text, font), script, locale, font.name, text)


def render_icons(folder: Path, count: int, *, seed: int) -> Iterator[RenderedLine]:
    """Renders glyphs of icon fonts, which have them at code points for private use.

    Raises:
        BadInputError: as `fonts_by_language`, or no font of the folder has icons.
    """
    chance = random.Random(f"icons {seed}")
    fonts = [(Path(file), _private(charset)) for file, charset in _scan(folder, "charset")]
    fonts = [(font, points) for font, points in fonts if points]
    if not fonts:
        raise BadInputError(f"no icon font in {folder}: its fonts have no code points for private use")
    for number in range(count):
        font, points = fonts[number % len(fonts)]
        text = chr(chance.choice(points))
        yield RenderedLine(draw(chance, text, font), ICON, "", font.name, text)


def render_short(folder: Path, count: int, *, seed: int) -> Iterator[RenderedLine]:
    """Renders one to three letters or digits, which have to be told from icons, with the fonts of the training.

    Raises:
        BadInputError: as `fonts_by_language`.
    """
    chance = random.Random(f"short {seed}")
    families = _by_family([font for font in fonts_by_language(folder)["en"] if not is_for_check(font)])
    for _ in range(count):
        font = chance.choice(families[chance.choice(sorted(families))])
        text = "".join(chance.choice(SHORT) for _ in range(chance.choice((1, 1, 1, 2, 2, 3))))
        yield RenderedLine(draw(chance, text, font), KNOWN, "", font.name, text)


def _private(charset: str) -> list[int]:
    """The code points for private use in a charset as fontconfig writes it, `20-7e e000-e0ff`."""
    spans = [[int(side, 16) for side in span.split("-")] for span in charset.split()]
    return [point for span in spans for point in range(span[0], span[-1] + 1) if 0xE000 <= point <= 0xF8FF]


def _by_family(fonts: Sequence[Path]) -> dict[str, list[Path]]:
    families: dict[str, list[Path]] = defaultdict(list)
    for font in fonts:
        families[font.stem.split("-")[0]].append(font)
    return families


@lru_cache(maxsize=64)
def words_of(script: str, locale: str) -> tuple[str, ...]:
    """Words of a locale that have letters of the script only, sorted."""
    from babel import Locale

    data = Locale.parse(locale)
    names = [*data.territories.values(), *data.languages.values(), *data.currencies.values(), *data.variants.values()]
    names += [*data.months["format"]["wide"].values(), *data.days["format"]["wide"].values()]
    words = {word.strip("()[]،,.:;") for name in names for word in str(name).split()}
    return tuple(sorted(word for word in words if word and _is_written_in(word, script)))


def _is_written_in(word: str, script: str) -> bool:
    if script == KNOWN:
        return all(not (low <= ord(char) <= high) for char in word for low, high in RANGES.values())
    low, high = RANGES[script]
    return all(low <= ord(char) <= high or char in "-'\u2019" for char in word)


def make_text(chance: random.Random, script: str, locale: str) -> str:
    """A line of up to six words; a number, a date, a code or an address at times."""
    words = words_of(script, locale)
    count = chance.choice((1, 1, 2, 2, 3, 4))
    gap = "" if locale in ("zh", "zh_Hant", "ja") else " "
    text = gap.join(chance.choice(words) for _ in range(count))
    if script == KNOWN and gap and chance.random() < 0.3:
        text = chance.choice((text.upper(), text.title(), text.lower(), _code(chance), f"{text} {_code(chance)}"))
    elif chance.random() < 0.15:
        text = f"{text} {chance.choice((_code(chance), str(chance.randrange(1000))))}"
    return text + chance.choice(("", "", "", ":", ".", "…", " *"))


def _code(chance: random.Random) -> str:
    number = chance.randrange(1, 99999)
    numbers = (f"{number:,}", f"${number / 100:.2f}", f"{number} %", f"ID-{number:05}", f"+49 {number} {number // 3}")
    dates = (f"{number % 28 + 1}/{number % 12 + 1}/2024", f"{number % 24:02}:{number % 60:02}", f"v{number % 9}.0")
    names = (f"user{number}@example.org", f"https://example.org/{number:x}", f"file_{number:x}.js", f"#{number:x}")
    return chance.choice((*numbers, *dates, *names))


def draw(chance: random.Random, text: str, font: Path) -> Pixels:
    """Draws a line and cuts it out with margins like those of the text detector."""
    size = chance.choice(SIZES)
    face = ImageFont.truetype(str(font), size, layout_engine=ImageFont.Layout.RAQM)
    left, top, right, bottom = (round(side) for side in face.getbbox(text))
    ink, ground = _colors(chance)
    pad = size
    image = Image.new("RGB", (max(4, right - left) + 2 * pad, max(4, bottom - top) + 2 * pad), ground)
    ImageDraw.Draw(image).text((pad - left, pad - top), text, font=face, fill=ink)
    high = bottom - top
    above, below, beside = (round(chance.uniform(0.18, 0.5) * high) + 1 for _ in range(3))
    box = (pad - beside, pad - above, pad + right - left + beside, pad + bottom - top + below)
    image = image.crop((max(0, box[0]), max(0, box[1]), min(image.width, box[2]), min(image.height, box[3])))
    if chance.random() < 0.15:
        image = image.filter(ImageFilter.GaussianBlur(chance.uniform(0.3, 0.8)))
    return np.ascontiguousarray(np.asarray(image)[:, :, ::-1])


def _colors(chance: random.Random) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Ink and ground: dark on light or light on dark, gray or tinted, with enough contrast to read."""
    dark, light = chance.randrange(0, 130), chance.randrange(215, 256)
    tint = [chance.randrange(-40, 41) if chance.random() < 0.4 else 0 for _ in range(3)]
    one = tuple(min(255, max(0, dark + each)) for each in tint)
    other = (light, light, light)
    first, second = (one, other) if chance.random() < 0.65 else (other, one)
    return (first[0], first[1], first[2]), (second[0], second[1], second[2])

"""Words that a font draws as icons: nobody reads them, and they name what has no other words."""

from __future__ import annotations

import pytest

from perception.types import Capture
from tests.support.ligature_font import LIGATURES
from tests.support.sheet import Sheet

STYLE = """<style>
  @font-face {{ font-family: "{family}"; src: url("{source}"); }}
  i {{ font: 20px "{family}"; }}
  .before::before {{ content: "home"; font: 20px "{family}"; }}
  .after::after {{ content: "arrow_back"; font: 20px "{family}"; }}
</style>"""

LOADED = pytest.mark.parametrize("family", ["Drawn", "Drawn Icons"])


async def look(sheet: Sheet, body: str, family: str, source: str = f"data:font/woff;base64,{LIGATURES}") -> Capture:
    await sheet.write("<!doctype html>" + STYLE.format(family=family, source=source) + body)
    await sheet.tab.page.evaluate("document.fonts.ready.then(() => 0)")
    return await sheet.look()


def listed(capture: Capture) -> list[tuple[str, str]]:
    return [(each.role, each.name) for each in capture.elements]


@LOADED
@pytest.mark.parametrize(
    ("body", "role", "name"),
    [
        pytest.param("<button><i>home</i> Start</button>", "button", "Start", id="button"),
        pytest.param("<a href=#x><i>arrow_back</i><span>Back</span></a>", "link", "Back", id="link"),
        pytest.param("<a href=#x class=before>Open</a>", "link", "Open", id="generated-before"),
        pytest.param("<button class=after>Menu</button>", "button", "Menu", id="generated-after"),
        pytest.param(
            "<label><input type=checkbox><i class=before></i> Wi-Fi</label>", "checkbox", "Wi-Fi", id="in-a-label"
        ),
        pytest.param("<h2><i>home</i> Title</h2>", "heading", "Title", id="heading"),
        pytest.param("<p><i>home</i> Plain words</p>", "text", "Plain words", id="text-after"),
        pytest.param("<p>Plain <i>arrow_back</i> words</p>", "text", "Plain words", id="text-around"),
        pytest.param("<p>Plain words<i>home</i></p>", "text", "Plain words", id="text-before"),
        pytest.param("<button aria-label=Close><i>home</i></button>", "button", "Close", id="given-name"),
        pytest.param("<button><i>home</i></button>", "button", "home", id="no-other-words"),
        pytest.param("<p><i>home</i></p>", "text", "home", id="no-other-text"),
    ],
)
async def test_words_drawn_as_an_icon_are_not_read(sheet: Sheet, body: str, role: str, name: str, family: str) -> None:
    assert listed(await look(sheet, body, family)) == [(role, name)]


@LOADED
@pytest.mark.parametrize(
    ("body", "hint"),
    [
        pytest.param("<button id=c5><i aria-hidden=true>home</i></button>", "home", id="icon"),
        pytest.param("<button id=c5><p aria-hidden=true><i>home</i></p></button>", "home", id="deeper"),
        pytest.param("<button id=c5><b aria-hidden=true>home</b></button>", "c5", id="words"),
    ],
)
async def test_an_icon_without_a_name_is_the_hint_of_its_control(
    sheet: Sheet, body: str, hint: str, family: str
) -> None:
    (button,) = (await look(sheet, body, family)).elements
    assert button.hint == hint


async def test_words_in_a_font_that_did_not_come_are_read(sheet: Sheet) -> None:
    body = "<button><i>home</i> Start</button><p><i>arrow_back</i> Plain words</p>"
    assert listed(await look(sheet, body, "Missing Icons", "data:,")) == [
        ("button", "home Start"),
        ("text", "arrow_back Plain words"),
    ]


@pytest.mark.parametrize("word", ["filling", "illicit", "WAVE", "Mittwoch", "file_list", "x-ray", "2024-11"])
async def test_usual_words_in_a_usual_font_are_read(sheet: Sheet, word: str) -> None:
    await sheet.write(f"<!doctype html><button><b>{word}</b> Start</button>")
    assert listed(await sheet.look()) == [("button", f"{word} Start")]

"""The suites `words` and `values`: what pages of our own paint, and what their lists say."""

# ruff: noqa: E501  pages read better unbroken

from __future__ import annotations

from urllib.parse import quote

import pytest

from perception.bench.pages.painted_words import PaintedWord, readings_of, tokens_of
from perception.bench.suites.values.judgment import FieldLines, Place, ValuesRun, find_place, lines_of
from perception.bench.suites.values.run import run_values
from perception.bench.suites.words.judgment import Said, WordsRun, is_read, match_words, wrong_numbers
from perception.bench.suites.words.run import run_words

SHOP = """<!doctype html><meta charset=utf-8><title>shop</title>
<h1>Our <b>sho</b>p</h1><p>Now $19<sup>99</sup> each, <span style="margin-right:30px">Qty 1</span><span>250 EUR</span></p>
<p hidden>Gone 71</p><p style="opacity:0">Ghost 72</p><div style="height:20px;overflow:hidden">Seen<br><br>Clipped</div>
<div id=host></div><iframe srcdoc="<p>Framed 31</p>"></iframe><p style="margin-top:1500px">Far below</p>
<script>host.attachShadow({mode: 'closed'}).innerHTML = '<p>Shadowed 41</p>';</script>"""

FORM = """<!doctype html><meta charset=utf-8><title>form</title><label>Name <input value="Ada 12"></label>
<select aria-label=Color><option>Red<option selected>Blue</select><input type=range aria-label=Nights value=30 max=90>
<button role=combobox aria-expanded=false aria-label=Position style="width:200px">Product Manager</button>
<div contenteditable aria-label=Note>A note</div><progress value=40 max=100></progress>"""


@pytest.fixture(scope="module")
async def words(site: str) -> WordsRun:
    return await run_words({"shop": f"{site}/html?body={quote(SHOP)}"}, {}, lambda _, __: None)


@pytest.fixture(scope="module")
async def values(site: str) -> ValuesRun:
    return await run_values({"form": f"{site}/html?body={quote(FORM)}"}, {}, lambda _, __: None)


def test_all_painted_words_are_found_and_said(words: WordsRun) -> None:
    assert words.failed == {}
    page = words.pages[0]
    assert page.words == len("Our shop Now 19 99 each Qty 1 250 EUR Seen Shadowed 41 Far below Framed 31".split())
    assert (page.missed, page.wrong, page.elsewhere, page.unconfirmed) == ((), (), 0, 0)


def test_what_controls_paint_is_said_in_their_lines(values: ValuesRun) -> None:
    assert values.failed == {}
    page = values.pages[0]
    assert page.controls == 6
    assert page.missed == ()
    assert page.values >= 6


def painted(*words: str) -> list[PaintedWord]:
    return [PaintedWord("f", at, each, 0) for at, each in enumerate(words)]


@pytest.mark.parametrize(
    ("words", "listed", "said"),
    [
        pytest.param(("a", "b"), ["a", "b"], [Said.IN_ORDER] * 2, id="in-order"),
        pytest.param(("a", "b"), ["ab"], [Said.NOWHERE] * 2, id="glued"),
        pytest.param(("1", "250"), ["1250"], [Said.NOWHERE] * 2, id="glued-number"),
        pytest.param(("a\u0001b",), ["ab"], [Said.IN_ORDER], id="perhaps-joined"),
        pytest.param(("a\u0001b",), ["a", "b"], [Said.IN_ORDER], id="perhaps-apart"),
        pytest.param(("a", "a"), ["a"], [Said.IN_ORDER, Said.REPEAT], id="said-once"),
        pytest.param(("a", "b", "c"), ["a", "c", "b"], [Said.IN_ORDER] * 2 + [Said.ELSEWHERE], id="another-order"),
        pytest.param((), [], [], id="empty"),
    ],
)
def test_words_are_said_as_words_of_their_own(words: tuple[str, ...], listed: list[str], said: list[Said]) -> None:
    assert match_words(painted(*words), listed) == said


def test_a_number_that_nothing_on_the_page_says_is_wrong() -> None:
    text = '- text "Qty 1250"\n- slider "Nights" [ref=e4]: "3" [range=1..14]\n- textbox "Day" [hint="77"]'
    count, wrong = wrong_numbers(text, ["Qty", "1", "250", "Nights 3"])
    assert (count, [each.number for each in wrong]) == (2, ["1250"])


@pytest.mark.parametrize(
    ("word", "reading", "is_there"),
    [
        pytest.param("Save", "save all", True, id="case"),
        pytest.param("Saved", "all Saved2 words", True, id="runs-into-another"),
        pytest.param("12", "312", False, id="part-of-a-number"),
        pytest.param("Save", "", False, id="nothing-read"),
    ],
)
def test_ocr_confirms_only_what_it_reads(word: str, reading: str, is_there: bool) -> None:
    assert is_read(word, reading) is is_there


def test_numbers_keep_their_separators_and_invisible_letters_do_not_part_words() -> None:
    assert tokens_of("Total 1,250.00, so\u00adft H_2O") == ["total", "1,250.00", "soft", "h", "2o"]
    assert readings_of("12") == [["12"]]


LINES = [
    '- textbox "Name" [ref=e1]: "Ada"',
    '- combobox "City" [ref=e2]',
    '  - text "Oslo"',
    "- x",
    "- x",
    '- text "Rome"',
]


@pytest.mark.parametrize(
    ("word", "place"),
    [
        pytest.param("city", Place.OWN, id="name"),
        pytest.param("Oslo", Place.OWN, id="below"),
        pytest.param("Ada", Place.BESIDE, id="line-before"),
        pytest.param("Rome", Place.AWAY, id="away"),
        pytest.param("Bern", Place.NOWHERE, id="nowhere"),
    ],
)
def test_a_value_is_said_in_the_lines_of_its_control(word: str, place: Place) -> None:
    of = lines_of(LINES, ["e2"], [])
    assert of == FieldLines((1, 2), ())
    # Two lines after the last of its own are beside it, the third is not.
    assert find_place(word, LINES, of) is place

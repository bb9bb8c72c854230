"""Whatever the spelling, a secret that is known by name is masked; and nothing else is."""

from __future__ import annotations

import base64
import html
import json
import re
from urllib.parse import quote, quote_plus, unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from perception.secrets import Masker, NamedSecret, mask_of

VALUE = 'Tr0ub4dor &3 <"quoted"> \\ ü%+'
MASK = mask_of("bank")


def masker(value: str = VALUE, name: str = "bank") -> Masker:
    return Masker([NamedSecret(name, value)])


SPELLINGS = [
    pytest.param(str, id="as it is"),
    pytest.param(lambda text: quote(text, safe=""), id="url"),
    pytest.param(lambda text: quote(text, safe="").lower(), id="url in lower case"),
    pytest.param(lambda text: quote(quote(text, safe=""), safe=""), id="url in a url"),
    pytest.param(quote_plus, id="form"),
    pytest.param(lambda text: quote(text, safe="!$'()*,;:@/?\"<>\\"), id="url as browsers leave it"),
    pytest.param(lambda text: html.escape(text, quote=True), id="html"),
    pytest.param(lambda text: html.escape(html.escape(text)), id="html in html"),
    pytest.param(lambda text: "".join(f"&#{ord(each)};" for each in text), id="html decimals"),
    pytest.param(lambda text: "".join(f"&#x{ord(each):X};" for each in text), id="html hexadecimals"),
    pytest.param(lambda text: json.dumps(text)[1:-1], id="json"),
    pytest.param(lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1], id="json in json"),
    pytest.param(lambda text: json.dumps(text, ensure_ascii=False)[1:-1], id="json as text"),
    pytest.param(lambda text: "".join(f"\\u{ord(each):04X}" for each in text), id="javascript"),
    pytest.param(lambda text: "".join(f"\\x{ord(each):02x}" for each in text), id="javascript bytes"),
    pytest.param(lambda text: re.sub(r"([\\`*_{}\[\]()#+.!<>&-])", r"\\\1", text), id="markdown"),
    pytest.param(str.upper, id="upper case"),
    pytest.param(lambda text: text.replace(" ", " \n  "), id="spaces of a source"),
    pytest.param("\u200b".join, id="zero-width spaces"),
    pytest.param(lambda text: "\u00ad\u200d".join(text), id="soft hyphens and joiners"),
]


@pytest.mark.parametrize("spell", SPELLINGS)
def test_every_spelling_is_masked(spell: object) -> None:
    spelt = spell(VALUE)  # type: ignore[operator]
    for text in (spelt, f"https://x.example/?q={spelt}&r=1", f"…{spelt}…"):
        masked = masker().text(text)
        assert masked == text.replace(spelt, MASK)
        assert list(masker().spans(text)) == [(text.index(spelt), text.index(spelt) + len(spelt))]


@pytest.mark.parametrize("before", ["", "u", "u:", "me@x.example:"])
@pytest.mark.parametrize("after", ["", "!", '"}'])
def test_base64_of_a_value_is_masked_wherever_the_value_begins(before: str, after: str) -> None:
    written = base64.b64encode(f"{before}{VALUE}{after}".encode()).decode()
    start, end = len(before) * 4 // 3 + 1, len(f"{before}{VALUE}".encode()) * 4 // 3
    for spelled in (written, written.replace("+", "-").replace("/", "_"), quote(written, safe="")):
        masked = unquote(masker().text(f"https://x.example/?t={spelled}"))
        assert MASK in masked
        assert not any(written[at : at + 4] in masked for at in range(start, end - 3))
    assert masker("short").text(base64.b64encode(b"short").decode()) == "c2hvcnQ="


PRINTABLE = st.characters(exclude_categories=["Cs", "Cc"])


@given(value=st.text(PRINTABLE, min_size=8, max_size=40).filter(str.strip), around=st.text(PRINTABLE, max_size=20))
@example(value="aaaaaaaa", around="aaaa")
@example(value="\\\\\\\\\\\\\\\\", around="\\")
def test_no_value_is_left_in_any_of_the_common_spellings(value: str, around: str) -> None:
    masks = masker(value)
    for spell in (str, lambda text: quote(text, safe=""), quote_plus, html.escape, lambda text: json.dumps(text)[1:-1]):
        spelt = spell(value)
        assert spelt not in masks.text(f"{around} {spelt} {around}").replace(MASK, "\0")


@given(st.text(max_size=200))
def test_text_without_secrets_is_unchanged(text: str) -> None:
    assert masker("\U0001f512never in there\U0001f512").text(text) == text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        pytest.param("PIN 1234.", f"PIN {MASK}.", id="word"),
        pytest.param("?pin=1234&x", f"?pin={MASK}&x", id="query"),
        pytest.param("1234", MASK, id="alone"),
        pytest.param("e1234 12345 a1234b", "e1234 12345 a1234b", id="part-of-others"),
    ],
)
def test_short_values_are_masked_as_whole_words(text: str, masked: str) -> None:
    assert masker("1234").text(text) == masked


@pytest.mark.parametrize(
    "shown",
    [
        "DE89 3704 0044 0532 0130 00",
        "de89-3704-0044-0532-0130-00",
        "DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000",
        "DE89&nbsp;3704&#32;0044.0532.0130.00",
        "DE89+3704+0044+0532+0130+00",
        "DE89%203704%200044%200532%200130%2000",
        "DE89 (3704) 0044 - 0532 0130 00",
        "DE89 \u200b3704 \u200b0044 \u200b0532 \u200b0130 \u200b00",
        "DE89 3704 0044 0532…",
    ],
)
def test_letters_and_digits_are_masked_in_groups_too(shown: str) -> None:
    masks = masker("DE89370400440532013000")
    assert masks.text(f"IBAN: {shown}").rstrip("…") == f"IBAN: {MASK}"
    assert masks.text("DE89 3704 0044 0532 0130 01") == "DE89 3704 0044 0532 0130 01"


def test_words_alone_and_short_values_are_not_looked_for_in_groups() -> None:
    assert masker("basketball").text("basket ball") == "basket ball"
    assert masker("80461").text("80 461") == "80 461"


@pytest.mark.parametrize("end", ["", "…", "...", "'", '"'])
def test_what_was_cut_off_is_masked(end: str) -> None:
    value = "correct-horse-battery-staple"
    for length in range(14, len(value)):
        assert masker(value).text(f"typed {value[:length]}{end}") == f"typed {MASK}{end}"
    assert masker(value).text(f"typed {value[:13]}{end}") == f"typed {value[:13]}{end}"


def test_longest_secret_wins_and_each_has_its_name() -> None:
    masks = Masker([NamedSecret("inner", "swordfish"), NamedSecret("outer", "swordfish-two")])
    assert masks.text("swordfish-two, swordfish") == f"{mask_of('outer')}, {mask_of('inner')}"


def test_numbers_are_compared_as_numbers() -> None:
    masks = masker("0012345678")
    assert masks.number(12345678.0) == MASK
    assert masks.number(12345678.5) is None
    assert masks.number(float("nan")) is None
    assert masks.number(float("inf")) is None


def test_value_is_not_shown_by_its_holder() -> None:
    assert VALUE not in repr(NamedSecret("bank", VALUE))


@pytest.mark.parametrize("digits", ["1" * 5000, "0" * 5000 + "65", "0" * 5000, "\u0661" * 5000])
def test_numbers_that_no_character_has_are_text_like_any_other(digits: str) -> None:
    assert masker().text(f"&#{digits}; x") == f"&#{digits}; x"
    assert masker("ABCDEFGHI").text(f"&#{'0' * 5000}65;BCDEFGHI") == MASK


@pytest.mark.parametrize("run", ["\\", "%25", "&amp;", "&#0", "%", "&", " ", "\\u", "%5C"])
def test_long_runs_of_what_escapes_begin_with_take_no_longer_than_their_length(run: str) -> None:
    text = run * 100_000 + "%2525252525252541"  # so many layers that every spelling is looked for
    assert masker().text(text) == text  # by the square of the length it would take minutes

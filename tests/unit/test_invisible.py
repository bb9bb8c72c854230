"""Characters without ink are dropped, but for those that a script or an emoji needs where they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.extract.markdown import plain_text, to_markdown
from perception.geometry import Box
from perception.invisible import INVISIBLE, comparable, without_invisible
from perception.page_words import quoted_words
from perception.render.text import render_page
from perception.types import Element, TextStyle

SPELT = "".join(chr(0xE0000 + ord(char)) for char in "evil")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("Pay\u200bment \u00adin\u2060voice\ufeff", "Payment invoice", id="break-opportunities"),
        pytest.param("Save\u200e\u200f\u061c", "Save", id="direction-marks"),
        pytest.param(f"Save{SPELT}", "Save", id="tag-characters"),
        pytest.param("a\u200db\u200cc", "abc", id="joiners-in-latin"),
        pytest.param("a\ufe00\U000e0101", "a", id="variants-of-a-letter"),
        pytest.param("😀\ufe0f\ufe01\U000e0110\U000e0111", "😀\ufe0f", id="bytes-behind-an-emoji"),
        pytest.param("\u3164\u115f\u1160", "", id="fillers"),
        pytest.param("👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3", None, id="emoji"),
        pytest.param("\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in "gbeng") + "\U000e007f", None, id="flag"),
        pytest.param("\u0645\u06cc\u200c\u062e\u0648\u0645", None, id="persian"),
        pytest.param("क्\u200dष श्री\u200d", None, id="hindi"),
        pytest.param("葛\U000e0100", None, id="ideograph"),
        pytest.param("Grüße 日本語 שלום", None, id="plain"),
    ],
)
def test_what_stays_of_a_text(text: str, shown: str | None) -> None:
    kept = text if shown is None else shown
    assert without_invisible(text) == kept
    assert quoted_words(text) == f'\x02"{kept}"\x03'
    name = f"Go {text} on"
    for style, line in ((TextStyle.ROLE_REF, f'- button "Go {kept} on" [ref=e1]\n'), (TextStyle.COMPACT, None)):
        written = render_page([Element("button", name, Box(0, 0, 9, 9), ref="e1", interactive=True)], style=style).text
        assert written == (line or f"e1 button Go {kept} on\n")
    assert to_markdown(f"<p>{name}</p>").split() == f"Go {kept} on".split()


@given(st.text(st.one_of(st.characters(), st.sampled_from("\u200b\u200c\u200d\u00ad\ufe0f\U000e0061👩ب1a"))))
def test_nothing_visible_is_dropped_and_nothing_is_dropped_later(text: str) -> None:
    shown = without_invisible(text)
    assert INVISIBLE.sub("", shown) == INVISIBLE.sub("", text)
    assert without_invisible(shown) == shown


def test_plain_texts_follow_the_rule_and_cannot_be_reordered() -> None:
    assert plain_text("<pre>a\u200bb\u202ec\nd</pre>") == "ab\\u202ec\nd"


def test_a_text_of_nothing_visible_has_no_line() -> None:
    assert render_page([Element("text", "\u3164\u200b", Box(0, 0, 9, 9))]).text == ""


@pytest.mark.parametrize(
    ("given", "shown", "is_same"),
    [
        pytest.param("Passwort", "Pass\u00adwort", True, id="soft-hyphen"),
        pytest.param("sign in", "Sign\u00a0 In\u200b", True, id="space-and-case"),
        pytest.param("Gr\u00fc\u00dfe", "Gru\u0308\u00dfe", True, id="decomposed"),
        pytest.param("106", "10\u2076", False, id="raised-digit"),
        pytest.param("Save", "Save as", False, id="more-words"),
    ],
)
def test_what_looks_the_same_is_the_same(given: str, shown: str, *, is_same: bool) -> None:
    assert (comparable(given) == comparable(shown)) is is_same

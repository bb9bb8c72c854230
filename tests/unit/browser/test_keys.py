"""What clients call keys, and what Playwright calls them."""

from __future__ import annotations

import pytest

from perception.browser.input.keys import NAMED_KEYS, key_chord
from perception.errors import UnknownKeyError


@pytest.mark.parametrize(
    ("given", "chord"),
    [
        ("Ctrl+A", "Control+a"),
        ("ctrl + shift + k", "Control+Shift+K"),
        ("Ctrl-A", "Control+a"),
        ("Shift+Ctrl+k", "Shift+Control+K"),
        ("Cmd+c", "ControlOrMeta+c"),
        ("Cmd", "ControlOrMeta"),
        ("Option+Left", "Alt+ArrowLeft"),
        ("Esc", "Escape"),
        ("RETURN", "Enter"),
        ("Del", "Delete"),
        ("PgDn", "PageDown"),
        ("down arrow", "ArrowDown"),
        ("space", "Space"),
        (" ", " "),
        ("+", "+"),
        ("Control++", "Control++"),
        ("Ctrl--", "Control+-"),
        ("-", "-"),
        ("é", "é"),
        ("A", "A"),
    ],
)
def test_usual_names_are_taken_in_any_case(given: str, chord: str) -> None:
    assert key_chord(given) == chord


@pytest.mark.parametrize("name", NAMED_KEYS)
def test_a_key_keeps_its_own_name(name: str) -> None:
    assert key_chord(name) == key_chord(name.lower()) == name


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("Entr", r"near: Enter\)"),
        ("Page", "near: PageUp, PageDown"),
        ("Ctrl+Escpe", r"'Escpe' of 'Ctrl\+Escpe' is not a key \(near: Escape"),
        ("Frobnicate", "'Frobnicate' is not a key: use"),
        ("Control+", "is not a key"),
        ("Ctrl+é", "press it alone"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest(given: str, said: str) -> None:
    with pytest.raises(UnknownKeyError, match=said):
        key_chord(given)

"""Comparing text of OCR with text of the page."""

from __future__ import annotations

import pytest

from perception.fusion.text_match import fold, has_ideographic_words, has_script, is_icon_misread, is_part, is_same


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("", ""),
        ("Show  grid", "showgrid"),
        ("\uff26\uff35ll \uff11", "full1"),
        ("□ Café!", "café"),
        ("×", ""),
        ("日本 語", "日本語"),
    ],
)
def test_folding_keeps_letters_and_digits(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("", "", False),
        ("edit", "edit", True),
        ("persom", "person", True),
        ("open", "save", False),
        ("edit", "editrow", False),
    ],
)
def test_texts_are_the_same_despite_a_misread_letter(first: str, second: str, same: bool) -> None:
    assert is_same(first, second) is same


@pytest.mark.parametrize(
    ("part", "whole", "found"),
    [
        ("", "anything", False),
        ("andareperpersom", "allpricesincludetaxandareperperson", True),
        ("ok", "look", True),
        ("ax", "look", False),
        ("longerthanthis", "longer", False),
        ("total", "subtle changes elsewhere", False),
    ],
)
def test_a_line_is_found_in_its_paragraph(part: str, whole: str, found: bool) -> None:
    assert is_part(part, whole) is found


@pytest.mark.parametrize(
    ("text", "score", "misread"),
    [
        ("三", 0.99, True),
        ("王王", 0.99, True),
        ("V", 0.75, True),
        ("A", 1.0, False),
        ("1", 0.7, True),
        ("4", 0.95, False),
        ("+", 0.55, False),
        ("l↑", 0.6, True),
        ("OK", 0.99, False),
        ("Save", 0.6, False),
    ],
)
def test_icons_misread_as_letters_are_recognized(text: str, score: float, misread: bool) -> None:
    assert is_icon_misread(text, score, ideographic=False) is misread


def test_a_lone_ideograph_counts_where_others_are() -> None:
    assert has_ideographic_words(["Save", "文字"], [])
    assert has_ideographic_words([], [("文字", 0.95)])
    assert not has_ideographic_words(["三", "Save 三"], [("王王", 0.99), ("十亩", 0.6)])
    assert not is_icon_misread("三", 0.99, ideographic=True)


def test_letters_of_a_script_are_found_in_any_text() -> None:
    assert has_script("Hello, мир", "unread (Cyrillic)")
    assert not has_script("Hello", "unread (Cyrillic)")

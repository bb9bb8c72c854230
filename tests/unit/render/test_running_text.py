"""Running text is whole where there is room for it."""

from __future__ import annotations

from perception.geometry import Box
from perception.render.quoting import MAX_TEXT
from perception.render.text import PagedText
from perception.types import Element

BOX = Box(0, 0, 100, 20)
LONG = " ".join(f"word{number}" for number in range(300))


def text_of(name: str, role: str = "text", max_tokens: int = 0, value: str = "") -> str:
    element = Element(role, name, box=BOX, value=value, interactive=role == "textbox")
    return PagedText([element], max_tokens=max_tokens).page(0).text


def test_a_paragraph_is_whole_without_a_limit_and_within_one() -> None:
    assert LONG in text_of(LONG)
    assert LONG in text_of(LONG, max_tokens=4000)


def test_it_is_cut_where_there_is_no_room_for_all() -> None:
    text = text_of(LONG, max_tokens=400)
    assert "word0" in text
    assert "…" in text
    assert "word299" not in text


def test_what_an_editor_holds_is_whole() -> None:
    assert LONG in text_of("Notes", "textbox", value=LONG)


def test_names_of_containers_and_endless_texts_are_cut_in_any_case() -> None:
    assert "word299" not in text_of(LONG, "dialog")
    assert text_of("x" * 2 * MAX_TEXT).count("x") < MAX_TEXT + 10

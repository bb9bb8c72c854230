"""Main content."""

from __future__ import annotations

import pytest

from perception.extract import main_content, to_markdown

STORY = "".join(
    f"<p>This is sentence {i} of a story that has enough words in it to be running text.</p>" for i in range(8)
)
MENU = "<div class='menu'><ul>" + "".join(f"<li><a href='/{i}'>Section {i}</a></li>" for i in range(12)) + "</ul></div>"


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(f"<nav>{MENU}</nav><main><h1>Story</h1>{STORY}</main><footer>Imprint</footer>", id="main"),
        pytest.param(f"{MENU}<article><h1>Story</h1>{STORY}</article><aside>Aside</aside>", id="only-article"),
        pytest.param(
            f"{MENU}<div><div><h1>Story</h1>{STORY}</div><div class='sidebar'>Links</div></div>", id="densest-part"
        ),
        pytest.param(f"<div>{MENU}<h1>Story</h1>{STORY}</div>", id="menu-beside-text"),
    ],
)
def test_what_is_around_the_text_is_left_out(html: str) -> None:
    found = to_markdown(main_content(html))
    assert found.startswith("# Story\n\nThis is sentence 0")
    assert "sentence 7" in found
    assert not any(word in found for word in ("Section", "Imprint", "Aside", "Links"))


def test_a_main_landmark_with_little_of_the_text_is_not_the_content() -> None:
    found = main_content(f"<main><p>Loading…</p></main><div>{STORY}</div>")
    assert "sentence 3" in found


def test_of_several_articles_none_is_the_content() -> None:
    html = "".join(f"<article><h2>News {i}</h2>{STORY}</article>" for i in range(3))
    found = main_content(f"<div>{html}</div>")
    assert all(f"News {i}" in found for i in range(3))


def test_a_page_of_short_texts_is_kept_but_for_what_is_around() -> None:
    cards = "".join(f"<div><h3>Card {i}</h3><p>{i * 10} %</p></div>" for i in range(30))
    found = main_content(
        f"<nav>{MENU}</nav><div><p>One line that is long enough to be running text, but alone.</p></div>{cards}"
    )
    assert all(f"Card {i}" in found for i in range(30))
    assert "Section" not in found


def test_nothing_has_no_main_content() -> None:
    assert to_markdown(main_content("")) == ""

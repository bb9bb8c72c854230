"""Clean HTML as markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from perception.extract import plain_text, to_markdown
from perception.extract.tree import parse

GFM = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def read_back(markdown: str) -> str:
    """All text that a reader of the markdown sees."""
    return " ".join("".join(parse(GFM.render(markdown)).itertext()).split())


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("<h2>Title</h2><p>Text</p>", "## Title\n\nText", id="heading"),
        pytest.param("<p>a<br>b</p>", "a\\\nb", id="line-break"),
        pytest.param("<p><strong>b </strong>and <em>i</em></p>", "**b** and *i*", id="marks"),
        pytest.param("<p>x<sub>2</sub> <mark>m</mark></p>", "x_2 <mark>m</mark>", id="tags-that-stay"),
        pytest.param(
            "<p>x<sup>n<sup>2</sup></sup> y<sub>i + 1</sub></p>", "x^(n^2) y_(i + 1)", id="raised-and-lowered"
        ),
        pytest.param(
            "<p>5<sup>2</sup>5 <b>6<sup>2</sup></b>6 1<sup>st</sup></p>", "5^(2)5 **6^(2)**6 1^st", id="goes-on"
        ),
        pytest.param("<p>5<sup>1</sup>/<sub>2</sub> and <sup>$</sup>9</p>", "5 1/2 and $9", id="fraction-and-sign"),
        pytest.param("<p>_a_ b_c (x)<sub>i</sub></p>", "\\_a\\_ b_c (x)_i", id="lowered-is-no-emphasis"),
        pytest.param("<ol><li>a</li><li value=9>b</li><li>c</li></ol>", "1. a\n9. b\n10. c", id="numbers-that-jump"),
        pytest.param("<ol reversed start=3><li>a</li><li>b</li></ol>", "3. a\n2. b", id="numbers-that-go-down"),
        pytest.param("<ul><li>a<ol start=3><li>b</li></ol></li></ul>", "- a\n\n  3. b", id="nested-lists"),
        pytest.param('<pre><code class="language-py">a\n\n b</code></pre>', "```py\na\n\n b\n```", id="code"),
        pytest.param("<pre><code>a ``` b</code></pre>", "````\na ``` b\n````", id="longer-fence"),
        pytest.param("<blockquote><p>q</p></blockquote><hr><p>a</p>", "> q\n\n---\n\na", id="quote-and-rule"),
        pytest.param('<p>x <img alt="A *b*" src=""></p>', r"x A \*b\*", id="picture-without-address"),
        pytest.param('<p><a href="/a"><img alt="A" src=""></a></p>', "[A](/a)", id="link-of-a-picture-without-address"),
        pytest.param(
            '<p>a</p><div data-frame="&quot;F&quot;" data-origin="https://b.example"><p>b</p>'
            '<div data-frame=""><p>c</p></div></div>',
            "a\n\n[frame \"'F'\" from https://b.example]\n\nb\n\n[frame]\n\nc\n\n[end of frame]\n\n[end of frame]",
            id="frames",
        ),
        pytest.param(
            '<table><tr><td>a</td><td><div data-frame="F"><p>b</p></div></td></tr></table>',
            '| a | [frame "F"]<br>b<br>[end of frame] |\n| --- | --- |',
            id="frame-in-a-cell",
        ),
        pytest.param('<p><a href="/a?x=1#y">L</a></p>', "[L](/a?x=1#y)", id="link"),
        pytest.param(
            "<table><tr><td>a</td></tr><tr><td>1|2</td><td>b<br>c</td></tr></table>",
            "| a |  |\n| --- | --- |\n| 1\\|2 | b<br>c |",
            id="table-wider-than-its-first-row",
        ),
        pytest.param("<p>日本<strong>語</strong>です。</p>", "日本**語**です。", id="japanese"),
        pytest.param("<p>שלום <a href='/x'>עולם</a></p>", "שלום [עולם](/x)", id="hebrew"),
    ],
)
def test_html_becomes_markdown(html: str, markdown: str) -> None:
    assert to_markdown(html) == markdown


@pytest.mark.parametrize(
    "text",
    [
        "snake_case and some_other_name",
        "3 * 4 = 12",
        "Name *",
        "f(x)[0] and [1]",
        "a < b and c > d",
        "AT&T",
        "~5 minutes",
        "C:\\Windows",
    ],
)
def test_text_that_is_no_mark_gets_no_backslash(text: str) -> None:
    assert to_markdown(f"<p>{text.replace('&', '&amp;').replace('<', '&lt;')}</p>") == text


@pytest.mark.parametrize(
    "text",
    [
        "__init__ and *args, **kwargs",
        "2*3*4",
        "`quoted` 'x`y`'",
        "~~old~~",
        "<b>bold</b> &amp; List<int>",
        "[text](target) [name]: x",
        "# no heading",
        "- no item",
        "1. no item",
        "> no quote",
        "```",
        "---",
    ],
)
def test_text_that_looks_like_markdown_reads_as_it_was(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    assert read_back(to_markdown(f"<p>{escaped}</p>")) == text
    assert read_back(to_markdown(f"<ul><li>{escaped}</li></ul>")) == text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("2*3*4", r"2\*3\*4"),
        ("__init__", r"\_\_init\_\_"),
        ("~~old~~", r"\~\~old\~\~"),
        ("`a`", r"\`a\`"),
        ("*a", "*a"),
        ("a* b", "a* b"),
        ("[text](target)", r"[text]\(target\)"),
    ],
)
def test_both_ends_of_a_mark_are_escaped_or_none(text: str, escaped: str) -> None:
    assert to_markdown(f"<p>{text}</p>") == escaped


@pytest.mark.parametrize("line", ["[end of frame]", '[frame "Pay" from https://b.example]'])
def test_a_page_cannot_write_the_lines_that_mark_a_frame(line: str) -> None:
    assert to_markdown(f'<div data-frame=""><p>{line}</p></div>') == f"[frame]\n\n\\{line}\n\n[end of frame]"


@given(st.text(st.sampled_from("ab *_`~<>[]()#&;!.\\|-=+1"), max_size=30))
def test_no_text_is_lost_or_made_up(text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert read_back(to_markdown(f"<p>{escaped}</p>")) == " ".join(text.split())


def test_there_are_no_blanks_at_line_ends_and_no_empty_lines_in_a_row() -> None:
    markdown = to_markdown("<p>a <br> b </p><div></div><p> </p><ul><li>x</li></ul><p>c</p>")
    assert all(line == line.rstrip() for line in markdown.split("\n"))
    assert "\n\n\n" not in markdown


def test_deep_nesting_is_read_to_the_bottom() -> None:
    assert to_markdown("<div>" * 900 + "deep" + "</div>" * 900) == "deep"


def test_plain_text_stays_as_it_is() -> None:
    assert plain_text("<pre><code>* a\n\n  _b_ &lt;c&gt;\n</code></pre>") == "* a\n\n  _b_ <c>"


def test_marks_that_reorder_a_line_are_escaped() -> None:
    assert to_markdown("<p>a\u202eb</p>") == r"a\u202eb"

"""A report as Markdown, read by a CommonMark parser with GFM's tables and strikethrough; as JSON; cells as words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from perception.bench.report.formats import format_cell
from perception.bench.report.json_form import render_json
from perception.bench.report.markdown_form import MAX_TABLE_ROWS, render_markdown
from perception.bench.report.report_model import (
    BoxMark,
    Cell,
    Chart,
    ChartKind,
    Column,
    ColumnUnit,
    Estimate,
    Pane,
    Report,
    Series,
    ShownCase,
    Table,
    Tone,
)
from perception.geometry import Box

NAN, INF = float("nan"), float("inf")
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SYNTAX = st.text("\\`*_[]()<>!&#|~-+=:;.\"'1ax \n\t\u2028", max_size=12).filter(str.strip)


def report(text: str = "x", cells: tuple[Cell, ...] = (1,), tone: Tone = Tone.TRUE) -> Report:
    """One that has the text in each of its places."""
    column = Column(text, note=text)
    tables = (
        Table("t", text, (column, Column("n", ColumnUnit.NUMBER)), tuple((text, cell) for cell in cells)),
        Table("u", text, (column,), (), text),
    )
    values = tuple(None if isinstance(cell, str) else cell for cell in cells)
    chart = Chart("c", text, ChartKind.POINTS, text, text, (Series(text, values and (NAN,) * len(values), values),))
    image = ShownCase(text, text, b"", 9, 9, (Pane(text, (BoxMark(Box(0, 0, 1, 1), text, tone),), text),))
    return Report(text, (text,), {text: text}, tables, (chart,), (image,), (text,), text, text)


def blocks(markdown: str) -> list[str]:
    """What is read of each block, after its kind. Fails for what is more than text in it."""
    found, kinds = [], [""]
    for token in PARSER.parse(markdown):
        children = token.children or ()
        assert {child.type for child in children} <= {"text", "text_special"}, token.content
        if token.nesting == 1 and token.type != "paragraph_open":
            kinds.append(token.tag)
        elif token.nesting == -1 and token.type != "paragraph_close":
            kinds.pop()
        elif token.type in ("inline", "fence"):
            said = "".join(child.content for child in children) or token.content
            found.append(f"{token.info or kinds[-1]}: {said}")
        else:
            assert token.type.startswith("paragraph"), token
    return found


@given(SYNTAX)
@example("</script><img src=x onerror=hit()> [a](b) ![a](b) <http://a.b> | **a** ~~c~~ `d` __e__ _f_ &lt; &#60;")
@example("[a]: /b")
@example("[x] done")
@example("1. a ##")
@example("2) a")
@example("```\n</pre>")
def test_what_pages_say_makes_no_markup_and_is_read_as_it_is(text: str) -> None:
    said = " ".join(text.split())
    assert blocks(render_markdown(report(text))) == [
        *(f"h1: {said}", f": Made {said}.", f"li: {said}"),
        *(f"h2: {said}", f"th: {said}", "th: n", f"td: {said}", "td: 1", f": {said}: {said}"),
        *(f"h2: {said}", f"th: {said}", f": {said}", f": {said}: {said}"),
        *("h2: Worst cases", f"li: {said}: {said} (boxes: {said} 1)"),
        *("h2: Left out", f"li: {said}", "h2: Made with", f"li: {said}: {said}"),
        f"sh: {text}\n",
    ]


def test_what_shows_as_it_is_anyway_is_not_escaped() -> None:
    line = "snake_case, a & b, 1.5 > 1, [note], #3, C#, (x) - 10 %"
    assert f"\n- {line}\n" in render_markdown(report(line))


def test_a_long_table_is_cut_and_says_how_much_is_left_out() -> None:
    said = render_markdown(report(cells=tuple(range(MAX_TABLE_ROWS + 7))))
    assert f"| x | {MAX_TABLE_ROWS - 1} |\n\n7 more rows are in the HTML and the JSON.\n" in said
    assert f"| x | {MAX_TABLE_ROWS} |" not in said
    assert "more rows" not in render_markdown(report(cells=tuple(range(MAX_TABLE_ROWS))))


def test_a_report_of_nothing_is_its_title() -> None:
    assert render_markdown(Report("Nothing", (), {}, ())) == "# Nothing\n"


def read_json(report: Report) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not valid JSON")

    return json.loads(render_json(report), parse_constant=refuse)


def keys(value: Any) -> Any:
    """The shape of a document: its keys in their order, one for all elements of a list."""
    if isinstance(value, dict):
        return [(key, keys(each)) for key, each in value.items()]
    return [keys(each) for each in value[:1]] if isinstance(value, list) else None


def test_json_has_every_number_unrounded_and_null_for_others() -> None:
    found = read_json(report(cells=(NAN, INF, -INF, 0.1 + 0.2, 7, None, Estimate(0.5, NAN, INF, "better"))))
    estimate = {"value": 0.5, "low": None, "high": None, "verdict": "better"}
    expected = [None, None, None, 0.1 + 0.2, 7, None, estimate]
    assert [cell for _, cell in found["tables"][0]["rows"]] == expected
    assert found["charts"][0]["series"][0]["y"] == expected
    assert found["charts"][0]["series"][0]["x"] == [None] * 7


def test_keys_of_json_do_not_depend_on_what_was_found() -> None:
    one, other = read_json(report(tone=Tone.TRUE)), read_json(report(cells=(None, "?"), tone=Tone.WRONG))
    assert keys(one) == keys(other)
    assert list(one) == list(read_json(Report("", (), {}, ())))
    assert one["cases"][0]["panes"][0]["boxes_by_tone"] == dict.fromkeys(Tone, 0) | {"true": 1}


def test_json_has_names_as_they_are() -> None:
    evil = "</script>\u2028\"'\\é"
    found = read_json(report(evil))
    assert found["title"] == found["tables"][0]["rows"][0][0] == found["cases"][0]["panes"][0]["title"] == evil
    assert found["facts"] == {evil: evil}


@pytest.mark.parametrize(
    ("cell", "unit", "words"),
    [
        (None, ColumnUnit.COUNT, "–"),
        ("", ColumnUnit.TEXT, "–"),
        ("-", ColumnUnit.SHARE, "-"),
        (NAN, ColumnUnit.SHARE, "–"),
        (Estimate(NAN, 0.1, 0.2, "no difference shown"), ColumnUnit.SHARE, "– no difference shown"),
        (0.1234, ColumnUnit.SHARE, "12.3%"),
        (-0.0001, ColumnUnit.SHARE, "0.0%"),
        (Estimate(0.5, 0.4, 0.6, "better"), ColumnUnit.SHARE, "50.0% [40.0, 60.0] better"),
        (Estimate(0.5, 0.5, 0.5), ColumnUnit.SHARE, "50.0%"),
        (Estimate(0.5, NAN, NAN), ColumnUnit.SHARE, "50.0%"),
        (Estimate(0.05, -0.01, 0.1), ColumnUnit.DIFFERENCE, "+5.0 pp [-1.0, +10.0]"),
        (0.0, ColumnUnit.DIFFERENCE, "0.0 pp"),
        (-INF, ColumnUnit.DIFFERENCE, "-∞ pp"),
        (1.5, ColumnUnit.RATIO, "1.50×"),
        (12345, ColumnUnit.COUNT, "12,345"),
        (2.5, ColumnUnit.COUNT, "2.5"),
        (99.94, ColumnUnit.MILLISECONDS, "99.9 ms"),
        (1234.5, ColumnUnit.MEBIBYTES, "1,234 MiB"),
        (9_999.5, ColumnUnit.NUMBER, "10,000"),
        (0.000123, ColumnUnit.NUMBER, "0.000123"),
        (-0.0, ColumnUnit.NUMBER, "0"),
    ],
)
def test_a_cell_in_words(cell: Cell, unit: ColumnUnit, words: str) -> None:
    assert format_cell(cell, unit) == words

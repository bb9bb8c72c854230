"""Each value of a table stands under its column."""

from __future__ import annotations

import pytest

from perception.extract import to_markdown

HEAD = "<table><tr><th>A<th>B<th>C</tr>"


def grid_row(index: int, cells: dict[int, str]) -> str:
    return f"<tr aria-rowindex={index}>{''.join(f'<td aria-colindex={at}>{text}' for at, text in cells.items())}</tr>"


def rows_of(html: str) -> list[list[str]]:
    """The cells of a table's markdown, without the rule; short rows as they are."""
    lines = to_markdown(html).split("\n")
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in [lines[0], *lines[2:]]]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param(
            "<tr><td rowspan=2>x<td>1<td>2</tr><tr><td>3<td>4</tr>",
            [["x", "1", "2"], ["", "3", "4"]],
            id="first-column",
        ),
        pytest.param(
            "<tr><td>1<td rowspan=2>x<td>2</tr><tr><td>3<td>4</tr>",
            [["1", "x", "2"], ["3", "", "4"]],
            id="middle-column",
        ),
        pytest.param(
            "<tr><td rowspan=2 colspan=2>x<td>1</tr><tr><td>2</tr><tr><td>3<td>4<td>5</tr>",
            [["x", "", "1"], ["", "", "2"], ["3", "4", "5"]],
            id="both-spans",
        ),
        pytest.param(
            "<tr><td rowspan=3>x<td>1<td>2</tr><tr><td></td></tr><tr><td>3<td>4</tr><tr><td>y<td>5<td>6</tr>",
            [["x", "1", "2"], ["", "3", "4"], ["y", "5", "6"]],
            id="over-an-empty-row",
        ),
    ],
)
def test_a_cell_that_spans_rows_shifts_no_value(rows: str, expected: list[list[str]]) -> None:
    assert rows_of(f"{HEAD}{rows}</table>") == [["A", "B", "C"], *expected]


def test_headers_of_two_rows_stand_over_their_columns() -> None:
    head = "<tr><th rowspan=2>Region<th colspan=2>Sales</tr><tr><th>2023<th>2024</tr>"
    found = rows_of(f"<table>{head}<tr><td>North<td>1<td>2</tr></table>")
    assert found == [["Region", "Sales", ""], ["", "2023", "2024"], ["North", "1", "2"]]


def test_a_span_is_no_wider_than_the_table() -> None:
    wide = "<tr><td colspan=100>Total</tr>"
    markdown = to_markdown(f"<table><tr><th>A<th>B</tr>{wide}<tr><td>1<td>2</tr></table>")
    assert markdown == "| A | B |\n| --- | --- |\n| Total | |\n| 1 | 2 |"
    assert to_markdown("<table><tr><th>A</tr><tr><td colspan=3>Total</tr></table>") == "| A |\n| --- |\n| Total |"
    assert to_markdown(f"<table>{wide}<tr><td>1<td>2</tr></table>") == "| Total | |\n| --- | --- |\n| 1 | 2 |"


def test_parts_of_a_grid_row_are_one_row_in_the_order_of_the_grid() -> None:
    pinned = grid_row(1, {1: "Name"}) + grid_row(3, {1: "Bo"}) + grid_row(2, {1: "Al"})
    rest = grid_row(1, {2: "Age", 7: "City"}) + grid_row(2, {7: "Oslo", 2: "41"}) + grid_row(3, {7: "Rome"})
    expected = [["Name", "Age", "City"], ["Al", "41", "Oslo"], ["Bo", "", "Rome"]]
    assert rows_of(f"<table>{pinned}{rest}</table>") == expected
    assert rows_of(f"<div><table>{pinned}</table></div><table>{rest}</table>") == expected


def test_a_cell_that_is_painted_twice_is_written_once() -> None:
    rows = grid_row(1, {1: "Name", 2: ""}) + grid_row(1, {1: "Name", 2: "Age"})
    assert rows_of(f"<table>{rows}</table>") == [["Name", "Age"]]


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<table><tr aria-rowindex=1><td>a</tr><tr aria-rowindex=1><td>b</tr></table>", id="no-columns"),
        pytest.param(f"<table>{grid_row(1, {1: 'a'})}{grid_row(1, {1: 'b'})}</table>", id="another-value"),
    ],
)
def test_rows_that_contradict_each_other_stay_rows(html: str) -> None:
    assert rows_of(html) == [["a"], ["b"]]


@pytest.mark.parametrize(
    "between", [pytest.param("<p>Text</p>", id="text-between"), pytest.param('<img src="/a" alt="">', id="picture")]
)
def test_tables_with_something_between_stay_tables(between: str) -> None:
    markdown = to_markdown(f"<table>{grid_row(1, {1: 'a'})}</table>{between}<table>{grid_row(1, {2: 'b'})}</table>")
    assert markdown.count("| --- |") == 2


def test_tables_of_other_rows_stay_tables() -> None:
    markdown = to_markdown(f"<table>{grid_row(1, {1: 'a'})}</table><table>{grid_row(2, {2: 'b'})}</table>")
    assert markdown.count("| --- |") == 2

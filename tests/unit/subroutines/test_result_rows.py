"""The rows that a page shows, as JSON."""

from __future__ import annotations

import pytest

from perception.subroutines.result_rows import (
    NO_RESULTS,
    ResultPlace,
    find_rows,
    learn_place,
    place_of,
    rows_at,
    times_none,
)

MENU = "<ul><li><a href=/a>A</a></li></ul>"
TABLE = "<table><tr><th>Name</th><th>Price</th></tr><tr><td>Pear</td><td>2</td></tr></table>"
LIST = "<h2>Found</h2><ul><li><a href=/p>Pear</a> fresh</li><li>Plum</li></ul>"


def test_table_is_rows_by_its_columns() -> None:
    (found,) = find_rows(TABLE)
    assert (found.place, found.rows) == (ResultPlace("table", ("Name", "Price")), ({"Name": "Pear", "Price": "2"},))


def test_table_with_spans_keeps_its_columns() -> None:
    html = "<table><tr><th>A</th><th>B</th></tr><tr><td rowspan=2>1</td><td>2</td></tr><tr><td>3</td></tr></table>"
    assert find_rows(html)[0].rows == ({"A": "1", "B": "2"}, {"A": "", "B": "3"})


def test_table_without_a_header_is_lists_of_texts() -> None:
    assert find_rows("<table><tr><td>1</td><td>2</td></tr></table>")[0].rows == (["1", "2"],)


def test_list_is_its_items_with_their_addresses() -> None:
    assert find_rows(LIST)[0].rows == ({"text": "Pear fresh", "url": "/p"}, "Plum")


def test_page_without_tables_has_no_rows() -> None:
    assert find_rows("") == ()
    assert learn_place("", "<p>x</p>") == ResultPlace()


@pytest.mark.parametrize("shown", [TABLE, LIST])
def test_results_are_where_rows_came(shown: str) -> None:
    place = learn_place(MENU, MENU + shown)
    found = rows_at(MENU + shown, place)
    assert found is not None
    assert "Pear" in str(found.rows)
    assert rows_at(MENU, place) is None


def test_filtered_list_is_where_rows_went() -> None:
    fewer = LIST.replace("<li>Plum</li>", "")
    assert learn_place(MENU + LIST, MENU + fewer).heading == "Found"


def test_heading_may_name_what_was_searched_for() -> None:
    place = place_of({"kind": "list", "heading": "Results for pear"})
    found = rows_at("<h2>Results for plum</h2><ul><li>Plum</li></ul>", place)
    assert found is not None
    assert found.rows == ("Plum",)


@pytest.mark.parametrize("text", ["No results", "No matching records found", "0 items", "Nothing found"])
def test_page_says_that_there_is_nothing(text: str) -> None:
    assert NO_RESULTS.search(text)
    assert not NO_RESULTS.search("10 results")


@pytest.mark.parametrize(
    ("html", "times"),
    [
        pytest.param("<form>Search <button>Find</button></form><p>No results</p>", 1, id="after-other-words"),
        pytest.param("Sorry, <b>no</b> results.<p>0 items</p>", 2, id="over-an-element"),
        pytest.param("<table><tr><td>No<td>results</table><p>No</p><p>items</p>", 0, id="words-of-two-blocks"),
    ],
)
def test_words_of_one_block_say_that_there_is_nothing(html: str, times: int) -> None:
    assert times_none(html) == times


def test_a_menu_whose_counts_and_links_change_is_no_result() -> None:
    menu = "<ul><li>List (%d)</li><li><a href='/new?%s'>Create</a></li><li>Filter</li></ul>"
    row = "<tr><td>%s</td><td>x</td></tr>"
    table = "<table><tr><th>Title</th><th>Kind</th></tr>%s</table>"
    before = menu % (3, "") + table % "".join(row % each for each in ("Ada", "Bob", "Eve"))
    after = menu % (1, "search=Bob") + table % (row % "Bob")
    assert learn_place(before, after).kind == "table"

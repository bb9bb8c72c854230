"""What the suite `hidden` counts: tricks caught, honest pages told, visible lines taken for hidden."""

from __future__ import annotations

import pytest

from perception.bench.suites.hidden.false_alarms import FalseAlarms, find_alarms
from perception.bench.suites.hidden.report import hidden_report
from perception.bench.suites.hidden.run import FUSED, PLAYWRIGHT, TEXT, TrickAnswer, says
from perception.bench.suites.hidden.tricks import HIDDEN_SENTENCE, VISIBLE_HEADING, TrickPage, trick_pages
from perception.datasets.sample import TextLine
from perception.geometry import Box
from perception.types import Element

LINE = TextLine("Opening hours", Box(10, 10, 110, 30))


@pytest.mark.parametrize(
    ("elements", "alarms"),
    [
        pytest.param([Element("text", "Opening hours", LINE.box)], (), id="listed"),
        pytest.param([Element("text", "Opening hours", LINE.box, visible=False)], ("Opening hours",), id="unseen"),
        pytest.param(
            [Element("text", "Opening hours: 9 to 5", Box(0, 0, 300, 60), visible=False)],
            ("Opening hours",),
            id="in-a-longer-one",
        ),
        pytest.param(
            [Element("text", "Opening hours", LINE.box, visible=False), Element("link", "Opening  hours", LINE.box)],
            (),
            id="listed-twice",
        ),
        pytest.param([Element("text", "Opening hours", Box(10, 300, 110, 330), visible=False)], (), id="elsewhere"),
        pytest.param([], (), id="not-listed-at-all"),
    ],
)
def test_a_visible_line_that_only_unseen_elements_say_is_a_false_alarm(
    elements: list[Element], alarms: tuple[str, ...]
) -> None:
    assert find_alarms([LINE], elements) == alarms


def test_an_empty_list_is_right_about_no_page() -> None:
    hides, honest = TrickPage("a", "", True), TrickPage("a", "", False)
    assert [TrickAnswer(each, TEXT, says(""), "").is_right for each in (hides, honest)] == [False, False]
    assert TrickAnswer(hides, TEXT, says(VISIBLE_HEADING), VISIBLE_HEADING).is_right
    told = f"{VISIBLE_HEADING}\n{HIDDEN_SENTENCE}"
    assert TrickAnswer(honest, TEXT, says(told), told).is_right


def test_every_trick_has_an_honest_twin_that_differs_from_it() -> None:
    table = trick_pages()
    tricks, twins = [each for each in table if each.hides], [each for each in table if each.twin]
    assert [each.id for each in tricks] == [each.id for each in twins]
    assert all(trick.html != twin.html for trick, twin in zip(tricks, twins, strict=True))
    assert len(tricks) >= 25


def test_the_report_counts_by_who_looks_and_names_the_worst_pages() -> None:
    hides, honest = TrickPage("white", "", True), TrickPage("white", "", False, twin=True)
    verdicts = [
        TrickAnswer(case, who, says, VISIBLE_HEADING)
        for who in (TEXT, FUSED, PLAYWRIGHT)
        for case, says in ((hides, who == PLAYWRIGHT), (honest, True))
    ]
    alarms = [
        FalseAlarms("a@x", "text", 100, ("One",)),
        FalseAlarms("b@x", "text", 100, ()),
        FalseAlarms("a@x", "fused", 50, ()),
    ]
    found = hidden_report(verdicts, alarms, {"c": "gone"})
    assert found.summary[0] == "text: 1 of 1 tricks caught, 1 of 1 honest pages listed in full."
    assert found.summary[2] == "Playwright: 0 of 1 tricks caught, 1 of 1 honest pages listed in full."
    tables = {table.id: table.rows for table in found.tables}
    assert tables["alarms"][0][1:] == (2, 200, 1, 0.005)
    assert [row[0] for row in tables["worst"]] == ["a@x"]
    assert found.skipped == ("c: gone",)

"""How reading of content is scored, worked out by hand; and one small page read by all."""

from __future__ import annotations

import pytest

from perception.bench.report.report_model import Table
from perception.bench.suites.content.report import content_report
from perception.bench.suites.content.run import (
    ContentReader,
    ContentRun,
    count_words,
    f1_of,
    judge_reading,
    run_content,
    without_targets,
)
from perception.bench.suites.content.visible_text import PageText


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("Two words, two WORDS", {"two": 2, "words": 2}, id="case"),
        pytest.param("**bo**ld `co`de x<sub>2</sub> a\\_b", {"bold": 1, "code": 1, "x2": 1, "ab": 1}, id="signs"),
        pytest.param("a<br>b", {"a": 1, "b": 1}, id="line-end-in-a-cell"),
        pytest.param("日本 ok", {"日": 1, "本": 1, "ok": 1}, id="letters-that-are-words"),
        pytest.param("", {}, id="nothing"),
    ],
)
def test_words_are_counted_without_markdown_signs(text: str, words: dict[str, int]) -> None:
    assert dict(count_words(text)) == words


def test_targets_of_links_are_no_words() -> None:
    assert without_targets("[a](/b_(c)) ![d](<e f>) (g)") == "[a] ![d] (g)"


def test_a_reading_is_judged_by_what_is_seen_and_what_is_not() -> None:
    truth = PageText(seen="one two two three", hidden="secret one logo", named="Logo", main="")
    read = judge_reading("page", ContentReader.WHOLE, "one two secret secret Logo", 5.0, truth)
    assert read.recall == 0.5
    assert read.missed == (("two", 1), ("three", 1))
    assert read.leaked == (("secret", 2),)


def test_f1_is_of_words_shared() -> None:
    assert f1_of("a b c", "a b") == pytest.approx(0.8)
    assert f1_of("x", "a") == 0


def tables(pages: list[tuple[str, str]]) -> tuple[tuple[str, ...], dict[str, Table]]:
    truth = PageText(seen="one two three four", hidden="secret", named="", main="")
    reads = tuple(
        judge_reading(page, reader, text if reader is ContentReader.WHOLE else "one", 1.0, truth)
        for page, text in pages
        for reader in ContentReader
    )
    found = content_report(ContentRun(reads, {"gone": "no answer"}, "156"))
    assert found.skipped == ("gone: no answer",)
    return found.summary, {table.id: table for table in found.tables if table.rows}


def test_the_report_says_whether_the_goals_are_met() -> None:
    summary, found = tables([("a", "one two three four"), ("b", "one two three secret")])
    assert (
        summary[0] == "Ours finds 87.50% of the words that 2 pages show (goal 98%: missed); 1 pages are below the goal."
    )
    assert summary[1] == "1 words that nobody sees are in it (goal none: missed)."
    assert found["faults"].rows == (("b", 1, "four", 1, "secret"),)
    assert "main" not in found
    summary, _ = tables([("a", "one two three four")])
    assert "met)" in summary[0]
    assert "met)" in summary[1]


async def test_a_page_is_read_by_all_and_held_against_what_it_shows(site: str) -> None:
    main = " ".join(f"word{i}" for i in range(60))
    body = (
        f"<nav>Menu</nav><main><h1>Title</h1><p>{main}</p><p hidden>Secret</p></main><iframe srcdoc='Framed'></iframe>"
    )
    run = await run_content({"own": f"{site}/html?body={body}"}, {}, lambda _, __: None)
    assert run.failed == {}
    reads = {read.reader: read for read in run.reads}
    assert reads[ContentReader.WHOLE].words == 63
    assert (reads[ContentReader.WHOLE].recall, reads[ContentReader.WHOLE].leaked) == (1.0, ())
    assert reads[ContentReader.PLAIN].recall < 1
    assert reads[ContentReader.MAIN].f1 is not None
    assert reads[ContentReader.MAIN].f1 > 0.9

"""A look that keeps what the last one made says what a look says that makes everything."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from perception.browser.capture.frame_facts import WalkReply
from perception.browser.capture.known_rows import KnownRows
from perception.render.tokens import count_tokens
from perception.render.written_text import WrittenText


def test_rows_are_completed_by_their_runs() -> None:
    rows: list[Any] = [f"row {n}" for n in range(6)]
    known = KnownRows()
    known.complete(WalkReply(rows=rows, frames=[], walk=7))
    reply = WalkReply(rows=["new", "last"], frames=[], walk=8, same=[0, 1, 2, 3, 4, 1])  # type: ignore[list-item]
    known.complete(reply)
    assert reply.rows == ["row 1", "row 2", "new", "row 4", "last"]
    assert known.walk == 8


@example([["\n"], ["\n", " \n"]])
@given(
    st.lists(
        st.lists(st.text(alphabet='ab-/ \r"]…', max_size=6).map(lambda words: f"{words}\n"), max_size=8), min_size=2
    )
)
def test_tokens_of_changed_lines_add_up(texts: list[list[str]]) -> None:
    written = WrittenText()
    for lines in texts:
        assert written.count(lines) == count_tokens("".join(lines))

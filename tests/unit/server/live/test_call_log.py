"""The log of a session's calls."""

from __future__ import annotations

from perception.server.live.call_log import CallLog, LoggedCall


def logged(log: CallLog) -> LoggedCall:
    call = LoggedCall(log.next_number(), "Click", "click [e1]", 0.0, "t1", "")
    log.add(call)
    return call


def test_what_changes_while_a_watcher_reads_is_news_to_it() -> None:
    log = CallLog()
    call = logged(log)
    news = log.news
    [seen] = log.since(0)
    assert seen is call
    log.note_change(call)  # while the watcher's client takes what was seen
    assert news.is_set()
    assert not log.news.is_set()

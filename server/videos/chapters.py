"""The calls of a session as chapters of a video."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perception.page_words import UNSAFE, plain_words
from perception.secrets import Masker
from perception.video import Chapter

if TYPE_CHECKING:
    from perception.server.live.call_log import CallLog


def chapters_of(calls: CallLog, since_s: float, masker: Masker | None = None) -> Sequence[Chapter]:
    """The calls that were under way at a time or later.

    Args:
        since_s: when the video began, seconds since 1970; a call that began before is at its beginning.
        masker: masks what was typed into sensitive fields; None for nothing.
    """
    found = []
    for call in calls.since(0):
        if call.duration_s is not None and call.start_s + call.duration_s < since_s:
            continue
        failure = f" ({call.reason or call.code})" if call.code not in ("", "OK") else ""
        what = plain_words(call.what or call.rpc)
        title = UNSAFE.sub(" ", what if masker is None else masker.text(what)).replace("\n", " ")
        found.append(Chapter(max(0.0, call.start_s - since_s), f"{title}{failure}"))
    return found

"""Looks at the page of a session, with the defaults of a reader who pays for tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from perception.interaction.answers import lines
from perception.interaction.session_state import SessionState
from perception.page_words import quote
from perception.v1 import extraction_service_pb2 as extraction_pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import types_pb2 as pb

MAX_TOKENS = 2000
"""Default limit of a look, o200k tokens: three average screens."""

READ_TOKENS = 4000
"""Default limit of a page's content."""

SETTLE_SECONDS = 2.0
"""Longest wait for a page to come to rest before a look; one at rest is looked at in some 50 ms more."""


async def look_at(state: SessionState, options: Mapping[str, Any], timeout_s: float, since: str = "") -> pb.Snapshot:
    """A look with the defaults. Remembers what later calls refer to."""
    defaults = {"style": "compact", "max_tokens": MAX_TOKENS, "settle_timeout": SETTLE_SECONDS}
    snapshot = await state.page.snapshot(since=since, timeout_s=timeout_s, **{**defaults, **options})
    state.snapshot_id, state.look = snapshot.snapshot_id, options
    if "root" not in options:
        state.whole_look = options
    return snapshot


async def next_part(state: SessionState, cursor: str, timeout_s: float) -> pb.Snapshot:
    """What did not fit into an earlier snapshot, by its cursor."""
    return await state.page.next_page(pb.Snapshot(next_cursor=cursor), timeout_s=timeout_s)


def changes_report(snapshot: pb.Snapshot, since: str) -> str:
    """What changed since an earlier snapshot."""
    changes = snapshot.diff.text or f"nothing changed since {since}"
    return lines(changes, f"{snapshot.snapshot_id}, compared with {since}")


NOTHING_FITS = (
    "nothing on the page fits: look, or describe it in other words; a list that loads its rows as it scrolls has those "
    "alone that were scrolled to"
)


def match_line(match: perception_pb.ElementMatch) -> str:
    """`e5 button "Save" (disabled): name 'Save' exact`."""
    element = match.element
    states = [*element.states, f"covered by {element.covered_by}" if element.covered_by else ""]
    states.append("scroll to it" if element.reach == pb.REACH_SCROLL else "")
    told = ", ".join(filter(None, states))
    name = quote(element.name or element.text, 120)
    value = f": {quote(element.value, 80)}" if element.value else ""
    return f"{element.ref or '-'} {element.role} {name}{value}{f' ({told})' if told else ''} — {match.reason}"


def content_report(content: extraction_pb.ExtractContentResponse, cursor_call: str) -> str:
    """A page's content, and how to get the rest.

    Args:
        content: as of the service.
        cursor_call: how the rest is asked for, with `{cursor}` in it.
    """
    left = (
        f"{content.total_token_count} tokens in all; for the next part {cursor_call.format(cursor=content.next_cursor)}"
    )
    return lines(
        content.markdown or "there is nothing to read",
        left if content.next_cursor else "",
        *(f"left out: {each.name}: {each.reason}" for each in content.skipped),
    )

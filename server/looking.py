"""Looking at a session's tab: a snapshot as it is asked for, kept where somebody may come back to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from perception.browser.selecting import make_selectors
from perception.browser.session import Tab
from perception.budget import Budget
from perception.detectors.pool import DetectorPool
from perception.diff import Diff
from perception.pipeline import Wish
from perception.render.changes import ChangeText, render_changes
from perception.render.present import present
from perception.render.text import render_page
from perception.server.convert import diff_message
from perception.server.perceive import look
from perception.server.sessions import KeptSnapshot, Known, Session
from perception.server.targeting import find_root
from perception.types import Element, altered
from perception.v1 import types_pb2


async def take_kept(
    pool: DetectorPool,
    session: Session,
    tab: Tab,
    wish: Wish,
    root: types_pb2.Target | None,
    budget: Budget,
    *,
    by_action: bool = False,
) -> KeptSnapshot:
    """A snapshot that the session keeps."""
    kept = await take(pool, session, tab, wish, root, budget, snapshot_id=session.next_snapshot_id())
    kept.by_action = by_action
    session.keep(kept)
    return kept


async def take(
    pool: DetectorPool,
    session: Session,
    tab: Tab,
    wish: Wish,
    root: types_pb2.Target | None,
    budget: Budget,
    *,
    snapshot_id: str,
) -> KeptSnapshot:
    """A snapshot, limited to a root if there is one."""
    finding = partial(find_root, session, tab, root, wish.mode, budget) if root is not None else None
    known = session.known.get(tab.tab_id)
    snapshot, capture = await look(tab, session.refs, wish, pool, session.memory, snapshot_id, budget, finding, known)
    if known is not None and known.holds(wish, capture, session.refs):
        return replace(known.kept, snapshot=snapshot)
    presented = present(
        snapshot.elements,
        view=wish.view,
        style=wish.style,
        max_tokens=wish.max_tokens,
        unfolded=bool(wish.root),
        name_regions=partial(session.refs.assign_regions, tab.tab_id),
    )
    listed = await _with_selectors(tab, presented.listed, budget) if wish.selectors else presented.listed
    kept = KeptSnapshot(snapshot, tab.tab_id, listed, presented.text, wish, root)
    if not wish.root and not snapshot.skipped:
        there = {each.tab_id for each in session.browser.tabs}
        session.known = {tab_id: each for tab_id, each in session.known.items() if tab_id in there}
        session.known[tab.tab_id] = Known(wish, capture, session.refs.version, kept)
    return kept


async def _with_selectors(tab: Tab, elements: tuple[Element, ...], budget: Budget) -> tuple[Element, ...]:
    """Those that can be acted on, with their selectors; what only vision sees has none."""
    targets = {each.node for each in elements if each.node is not None and each.ref.startswith("e")}
    made = await make_selectors(tab.link, targets, budget)
    return tuple(
        altered(each, selector=made[each.node].selector) if each.node in targets and each.node in made else each
        for each in elements
    )


def serve_diff(session: Session, before: KeptSnapshot, kept: KeptSnapshot, diff: Diff) -> types_pb2.SnapshotDiff:
    """What leads from one snapshot to the other: all of it as values, as text what fits the budget,
    marked as the page's."""

    def write(elements: Sequence[Element]) -> str:
        return render_page(elements, style=kept.wish.style, view=kept.wish.view).text

    text = render_changes(before.listed, kept.listed, diff, write, kept.wish.max_tokens)
    marked = ChangeText(*session.fence.around_counted(text.text, text.token_count))
    return diff_message(before.snapshot.snapshot_id, kept.listed, diff, marked)

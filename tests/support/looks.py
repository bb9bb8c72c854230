"""Looks at one tab by the engine, and what differs between two of them."""

from __future__ import annotations

from dataclasses import astuple, fields, replace

from perception.browser.capture.capturer import PageCapturer
from perception.deadline import Deadline
from perception.detectors.frame_cache import DetectionCache
from perception.engine.cache import SnapshotCache
from perception.engine.presented import PresentedSnapshot
from perception.engine.request import SnapshotOptions, SnapshotRequest
from perception.engine.snapshot import EngineContext, take_snapshot
from perception.geometry import Box
from perception.types import Mode, Scope

TEXT = SnapshotOptions(mode=Mode.TEXT)
WIDE = replace(TEXT, scope=Scope.PAGE)


async def look(context: EngineContext, options: SnapshotOptions = TEXT) -> PresentedSnapshot:
    return await take_snapshot(context, SnapshotRequest(options, "s"), Deadline.of(60))


async def look_anew(context: EngineContext, options: SnapshotOptions) -> PresentedSnapshot:
    """What a look shows that knows nothing of earlier ones but their refs."""
    events = context.tab.link.events
    own = events._load_listener
    tab = replace(context.tab, capturer=PageCapturer(context.tab.link))
    events._load_listener = own  # the tab's own capturer is the one that prepares
    cache, refs = SnapshotCache(), context.refs.fork(context.tab.tab_id)
    return await look(EngineContext(tab, refs, DetectionCache(), cache, context.pool), options)


def shown(seen: PresentedSnapshot) -> tuple[object, ...]:
    one = seen.snapshot
    return seen.text.page(0).text, one.url, one.title, one.scroll, one.viewport


LAYOUT_UNIT = 1 / 64
"""CSS px: Chromium places in steps of it, and what moved with its surroundings may be one step off."""


def is_same(one: object, other: object) -> bool:
    if isinstance(one, Box) and isinstance(other, Box):
        return all(abs(a - b) <= 2 * LAYOUT_UNIT for a, b in zip(astuple(one), astuple(other), strict=True))
    return one == other


def differences(one: PresentedSnapshot, other: PresentedSnapshot) -> list[str]:
    """What differs between two lists, by element and field."""
    return [
        f"{index} {each.role} {each.name!r}: {field.name} {getattr(each, field.name)} / {getattr(with_it, field.name)}"
        for index, (each, with_it) in enumerate(zip(one.listed, other.listed, strict=True))
        for field in fields(each)
        if not is_same(getattr(each, field.name), getattr(with_it, field.name))
    ]

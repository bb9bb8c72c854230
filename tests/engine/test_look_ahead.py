"""A look that is taken ahead says what a look at the time of asking says, or is not served."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import astuple, fields, replace

import pytest

from perception.browser.browser_session import BrowserSession, Tab
from perception.browser.capture.capturer import PageCapturer
from perception.deadline import Deadline
from perception.detectors.frame_cache import DetectionCache
from perception.detectors.pool import DetectorPool
from perception.detectors.registry import Registry
from perception.engine.cache import SnapshotCache
from perception.engine.look_ahead import LookAhead
from perception.engine.presented import PresentedSnapshot
from perception.engine.request import SnapshotOptions, SnapshotRequest
from perception.engine.snapshot import EngineContext, take_snapshot
from perception.geometry import Box
from perception.refs import RefTable
from perception.types import Mode, Scope
from tests.browser.test_update import CHANGES, PAGE, SCRIPT

TEXT = SnapshotOptions(mode=Mode.TEXT)
WIDE = replace(TEXT, scope=Scope.PAGE)

WITHOUT_THE_PAGE_KNOWING = [
    "document.title = 'Title ' + n",
    "history.pushState(null, '', '#' + n)",
    "document.querySelector('details').open = n % 2",
]


@pytest.fixture
def browser(shared_browser: BrowserSession) -> BrowserSession:
    return shared_browser


@pytest.fixture
def context(browser: BrowserSession) -> EngineContext:
    pool = DetectorPool(Registry.load())
    return EngineContext(browser.tab(), RefTable(), DetectionCache(), SnapshotCache(), pool)


async def look(context: EngineContext, options: SnapshotOptions = TEXT) -> PresentedSnapshot:
    return await take_snapshot(context, SnapshotRequest(options, "s"), Deadline.of(20))


async def look_anew(context: EngineContext, options: SnapshotOptions) -> PresentedSnapshot:
    """What a look shows that knows nothing of earlier ones but their refs."""
    tab = replace(context.tab, capturer=PageCapturer(context.tab.link))
    cache, refs = SnapshotCache(), context.refs.fork(context.tab.tab_id)
    return await look(EngineContext(tab, refs, DetectionCache(), cache, context.pool), options)


def ahead_of(context: EngineContext, options: SnapshotOptions = TEXT) -> EngineContext:
    return replace(context, ahead=LookAhead(context, options, Deadline.of(20)))


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


async def change(tab: Tab, source: random.Random, number: int, changes: Sequence[str] = CHANGES) -> str:
    changed = source.choice([*changes, *WITHOUT_THE_PAGE_KNOWING])
    await tab.page.evaluate(SCRIPT, [changed, source.randrange(2**31), number])
    return changed


async def test_whatever_changes_meanwhile_the_answer_is_true(
    context: EngineContext, request: pytest.FixtureRequest
) -> None:
    """Some looks ahead are done when the page changes, some are under way, and some pages do not change."""
    tab, source = context.tab, random.Random(7)
    claimed = 0
    steps = int(request.config.getoption("--changes"))
    for step in range(steps):
        if step % 40 == 0:
            await tab.page.set_content(PAGE)
        options = source.choice((TEXT, WIDE))
        under_way = ahead_of(context, options)
        assert under_way.ahead is not None
        if step % 2:
            await under_way.ahead.wait()
        else:
            await asyncio.sleep(source.random() * 0.02)
        made = [await change(tab, source, step) for _ in range(source.choice((0, 1, 1)))]
        seen = await look(under_way, source.choice((options, options, TEXT)))
        claimed += under_way.ahead.was_claimed
        assert under_way.ahead.is_done
        how = f"step {step}: {made}, claimed: {under_way.ahead.was_claimed}"
        anew = await look_anew(context, seen.options)
        assert seen.text.page(0).text.splitlines() == anew.text.page(0).text.splitlines(), how
        assert differences(seen, anew) == [], how
        assert shown(seen) == shown(anew), how
    assert claimed > steps / 10


async def test_it_is_served_with_the_refs_that_it_assigned(context: EngineContext) -> None:
    await context.tab.page.set_content("<button>One</button><button>Two</button>")
    ahead = ahead_of(context)
    assert ahead.ahead is not None
    await ahead.ahead.wait()
    seen = await look(ahead)
    assert "look_ahead" in seen.snapshot.timings_ms
    assert [context.refs.resolve(each.ref).name for each in seen.listed] == ["One", "Two"]
    assert (await look(context)).listed is seen.listed


async def test_one_that_is_not_served_leaves_no_refs(context: EngineContext) -> None:
    tab = context.tab
    await tab.page.set_content("<button>One</button>")
    ahead = ahead_of(context)
    assert ahead.ahead is not None
    await ahead.ahead.wait()
    await tab.page.evaluate("document.body.innerHTML = '<button>Two</button>'")
    assert [(each.ref, each.name) for each in (await look(ahead)).listed] == [("e1", "Two")]
    assert not ahead.ahead.was_claimed


async def test_refs_of_another_tab_are_not_given_twice(context: EngineContext) -> None:
    await context.tab.page.set_content("<button>One</button>")
    ahead = ahead_of(context)
    assert ahead.ahead is not None
    await ahead.ahead.wait()
    node = (await look_anew(context, TEXT)).listed[0]
    (other,) = context.refs.assign("another", [replace(node, node=replace(node.node, loader="other"))])  # type: ignore[type-var]
    (mine,) = (await look(ahead)).listed
    assert (other.ref, mine.ref, ahead.ahead.was_claimed) == ("e1", "e2", False)


async def test_one_under_way_is_taken_over(context: EngineContext) -> None:
    await context.tab.page.set_content("<button>One</button>" * 300)
    ahead = ahead_of(context)
    assert ahead.ahead is not None
    assert len((await look(ahead)).listed) == 300
    assert ahead.ahead.was_claimed


async def test_one_that_shows_something_else_is_cancelled(context: EngineContext) -> None:
    await context.tab.page.set_content("<button>One</button>" * 300)
    ahead = ahead_of(context, WIDE)
    assert ahead.ahead is not None
    await look(ahead)
    assert ahead.ahead.is_done
    assert not ahead.ahead.was_claimed


async def test_a_caller_with_little_time_does_not_wait_for_it(context: EngineContext) -> None:
    """The page hangs as it is looked at: the call has half of its time for a look of its own, and ends in time."""
    await context.tab.page.set_content("<button>One</button>")
    await look(context)
    busy = "() => { const end = Date.now() + 1500; while (Date.now() < end); }"
    hanging = asyncio.create_task(context.tab.page.evaluate(busy))
    await asyncio.sleep(0.1)
    ahead = ahead_of(context)
    started = asyncio.get_running_loop().time()
    with pytest.raises(Exception, match="deadline"):
        await take_snapshot(ahead, SnapshotRequest(TEXT), Deadline.of(0.4))
    assert asyncio.get_running_loop().time() - started < 1
    await hanging
    assert (await look(context)).listed[0].name == "One"

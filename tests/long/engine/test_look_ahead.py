"""A look that is taken ahead says what a look at the time of asking says, or is not served."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

import pytest

from perception.deadline import Deadline
from perception.engine.look_ahead import LookAhead
from perception.engine.request import SnapshotOptions, SnapshotRequest
from perception.engine.snapshot import EngineContext, take_snapshot
from perception.errors import DeadlineError
from tests.support.looks import TEXT, WIDE, differences, look, look_anew, shown
from tests.support.page_changes import CHANGES, CHANGES_OF_A_PAGE, PAGE, drawn, make_change
from tests.support.sheet import Sheet
from tests.support.silent_site import silent_site

WITHOUT_THE_PAGE_KNOWING = [
    "document.title = 'Title ' + n",
    "history.pushState(null, '', '#' + n)",
    "document.querySelector('details').open = n % 2",
]


def ahead_of(context: EngineContext, options: SnapshotOptions = TEXT) -> EngineContext:
    return replace(context, ahead=LookAhead(context, options, Deadline.of(60)))


async def test_whatever_changes_meanwhile_the_answer_is_true(
    context: EngineContext, sheet: Sheet, request: pytest.FixtureRequest
) -> None:
    """Some looks ahead are done when the page changes, some are under way, and some pages do not change."""
    tab, source = context.tab, random.Random(7)
    changes = drawn(source, [*CHANGES, *WITHOUT_THE_PAGE_KNOWING])
    step = claimed = made = 0
    while made < request.config.getoption("--changes"):
        if step % CHANGES_OF_A_PAGE == 0:
            await sheet.write(PAGE)
        options = source.choice((TEXT, WIDE))
        under_way = ahead_of(context, options)
        assert under_way.ahead is not None
        if step % 2:
            await under_way.ahead.wait()
        else:
            await asyncio.sleep(source.random() * 0.02)
        how = f"step {step}"
        if source.random() < 2 / 3:
            how += f": {await make_change(tab, next(changes), source, step)}"
            made += 1
        seen = await look(under_way, source.choice((options, options, TEXT)))
        claimed += under_way.ahead.was_claimed
        assert under_way.ahead.is_done
        how += f", claimed: {under_way.ahead.was_claimed}"
        anew = await look_anew(context, seen.options)
        assert seen.text.page(0).text.splitlines() == anew.text.page(0).text.splitlines(), how
        assert differences(seen, anew) == [], how
        assert shown(seen) == shown(anew), how
        step += 1
    assert claimed > step / 10


async def test_it_is_served_with_the_refs_that_it_assigned(context: EngineContext, sheet: Sheet) -> None:
    await sheet.write("<button>One</button><button>Two</button>")
    await sheet.collect_garbage()
    ahead = ahead_of(context)
    assert ahead.ahead is not None
    await ahead.ahead.wait()
    seen = await look(ahead)
    assert "look_ahead" in seen.snapshot.timings_ms
    assert [context.refs.resolve(each.ref).name for each in seen.listed] == ["One", "Two"]
    assert (await look(context)).listed is seen.listed


async def test_one_that_is_not_served_leaves_no_refs(context: EngineContext, sheet: Sheet) -> None:
    tab = context.tab
    await sheet.write("<button>One</button>")
    ahead = ahead_of(context)
    assert ahead.ahead is not None
    await ahead.ahead.wait()
    await tab.page.evaluate("document.body.innerHTML = '<button>Two</button>'")
    assert [(each.ref, each.name) for each in (await look(ahead)).listed] == [("e1", "Two")]
    assert not ahead.ahead.was_claimed


async def test_refs_of_another_tab_are_not_given_twice(context: EngineContext, sheet: Sheet) -> None:
    await sheet.write("<button>One</button>")
    ahead = ahead_of(context)
    assert ahead.ahead is not None
    await ahead.ahead.wait()
    node = (await look_anew(context, TEXT)).listed[0]
    (other,) = context.refs.assign("another", [replace(node, node=replace(node.node, loader="other"))])  # type: ignore[type-var]
    (mine,) = (await look(ahead)).listed
    assert (other.ref, mine.ref, ahead.ahead.was_claimed) == ("e1", "e2", False)


async def test_one_under_way_is_taken_over(context: EngineContext, sheet: Sheet) -> None:
    await sheet.write("<button>One</button>" * 300)
    ahead = ahead_of(context)
    assert ahead.ahead is not None
    assert len((await look(ahead)).listed) == 300
    assert ahead.ahead.was_claimed


async def test_one_that_shows_something_else_is_cancelled(context: EngineContext, sheet: Sheet) -> None:
    await sheet.write("<button>One</button>" * 300)
    ahead = ahead_of(context, WIDE)
    assert ahead.ahead is not None
    await look(ahead)
    assert ahead.ahead.is_done
    assert not ahead.ahead.was_claimed


async def test_a_caller_with_little_time_does_not_wait_for_it(context: EngineContext, sheet: Sheet) -> None:
    """The page hangs as it is looked at: the call ends by its own deadline, though the look ahead has 60 s."""
    await sheet.write("<button>One</button>")
    await look(context)
    async with silent_site() as (url, asked):
        hang = f"const r = new XMLHttpRequest(); r.open('GET', '{url}', false); r.send()"
        hanging = context.tab.link.session.start("Runtime.evaluate", expression=hang)
        await asked.wait()
        ahead = ahead_of(context)
        with pytest.raises(DeadlineError):
            await take_snapshot(ahead, SnapshotRequest(TEXT), Deadline.of(0.4))
        assert not hanging.done()
    await hanging
    assert (await look(context)).listed[0].name == "One"

"""The `miniwob` suite: episodes of MiniWoB++ played through the real service, to compare variants.

A variant's policy decides: general rules that know no task, or a player for the kind of task, if there is one.

Rule 1: the service looks and acts, over its own wire. Playwright, on the same tab, only starts the episode and reads
its result.
Rule 2: variants play the same episodes, one after another, in an order that rotates from episode to episode.
Rule 3: a task that a policy does not solve is unsolved; an episode that could not be played has a reason and no score.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page

from perception.bench.looks.look_output import ListedElement
from perception.bench.pages.shared_browser import SharedBrowser, SharedTab, shared_browser
from perception.bench.scores import Score, Tally
from perception.bench.suites.miniwob.players import EndedError, EpisodeCost, EpisodePlay, Player, StuckError
from perception.bench.suites.miniwob.rules import Act, TaskPlan, Verb, decide, read_instruction
from perception.bench.suites.miniwob.wire_lists import seen_of_snapshot
from perception.bench.variant import EpisodePolicy, Variant
from perception.client import AsyncPage, RemoteError
from perception.client.requests import TargetLike
from perception.datasets.sample import DatasetError, Stratum
from perception.datasets.sources.miniwob import READ, READY, START, Episode, EpisodeState, episodes_of, read_state
from perception.errors import BadInputError, first_line
from perception.fusion.parameters import DEFAULTS
from perception.geometry import Box
from perception.types import Mode, Scope, View
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

T = TypeVar("T")

SUCCESS, STEPS, TOKENS, LOOK_MS, ACT_MS = "success", "steps", "tokens per episode", "look ms", "act ms"

EPISODE_MEASURES: Mapping[str, bool] = {SUCCESS: True, STEPS: False, TOKENS: False, LOOK_MS: False, ACT_MS: False}

VIEWPORT = pb.Viewport(width=320, height=240)
"""MiniWoB draws its tasks in 160 × 210 CSS px, and its scores on their right."""

MAX_EPISODE_STEPS = 20
"""The longest task that the rules understand, twelve checkboxes and Submit, takes 13."""

LOOKS_FOR_STEP = 3
BETWEEN_LOOKS_SECONDS = 0.2
"""Looks for a step's element, and the interval between them: jQuery UI opens its tabs and sections in 0.4 s."""

PAGE_MS = 20_000.0
"""A task's page is ready in 0.1 s."""

PLAYER_SECONDS = 60.0
"""Limit of one episode by a player: the longest ones take 10 s on a busy machine."""

_MODES = {
    Mode.TEXT: perception_pb.MODE_TEXT,
    Mode.FUSED: perception_pb.MODE_FUSED,
    Mode.VISION: perception_pb.MODE_VISION,
}
_VIEWS = {View.FULL: perception_pb.VIEW_FULL, View.INTERACTIVE: perception_pb.VIEW_INTERACTIVE}
_SCOPES = {Scope.VIEWPORT: perception_pb.SCOPE_VIEWPORT, Scope.PAGE: perception_pb.SCOPE_PAGE}


@dataclass(frozen=True, slots=True)
class Played:
    """One episode, as one variant played it.

    Attributes:
        who: the variant's name.
        reward, reason: as MiniWoB returned them; 0 and empty if the episode did not end.
        steps: number of actions. `tokens`: of all looks together. `look_ms`, `act_ms`: totals.
        note: why it was abandoned, if it was.
        error: why it could not be played; the other fields have no meaning then.
    """

    episode: Episode
    who: str
    utterance: str = ""
    success: bool = False
    reward: float = 0.0
    reason: str = ""
    steps: int = 0
    tokens: int = 0
    look_ms: float = 0.0
    act_ms: float = 0.0
    note: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class MiniwobRun:
    """A run: every episode as each variant played it."""

    played: tuple[Played, ...]
    variants: tuple[Variant, ...]


async def run_miniwob(
    tasks: Mapping[str, str],
    seeds: Sequence[int],
    variants: Sequence[Variant],
    *,
    players: Mapping[str, Player] | None = None,
    on_played: Callable[[Played], None] = lambda played: None,
    on_browser: Callable[[str], None] = lambda version: None,
) -> tuple[Played, ...]:
    """Plays every task from every seed with every variant.

    Args:
        tasks: address of the task's page, by task.
        seeds: of the episodes of each task.
        variants: the variants to compare.
        players: by kind of task, for variants whose policy is `players`; other kinds are played by the rules.
        on_played: called with each finished episode.
        on_browser: called with the browser's version.

    Raises:
        BadInputError: there is nothing to play, or a variant sets an option that clients of the service do not have.
        BrowserUnavailableError: there is no Chromium to run.
    """
    _check(tasks, seeds, variants, players)
    results = []
    async with shared_browser(tasks.values()) as shared:
        on_browser(shared.browser.version)
        table = _Table(shared, players or {})
        await _warm_up(table, variants)
        for index, episode in enumerate(episodes_of(tasks, seeds)):
            for at in range(len(variants)):
                variant = variants[(index + at) % len(variants)]
                results.append(await _play(table, episode, tasks[episode.task], variant))
                on_played(results[-1])
    return tuple(results)


def scores_of(played: Sequence[Played]) -> list[Score]:
    """A score for each playable episode. Tasks are the pages by which statistics resample."""
    return [
        Score(
            sample=each.episode.name,
            who=each.who,
            page=each.episode.task,
            category="miniwob",
            stratum=Stratum.UNKNOWN.value,
            tallies={
                SUCCESS: Tally(each.success, 1),
                STEPS: Tally(each.steps, 1),
                TOKENS: Tally(each.tokens, 1),
                LOOK_MS: Tally(each.look_ms, 1),
                ACT_MS: Tally(each.act_ms, 1),
            },
            outcomes={SUCCESS: (each.success,)},
        )
        for each in played
        if not each.error
    ]


def kind_of(task: str) -> str:
    """A task's name in MiniWoB, without the family prefix of page ids."""
    return task.rpartition("--")[2]


@dataclass(slots=True)
class _Table:
    """The resources of a run: the service, the browser that both sides share, and a tab for each variant.

    A tab is kept until an episode fails in it: opening one takes 1 s, as the service attaches to the browser again. The
    service's cache of a page's pixels then belongs to one variant only.
    """

    shared: SharedBrowser
    players: Mapping[str, Player]
    tabs: dict[str, SharedTab] = field(default_factory=dict)

    async def tab(self, who: str) -> SharedTab:
        """The variant's tab, opened if there is none. Raises RemoteError, PlaywrightError."""
        if who not in self.tabs:
            self.tabs[who] = await self.shared.open_tab(session_pb.SessionOptions(viewport=VIEWPORT))
        return self.tabs[who]

    async def drop(self, who: str) -> None:
        """Closes the variant's tab, which may be gone already."""
        tab = self.tabs.pop(who, None)
        if tab is not None:
            with suppress(RemoteError):
                await tab.ours.close()


def _check(
    tasks: Mapping[str, str],
    seeds: Sequence[int],
    variants: Sequence[Variant],
    players: Mapping[str, Player] | None,
) -> None:
    if not (tasks and seeds and variants):
        raise BadInputError("nothing to play: give at least one task, one seed and one variant")
    if len({variant.name for variant in variants}) < len(variants):
        raise BadInputError("two variants have one name: rename one")
    for variant in variants:
        if variant.policy is EpisodePolicy.PLAYERS and players is None:
            raise BadInputError(f"variant {variant.name} is played by players: name their module by --players")
        if variant.fusion != DEFAULTS:
            raise BadInputError(
                f"variant {variant.name} sets fusion parameters, which a client of the service cannot: leave them out"
            )


async def _play(table: _Table, episode: Episode, url: str, variant: Variant) -> Played:
    cost = EpisodeCost()
    player = table.players.get(kind_of(episode.task)) if variant.policy is EpisodePolicy.PLAYERS else None
    try:
        tab = await table.tab(variant.name)
        await tab.go(url)
        await tab.theirs.wait_for_function(READY, timeout=PAGE_MS)
        await tab.theirs.evaluate(START, episode.seed)
        state = await _state(tab.theirs)
        if player is not None:
            end = await _run_player(tab, player, state, variant, cost)
        else:
            end = await _go_through(tab, state, variant, cost)
    except (RemoteError, PlaywrightError, DatasetError, TimeoutError) as exc:
        await table.drop(variant.name)
        return Played(episode, variant.name, error=first_line(exc))
    return Played(
        episode=episode,
        who=variant.name,
        utterance=state.utterance,
        success=end.success,
        reward=end.reward,
        reason=end.reason,
        steps=cost.steps,
        tokens=cost.tokens,
        look_ms=round(cost.look_ms, 2),
        act_ms=round(cost.act_ms, 2),
        note="; ".join([*([cost.note] if cost.note else []), *cost.skipped]),
    )


async def _go_through(tab: SharedTab, state: EpisodeState, variant: Variant, cost: EpisodeCost) -> EpisodeState:
    """Plays until the episode or the plan has ended."""
    plan = read_instruction(state.utterance)
    if not plan.steps:
        cost.note = "the rules do not understand the instruction"
    while plan.steps and not state.done:
        if cost.steps >= MAX_EPISODE_STEPS:
            cost.note = f"given up after {MAX_EPISODE_STEPS} steps"
            break
        act, plan = await _look(tab, plan, variant, cost)
        if act is None:
            cost.note = f"nothing listed is {plan.steps[0].name or plan.steps[0].text or 'of that kind'!r}"
            break
        try:
            await _timed(cost, "act_ms", partial(_do, tab.ours, act))
        except RemoteError as exc:
            cost.note = f"{act.verb} on {act.element.role} {act.element.name!r}: {first_line(exc)}"
            break
        cost.steps += 1
        state = await _state(tab.theirs)
    return await _ending(tab, state, cost)


async def _run_player(
    tab: SharedTab, player: Player, state: EpisodeState, variant: Variant, cost: EpisodeCost
) -> EpisodeState:
    """Lets a player play until it or the episode has ended, or it is stuck."""

    async def ended() -> bool:
        return (await _state(tab.theirs)).done

    async def around() -> tuple[Box, ...]:
        return (await _state(tab.theirs)).around

    play = EpisodePlay(tab.ours, state.utterance, ended, around, _options(variant), cost)
    try:
        async with asyncio.timeout(PLAYER_SECONDS):
            await player(play)
    except EndedError:
        pass
    except (StuckError, RemoteError) as exc:
        cost.note = first_line(exc)
    except (LookupError, ValueError) as exc:  # the page is not what the player expects
        cost.note = f"{type(exc).__name__}: {first_line(exc)}"
    return await _ending(tab, await _state(tab.theirs), cost)


async def _ending(tab: SharedTab, state: EpisodeState, cost: EpisodeCost) -> EpisodeState:
    if not state.done and cost.steps:
        await asyncio.sleep(BETWEEN_LOOKS_SECONDS)  # some tasks count a click after its animation
        return await _state(tab.theirs)
    return state


async def _look(tab: SharedTab, plan: TaskPlan, variant: Variant, cost: EpisodeCost) -> tuple[Act | None, TaskPlan]:
    """Looks until there is something to do: an element that was just opened may still be unfolding."""
    for attempt in range(LOOKS_FOR_STEP):
        if attempt:
            await asyncio.sleep(BETWEEN_LOOKS_SECONDS)
        around = (await _state(tab.theirs)).around
        snapshot = await _timed(cost, "look_ms", lambda: tab.ours.snapshot(**_options(variant)))
        cost.tokens += snapshot.token_count
        seen = seen_of_snapshot(snapshot, variant.name, around)
        cost.skipped |= dict.fromkeys(seen.skipped)
        act, after = decide(plan, seen)
        if act is not None:
            return act, after
    return None, plan


async def _do(page: AsyncPage, act: Act) -> None:
    target = _target(act.element)
    match act.verb:
        case Verb.CLICK:
            await page.click(target)
        case Verb.TYPE:
            await page.type_text(target, act.text, clear=True)
        case Verb.PICK:
            await page.select(target, *act.text.split(", "))


def _target(element: ListedElement) -> TargetLike:
    if element.ref:
        return element.ref
    if element.point is not None:
        return element.point
    assert element.box is not None  # an element over the wire has one
    return element.box.center.x, element.box.center.y


def _options(variant: Variant) -> dict[str, Any]:
    return {
        "mode": _MODES[variant.mode],
        "view": _VIEWS[variant.view],
        "scope": _SCOPES[variant.scope],
        "max_tokens": variant.max_tokens,
        "detectors": variant.detectors,
    }


async def _state(page: Page) -> EpisodeState:
    return read_state(await page.evaluate(READ))


async def _timed(cost: EpisodeCost, what: str, work: Callable[[], Awaitable[T]]) -> T:
    start = time.perf_counter()
    try:
        return await work()
    finally:
        setattr(cost, what, getattr(cost, what) + (time.perf_counter() - start) * 1000)


async def _warm_up(table: _Table, variants: Sequence[Variant]) -> None:
    """Lets the service load its models: that belongs to its start, not to an episode."""
    for variant in variants:
        if variant.mode is not Mode.TEXT:
            tab = await table.tab(variant.name)
            await tab.ours.snapshot(**_options(variant))

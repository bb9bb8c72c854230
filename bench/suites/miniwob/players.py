"""Players of episodes: code for one kind of task that replaces the general rules.

The package contains none. `perception bench run miniwob --players MODULE` uses the `PLAYERS` of a module, a player by
kind of task, for variants whose policy is `players`.
"""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from perception.client import AsyncPage
from perception.errors import BadInputError
from perception.geometry import Box


class StuckError(Exception):
    """The page does not show what the player looks for."""


class EndedError(Exception):
    """The episode has ended, which is not a failure."""


@dataclass(slots=True)
class EpisodeCost:
    """The cost of an episode so far.

    Attributes:
        steps: actions.
        tokens: of all snapshots together.
        look_ms, act_ms: milliseconds in snapshots, and in actions.
        note: why it was abandoned, if it was.
        skipped: what its snapshots left out, and why.
    """

    steps: int = 0
    tokens: int = 0
    look_ms: float = 0.0
    act_ms: float = 0.0
    note: str = ""
    skipped: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class EpisodePlay:
    """One episode, for a player. It raises StuckError to abandon the episode, and EndedError once the episode has
    ended.

    Attributes:
        page: the tab, through the service.
        words: the instruction.
        ended: whether the episode is over.
        around: boxes of elements that do not belong to the task, CSS px.
        looks: the variant's options of a snapshot.
        cost: the cost so far, updated by the player.
    """

    page: AsyncPage
    words: str
    ended: Callable[[], Awaitable[bool]]
    around: Callable[[], Awaitable[Sequence[Box]]]
    looks: dict[str, Any]
    cost: EpisodeCost


Player = Callable[[EpisodePlay], Awaitable[None]]


def load_players(module: str) -> Mapping[str, Player]:
    """The `PLAYERS` of a module, by kind of task.

    Raises:
        BadInputError: it cannot be imported, or has none.
    """
    try:
        players: Mapping[str, Player] = importlib.import_module(module).PLAYERS
    except (ImportError, AttributeError, ValueError) as exc:
        raise BadInputError(f"--players {module}: no module with PLAYERS ({exc})") from exc
    return players

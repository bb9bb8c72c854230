"""Players of MiniWoB++ tasks: for each kind of task the few lines that a person would write who knows it and has our
client.

    python -m perception bench run miniwob --variant tests/labs/bench/miniwob_scripts/scripted.toml \\
        --players tests.labs.bench.miniwob_scripts

Rule 1: a script knows its task's kind, never an episode's answer: that it reads from the instruction and the snapshots.
Rule 2: snapshots, refs and coordinates are all there is: no page internals, no evaluating.
Rule 3: what only eyes can tell (shapes, colors, painted dots) has no script while snapshots do not say it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping

from perception.bench.suites.miniwob.players import EpisodePlay, Player
from tests.labs.bench.miniwob_scripts import dates, drags, finds, games, mail
from tests.labs.bench.miniwob_scripts import fields as form_fields
from tests.labs.bench.miniwob_scripts.driver import EpisodeDriver

Script = Callable[[EpisodeDriver], Awaitable[None]]

SCRIPTS: Mapping[str, Script] = {
    **dates.SCRIPTS,
    **drags.SCRIPTS,
    **form_fields.SCRIPTS,
    **finds.SCRIPTS,
    **games.SCRIPTS,
    **mail.SCRIPTS,
}
"""By kind of task. Kinds without one are played by the general rules."""


def player_of(script: Script) -> Player:
    """A script as a player."""

    async def play(episode: EpisodePlay) -> None:
        await script(
            EpisodeDriver(**{each.name: getattr(episode, each.name) for each in dataclasses.fields(EpisodePlay)})
        )

    return play


PLAYERS: Mapping[str, Player] = {kind: player_of(script) for kind, script in SCRIPTS.items()}

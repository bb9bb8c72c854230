"""MiniWoB++ by scripts: for each kind of task the few lines that a person would write who knows it and has our client.

Rule 1: a script knows its task's kind, never an episode's answer: that it reads from the instruction and the snapshots.
Rule 2: snapshots, refs and coordinates are all there is: no page internals, no evaluating.
Rule 3: what only eyes can tell (shapes, colours, painted dots) has no script while snapshots do not say it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from perception.bench.miniwob_scripts import dates, drags, fields, finds, games, mail
from perception.bench.miniwob_scripts.desk import Desk

Script = Callable[[Desk], Awaitable[None]]

SCRIPTS: Mapping[str, Script] = {
    **dates.SCRIPTS,
    **drags.SCRIPTS,
    **fields.SCRIPTS,
    **finds.SCRIPTS,
    **games.SCRIPTS,
    **mail.SCRIPTS,
}
"""By kind of task. Kinds without one are played by the general rules, `miniwob_rules`."""

__all__ = ["SCRIPTS", "Script"]

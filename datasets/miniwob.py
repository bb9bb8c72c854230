"""MiniWoB++ episodes: how one is started from a seed, what it asks for, and how it ended.

Rule 1: an episode is what its task and its seed make of it, the same for everybody: the clock does not end it. MiniWoB
ends an episode after 10 s and lowers the reward by the time taken; here its clock is stopped at the start and the raw
reward counts, so that a slow look costs milliseconds in the report and not success.
Rule 2: success is a raw reward over 0, as MiniWoB's own figures count it. Tasks that reward parts give more than 0 for
more right than wrong.

The page's side is html/core/core.js of the package: `startEpisodeReal`, `getUtterance`, `WOB_RAW_REWARD_GLOBAL`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from perception.datasets.sample import DatasetError
from perception.geometry import Box

READY = "() => typeof core === 'object' && !!core.cover_div && WOB_TASK_READY"
"""True once an episode can be started."""

START = """seed => {
  Math.seedrandom(String(seed));
  core.startEpisodeReal();
  clearTimeout(core.EP_TIMER);  // its id stays set: without one `endEpisode` gives no reward
  core.clearTimer();
}"""
"""Starts an episode from a seed, as a click on its START cover would, and stops its clock."""

READ = """() => {
  const asked = core.getUtterance();
  const around = ['query', 'click-canvas', 'reward-display', 'sync-task-cover'].map(id => document.getElementById(id));
  return {
    utterance: typeof asked === 'string' ? asked : asked.utterance,
    around: around.filter(each => each && each.getClientRects().length).map(each => {
      const box = each.getBoundingClientRect();
      return [box.left, box.top, box.right, box.bottom];
    }),
    done: WOB_DONE_GLOBAL, reward: WOB_RAW_REWARD_GLOBAL, reason: WOB_REWARD_REASON || '',
  };
}"""
"""What an episode says of itself, for `read_state`. Some tasks' utterances come with the answer's fields: not taken."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One task from one seed."""

    task: str
    seed: int

    @property
    def name(self) -> str:
        return f"{self.task}#{self.seed}"


@dataclass(frozen=True, slots=True)
class EpisodeState:
    """An episode at one moment.

    Attributes:
        utterance: what it asks for, in words.
        around: what is on the screen but not of the task: the instruction itself, rewards and the click tracker.
            MiniWoB leaves the same out of what it gives its agents (`core.getDOMInfo`). CSS px of the viewport.
        done: it has ended; `reward` and `reason` are 0 and empty before.
        reward: the raw one, without the time's part.
    """

    utterance: str
    around: tuple[Box, ...]
    done: bool
    reward: float
    reason: str

    @property
    def success(self) -> bool:
        return self.done and self.reward > 0


def read_state(answer: Mapping[str, Any]) -> EpisodeState:
    """What READ gave. Raises DatasetError for anything else."""
    try:
        return EpisodeState(
            utterance=str(answer["utterance"]),
            around=tuple(Box(*box) for box in answer["around"]),
            done=bool(answer["done"]),
            reward=float(answer["reward"]),
            reason=str(answer["reason"]),
        )
    except (KeyError, TypeError, ValueError) as exc:
        raise DatasetError(f"not the state of a MiniWoB episode: {exc!r}") from exc


def episodes_of(tasks: Iterable[str], seeds: Iterable[int]) -> tuple[Episode, ...]:
    """Every task with every seed, task by task; each once, however often it is named."""
    kept = dict.fromkeys(seeds)
    return tuple(Episode(task, seed) for task in dict.fromkeys(tasks) for seed in kept)

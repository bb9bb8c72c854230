"""MiniWoB++ episodes: starting one from a seed, its instruction, and its result.

Rule 1: an episode depends on its task and its seed only. MiniWoB ends an episode after 10 s and lowers the reward with
time; here its clock is stopped at the start and the raw reward counts, so that a slow capture costs milliseconds in the
report but no success.
Rule 2: success is a raw reward over 0, as in MiniWoB's own figures. Tasks with partial rewards give more than 0 if more
is right than wrong.

The page's side is html/core/core.js of the package: `startEpisodeReal`, `getUtterance`, `WOB_RAW_REWARD_GLOBAL`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from perception.datasets.sample import DatasetError
from perception.geometry import Box

READY = "() => typeof core === 'object' && !!core.cover_div && WOB_TASK_READY"
"""True when an episode can be started."""

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
"""State of an episode, for `read_state`. The fields of an answer, which some utterances contain, are not read."""


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
        utterance: the instruction in words.
        around: boxes on the screen that do not belong to the task: the instruction, rewards and the click tracker, CSS
            px of the viewport. MiniWoB omits the same for its agents (`core.getDOMInfo`).
        done: whether it has ended; before, `reward` is 0 and `reason` is "".
        reward: the raw reward, independent of time.
        reason: MiniWoB's reason for the reward.
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
    """Parses the result of READ. Raises DatasetError: it is something else."""
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
    """Every task with every seed, task by task, without duplicates."""
    kept = dict.fromkeys(seeds)
    return tuple(Episode(task, seed) for task in dict.fromkeys(tasks) for seed in kept)

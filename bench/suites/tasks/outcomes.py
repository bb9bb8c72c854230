"""The result of the `tasks` suite, as values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """One task in one mode.

    Attributes:
        task: its name.
        mode: text or fused.
        done: the page, or the application's records, have the effect.
        problem: why it was not done; empty if it was.
        calls: calls of the agent, looks included.
        actions: those that send input.
        tokens: o200k tokens of all answers.
        largest: those of the longest answer.
        playwright_tokens: those of Playwright's AI snapshots: one of the page at first, and one after each action.
        seconds: from the first look to the last answer.
        stumbles: what an agent could not know from the answers so far, in words.
    """

    task: str
    mode: str
    done: bool
    problem: str
    calls: int
    actions: int
    tokens: int
    largest: int
    playwright_tokens: int
    seconds: float
    stumbles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TasksRun:
    """All outcomes, and a line for each task that could not be set up."""

    outcomes: tuple[TaskOutcome, ...]
    left_out: tuple[str, ...] = ()

"""The form of a task: what is asked, where, how the agent does it, and how the effect is judged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from perception.bench.suites.subroutines.apps.app import App
from perception.bench.suites.tasks.agent import Agent

BOTH = ("text", "fused")


@dataclass(frozen=True, slots=True)
class Effect:
    """What can be asked when the agent is done.

    Attributes:
        evaluate: runs a script in the page, past the service.
        answer: what the agent says that it read.
        app: the application, None for a page.
    """

    evaluate: Callable[[str], Awaitable[Any]]
    answer: str
    app: App | None


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        name: what it is called in the report.
        asked: what a user says.
        play: does it, and returns what it read, if it was asked for something.
        judge: whether the effect is there; it is asked until it is, for a few seconds.
        page: id of its page, in the suite's manifest or in that of the data set; empty for an application.
        app: name of an application of the `subroutines` suite, with `path`; empty for a page.
        prepare: puts into the application what the task is about.
        modes: those in which it can be done.
    """

    name: str
    asked: str
    play: Callable[[Agent], Awaitable[str]]
    judge: Callable[[Effect], Awaitable[bool]]
    page: str = ""
    app: str = ""
    path: str = "/"
    prepare: Callable[[App], None] | None = None
    modes: tuple[str, ...] = BOTH


def in_page(script: str) -> Callable[[Effect], Awaitable[bool]]:
    """A judgment by a script alone, which is true for the effect."""

    async def judge(effect: Effect) -> bool:
        return bool(await effect.evaluate(script))

    return judge

"""Does the tasks through a service, beside Playwright in the same tabs, and judges the effects.

Rule 1: the agent has the client alone. Playwright's snapshots are taken between its calls; their time is not counted.
Rule 2: a page whose package cannot be fetched, or an application that does not start, is left out with its reason.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page as PlaywrightPage

from perception.bench.pages.shared_browser import SharedBrowser, shared_browser
from perception.bench.suites.subroutines.apps import load_app
from perception.bench.suites.subroutines.apps.app import App
from perception.bench.suites.subroutines.apps.installing import install
from perception.bench.suites.tasks.agent import Agent
from perception.bench.suites.tasks.app_tasks import APP_TASKS
from perception.bench.suites.tasks.library_tasks import LIBRARY_TASKS
from perception.bench.suites.tasks.outcomes import TaskOutcome, TasksRun
from perception.bench.suites.tasks.task import Effect, Task
from perception.bench.suites.tasks.widget_tasks import WIDGET_TASKS
from perception.client import RemoteError
from perception.datasets.sources.manifest import Manifest, PageSpec, load_manifest
from perception.datasets.sources.packages import PackageError, fetch
from perception.datasets.sources.site_server import serve
from perception.errors import PerceptionError
from perception.render.tokens import count_tokens
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb

TASK_SECONDS = 60.0
"""Time limit of a task: the longest, in a notebook, takes 15 s on two quiet cores."""

JUDGE_SECONDS = 5.0
"""How long the effect may take: TiddlyWiki saves after a second."""

JUDGE_POLL_SECONDS = 0.2

SNAPSHOT_MS = 10_000.0
"""Time limit of one of Playwright's snapshots."""

OWN_MANIFEST = Path(__file__).with_name("manifest.toml")

ChosenRun = tuple[Task, str]
"""A task and a mode."""


def chosen_runs(names: Sequence[str], modes: Sequence[str]) -> list[ChosenRun]:
    """The tasks with any of these in their names, in each of the modes that they can be done in."""
    return [
        (task, mode)
        for task in (*WIDGET_TASKS, *LIBRARY_TASKS, *APP_TASKS)
        if any(name in task.name for name in names)
        for mode in task.modes
        if not modes or mode in modes
    ]


async def run_tasks(
    chosen: Sequence[ChosenRun],
    home: Path,
    address: str,
    on_outcome: Callable[[TaskOutcome], None],
    say: Callable[[str], None],
) -> TasksRun:
    """Does each task once in each mode.

    Args:
        address: that of a running service; empty for a new one.
        on_outcome: called with each outcome.
        say: writes a line.
    """
    outcomes = []
    tasks = list(dict.fromkeys(task for task, _ in chosen))
    with ExitStack() as stack:
        urls, left_out = _serve_pages(tasks, home, stack)
        folders = _install_apps(tasks, home, say, left_out)
        async with shared_browser((), address=address) as browser:
            for task, mode in chosen:
                if task.page in urls or task.app in folders:
                    async with _stage(task, urls, folders) as (url, app):
                        outcomes.append(await _do(browser, task, mode, url, app, is_older=bool(address)))
                        on_outcome(outcomes[-1])
    return TasksRun(tuple(outcomes), tuple(f"{name}: {why}" for name, why in left_out.items()))


def _serve_pages(tasks: Sequence[Task], home: Path, stack: ExitStack) -> tuple[dict[str, str], dict[str, str]]:
    """The address of each page, and the reason of each that cannot be served."""
    urls: dict[str, str] = {}
    left_out: dict[str, str] = {}
    wanted = {task.page for task in tasks if task.page}
    for manifest in (load_manifest(OWN_MANIFEST), load_manifest()):
        pages = [page for page in manifest.pages.values() if page.id in wanted]
        there = [page for page in pages if _is_fetched(page, manifest, home, left_out)]
        if there:
            served = stack.enter_context(serve(there, manifest, home))
            urls |= served.urls
            left_out |= served.unserved
    return urls, left_out


def _is_fetched(page: PageSpec, manifest: Manifest, home: Path, left_out: dict[str, str]) -> bool:
    try:
        fetch(page, manifest, home)
    except PackageError as exc:
        left_out[page.id] = str(exc)
        return False
    return True


def _install_apps(
    tasks: Sequence[Task], home: Path, say: Callable[[str], None], left_out: dict[str, str]
) -> dict[str, Path]:
    packages = {task.app: load_app(task.app).packages for task in tasks if task.app}
    folders, failed = install(list(packages.values()), home, say) if packages else ({}, {})
    left_out |= {name: failed[each] for name, each in packages.items() if each in failed}
    return {name: folders[each] for name, each in packages.items() if each in folders}


@asynccontextmanager
async def _stage(task: Task, urls: dict[str, str], folders: dict[str, Path]) -> AsyncIterator[tuple[str, App | None]]:
    """The address of a task's page, and its application, newly started."""
    if not task.app:
        yield urls[task.page], None
        return
    with tempfile.TemporaryDirectory(prefix=f"perception-task-{task.app}-") as state:
        app = load_app(task.app)(folders[task.app], Path(state))
        async with AsyncExitStack() as stack:
            serving = app.serving()
            await asyncio.to_thread(serving.__enter__)
            stack.callback(serving.__exit__, None, None, None)
            if task.prepare is not None:
                task.prepare(app)
            yield app.origin + task.path, app


def _leave_open(_: object) -> None:
    """Leaves a dialog to the agent."""


@dataclass(slots=True)
class _Observer:
    """Playwright in the agent's tab: what it would have been given."""

    page: PlaywrightPage
    tokens: int = 0
    missed: int = 0

    async def watch(self) -> None:
        try:
            text = await self.page.aria_snapshot(mode="ai", timeout=SNAPSHOT_MS)
        except PlaywrightError:  # a dialog is open, or a document is being replaced
            self.missed += 1
            return
        self.tokens += count_tokens(text)


async def _do(
    browser: SharedBrowser, task: Task, mode: str, url: str, app: App | None, *, is_older: bool
) -> TaskOutcome:
    """One task in one mode, in a session of its own."""
    defaults = perception_pb.SnapshotOptions(mode=f"MODE_{mode.upper()}")
    tab = await browser.open_tab(session_pb.SessionOptions(snapshot_defaults=defaults))
    observer = _Observer(tab.theirs)
    tab.theirs.on("dialog", _leave_open)  # without a listener Playwright answers it
    agent = Agent(tab.ours, observer.watch, options={"mode": mode} if is_older else {})
    problem, answer = "", ""
    try:
        async with asyncio.timeout(TASK_SECONDS):
            await tab.go(url)
            answer = await task.play(agent)
    except (PerceptionError, RemoteError, TimeoutError) as exc:
        problem = str(exc) or f"not done in {TASK_SECONDS:g} s"
    done = not problem and await _is_judged(task, Effect(tab.theirs.evaluate, answer, app))
    await tab.ours.close()
    return TaskOutcome(
        task.name,
        mode,
        done,
        problem or ("" if done else f"the effect is not there; the last answer: {agent.text[-300:]}"),
        agent.calls,
        agent.actions,
        agent.tokens,
        agent.largest,
        observer.tokens,
        round(agent.seconds, 3),
        tuple(agent.stumbles),
    )


async def _is_judged(task: Task, effect: Effect) -> bool:
    """Whether the effect is there, or comes soon."""
    loop = asyncio.get_running_loop()
    end = loop.time() + JUDGE_SECONDS
    while True:
        with contextlib.suppress(PlaywrightError):  # the page is being replaced, or not what the judgment needs
            if await task.judge(effect):
                return True
        if loop.time() > end:
            return False
        await asyncio.sleep(JUDGE_POLL_SECONDS)

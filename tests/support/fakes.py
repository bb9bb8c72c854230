"""Stand-ins for what the service's modules work with: a browser, its connection, its tabs, and a call's context.

What has no browser of its own is real: sessions, dialogs, downloads and the tab's link run on a connection that answers
from a script.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from perception.browser.browser_session import SessionOptions
from perception.browser.cdp.cdp_link import CdpCallError, CdpSession
from perception.browser.chromium.launch import LaunchOptions
from perception.browser.evaluate.evaluator import Evaluated, Script
from perception.browser.network.policy import UrlPolicy
from perception.browser.page.clipboard import SessionClipboard
from perception.browser.page.downloads import Downloads
from perception.browser.page.page_link import PageLink
from perception.browser.session_uploads import SessionUploads
from perception.browser.tab import Tab
from perception.deadline import Deadline
from perception.engine.presented import PresentedSnapshot
from perception.engine.request import SnapshotOptions
from perception.errors import SessionLostError, UnknownTabError
from perception.geometry import Box
from perception.render.text import PagedText
from perception.server import rpc_call
from perception.server.actions.action_context import ActionContext, AnswerOptions
from perception.server.rpc_call import RpcCall
from perception.server.sessions.lifetime import Lifetime
from perception.server.sessions.recorders import Recorders
from perception.server.sessions.session import Session
from perception.server.sessions.shown import Shown
from perception.server.videos.store import VideoStore
from perception.server.videos.videos import Videos
from perception.snapshot import Snapshot
from perception.types import Capture, Element, Mode, NodeKey, Scroll, Viewport

SITE = "https://site.test"

TURNS = 50
"""How often the event loop goes round before a test takes what has not come for missing."""

_WALKER_CALL = re.compile(r"perceptionWalker\.(\w+)\((.*)\)", re.DOTALL)


async def until(is_true: Callable[[], object]) -> None:
    """Lets other tasks run until something is true. Fails if it needs more than some turns of the event loop."""
    for _ in range(TURNS):
        if is_true():
            return
        await asyncio.sleep(0)
    raise AssertionError("it has not come true")


async def turns() -> None:
    """Lets other tasks run until they wait for something."""
    for _ in range(TURNS):
        await asyncio.sleep(0)


class FakeLink:
    """A browser's end of the DevTools protocol.

    Attributes:
        sent: the commands so far: session id, method, parameters.
        replies: an answer by method: a value, an exception, or a function of the parameters that returns either; None
            never comes. Other commands are answered with an empty object.
        walker: answers of the page walker by the name of the call, in the same way, of its arguments.
        scripts: answers to other expressions, by a part of their text.
    """

    def __init__(self) -> None:
        self.sent: list[tuple[str, str, dict[str, Any]]] = []
        self.replies: dict[str, Any] = {
            "Target.attachToTarget": lambda params: {"sessionId": f"on-{params['targetId']}"},
            "Page.createIsolatedWorld": {"executionContextId": 1},
            "Runtime.evaluate": self._evaluate,
        }
        self.walker: dict[str, Any] = {"takePrints": 0}
        self.scripts: dict[str, Any] = {}
        self.closed = asyncio.Event()
        self._handlers: dict[tuple[str, str], list[Callable[[dict[str, Any]], None]]] = {}

    def methods(self) -> list[str]:
        """Names of the commands so far."""
        return [method for _, method, _ in self.sent]

    def asked(self) -> list[tuple[Any, ...]]:
        """The calls of the page walker so far: name, then arguments."""
        found = (_WALKER_CALL.fullmatch(params.get("expression", "")) for _, _, params in self.sent)
        return [(each[1], *json.loads(f"[{each[2]}]")) for each in found if each is not None]

    def keys(self) -> str:
        """The characters that were typed by keys."""
        return "".join(params.get("text", "") for _, method, params in self.sent if method == "Input.dispatchKeyEvent")

    def emit(self, session_id: str, event: str, **params: Any) -> None:
        """Sends an event."""
        for handler in list(self._handlers.get((session_id, event), ())):
            handler(params)

    def session(self, session_id: str = "") -> CdpSession:
        return CdpSession(self, session_id)  # type: ignore[arg-type]

    def start(self, session_id: str, method: str, params: dict[str, Any]) -> asyncio.Future[dict[str, Any]]:
        self.sent.append((session_id, method, params))
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        answer = _answer(self.replies.get(method, {}), params)
        if isinstance(answer, Exception):
            future.set_exception(answer)
        elif answer is not None:
            future.set_result(answer)
        return future

    def on(self, session_id: str, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
        self._handlers.setdefault((session_id, event), []).append(handler)

    def off(self, session_id: str, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
        self._handlers[session_id, event].remove(handler)

    def forget(self, session_id: str, error: Exception) -> None:
        """Nothing is pending that anyone waits for."""

    async def close(self) -> None:
        self.closed.set()

    def _evaluate(self, params: dict[str, Any]) -> Any:
        expression = params["expression"]
        if call := _WALKER_CALL.fullmatch(expression):
            answer = _answer(self.walker.get(call[1]), *json.loads(f"[{call[2]}]"))
            return answer if isinstance(answer, Exception) else {"result": {"value": json.dumps(answer)}}
        if expression.startswith("[perceptionWalker."):
            return self._evaluate_all(re.findall(r"perceptionWalker\.(\w+)\(([^)]*)\)", expression))
        said = next((self.scripts[part] for part in self.scripts if part in expression), None)
        answer = _answer(said, expression)
        return answer if isinstance(answer, Exception) else {"result": {"value": answer}}

    def _evaluate_all(self, calls: list[tuple[str, str]]) -> Any:
        answers = [_answer(self.walker.get(call), *json.loads(f"[{given}]")) for call, given in calls]
        failed = [each for each in answers if isinstance(each, Exception)]
        return failed[0] if failed else {"result": {"value": [json.dumps(each) for each in answers]}}


def _answer(scripted: Any, *given: Any) -> Any:
    return scripted(*given) if callable(scripted) and not isinstance(scripted, Exception) else scripted


class FakeInput:
    """The mouse and keyboard of a page: notes what is done with them, each as one word and its arguments."""

    def __init__(self) -> None:
        self.done: list[tuple[Any, ...]] = []
        self.mouse = SimpleNamespace(move=self._notes("move"), down=self._notes("down"), up=self._notes("up"))
        self.keyboard = SimpleNamespace(
            down=self._notes("key down"),
            up=self._notes("key up"),
            press=self._notes("press"),
            type=self._notes("type"),
            insert_text=self._notes("insert"),
        )

    def on(self, event: str, handler: Callable[..., None]) -> None:
        """No page writes to its console."""

    def remove_listener(self, event: str, handler: Callable[..., None]) -> None:
        """See `on`."""

    def note_mouse(self, event: dict[str, Any]) -> dict[str, Any]:
        """Notes an event of the mouse that goes over the link, in the same words."""
        kind, place = event["type"], (event["x"], event["y"])
        if kind == "mouseMoved":
            self.done.append(("move", *place))
        elif kind == "mouseWheel":
            self.done.append(("wheel", event["deltaX"], event["deltaY"]))
        elif kind == "mousePressed":
            if event["clickCount"] > 1:
                self.done.pop()
            self.done.append(("click", *place, event["button"], event["clickCount"]))
        return {}

    def acts(self) -> list[tuple[Any, ...]]:
        """What was done beside moving the pointer, which changes nothing."""
        return [each for each in self.done if each[0] != "move"]

    def _notes(self, name: str) -> Callable[..., Any]:
        async def note(*given: Any, **options: Any) -> None:
            self.done.append((name, *given, *options.values()))

        return note


class FakeCapturer:
    """Captures that a test has written.

    Attributes:
        elements: what a capture finds.
        error: raised by each capture; None for none.
        count: captures so far.
    """

    def __init__(self, link: PageLink) -> None:
        self._link = link
        self.elements: tuple[Element, ...] = ()
        self.error: Exception | None = None
        self.count = 0

    async def capture(self, *, deadline: Deadline, **_: Any) -> Capture:
        self.count += 1
        if self.error is not None:
            raise self.error
        return Capture(self._link.url, "Title", self._link.loader, Viewport(800, 600), Scroll(), self.elements)


async def open_tab(link: FakeLink, tab_id: str = "t1", url: str = f"{SITE}/", opener: str = "") -> Tab:
    """A tab that shows a document. Its target, its frame and its loader are named after it."""
    frame = {"id": f"frame-{tab_id}", "loaderId": f"loader-{tab_id}", "url": url}
    link.replies["Page.getFrameTree"] = {"frameTree": {"frame": frame}}
    page = await PageLink.attach(link, f"target-{tab_id}", Deadline.of(5))  # type: ignore[arg-type]
    given = FakeInput()
    link.replies["Input.dispatchMouseEvent"] = given.note_mouse
    tab = Tab(tab_id, given, page, FakeCapturer(page), opener)  # type: ignore[arg-type]
    commit(tab, url, loader=f"loader-{tab_id}")
    return tab


def emit(tab: Tab, event: str, **params: Any) -> None:
    """Sends an event of a tab."""
    tab.link.link.emit(tab.link.session.session_id, event, **params)  # type: ignore[attr-defined]


def commit(tab: Tab, url: str, loader: str = "next") -> None:
    """The tab shows another document, which has loaded."""
    frame = {"id": tab.link.main_frame, "loaderId": loader, "url": url}
    emit(tab, "Page.frameNavigated", frame=frame)
    for name in ("DOMContentLoaded", "load"):
        emit(tab, "Page.lifecycleEvent", frameId=tab.link.main_frame, loaderId=loader, name=name)


def open_dialog(tab: Tab, message: str = "Sure?", kind: str = "confirm") -> None:
    """The tab's page opens a dialog."""
    emit(tab, "Page.javascriptDialogOpening", type=kind, message=message)


def crash(tab: Tab) -> None:
    """The tab's process ends."""
    emit(tab, "Inspector.targetCrashed")


class FakeBrowserSession:
    """A browser context with tabs that a test adds and takes away.

    Attributes:
        expected_tabs: counts of tabs that were waited for.
        expected_refusals: counts of refused windows that were waited for.
        is_closed: it was closed.
        folder: where uploads are staged; None for a browser that is not ours.
    """

    def __init__(self, link: FakeLink, folder: Path | None = None, max_uploads_bytes: int = 2**20) -> None:
        self.alive = True
        self.errors_skipped = 0
        self.tabs_refused = 0
        self.clipboard = SessionClipboard()
        self.egress = None
        self.request_log = None
        self.storage = None
        self.selected = ""
        self.expected_tabs: list[int] = []
        self.expected_refusals: list[int] = []
        self.is_closed = False
        self.downloads = Downloads(link.session("downloads"), "context", None, None, 2**20, 2**20)
        self.folder = folder
        self.uploads = SessionUploads(self, max_uploads_bytes)  # type: ignore[arg-type]
        self._tabs: dict[str, Tab] = {}

    @property
    def tabs(self) -> tuple[Tab, ...]:
        return tuple(self._tabs.values())

    def make_folder(self, purpose: str) -> Path | None:
        """As its browser does."""
        return self.folder

    def add(self, tab: Tab) -> Tab:
        """Adds a tab; the first one is selected."""
        self._tabs[tab.tab_id] = tab
        self.selected = self.selected or tab.tab_id
        return tab

    def remove(self, tab: Tab) -> None:
        del self._tabs[tab.tab_id]

    def tab(self, tab_id: str = "") -> Tab:
        if not self.alive:
            raise SessionLostError("the browser of this session is gone: create a new session")
        if (tab_id or self.selected) not in self._tabs:
            raise UnknownTabError(f"no tab {tab_id!r}", tab=tab_id)
        return self._tabs[tab_id or self.selected]

    async def wait_for_tabs(self, count: int, deadline: Deadline, refused: int = 0) -> None:
        self.expected_tabs.append(count)
        self.expected_refusals.append(refused)

    async def close(self) -> None:
        self.is_closed = True


class FakeHost:
    """A browser.

    Attributes:
        link: its connection.
        pid: of its process; None for a browser that is not ours.
        outcomes: what opening a session comes to, one each: an exception, or an event that is waited for first. Without
            any left a session opens.
        opened: the sessions so far.
        is_closed: it was closed by its owner.
        heard: how often Playwright's events were waited for.
    """

    def __init__(self, pid: int | None = None) -> None:
        self.heard = 0
        self.link = FakeLink()
        self.pid = pid
        self.epoch = 1
        self.has_folder = True
        self.is_flooded = False
        self.evaluator = FakeEvaluator()
        self.outcomes: list[Exception | asyncio.Event] = []
        self.opened: list[FakeBrowserSession] = []
        self.is_closed = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._end = asyncio.Event()

    async def cannot_hold(self, *_: object) -> bool:
        return False

    @property
    def alive(self) -> bool:
        return not self._end.is_set()

    def end(self) -> None:
        """It ends by itself."""
        self._end.set()

    async def gone(self) -> None:
        await self._end.wait()

    async def hear_events(self, deadline: Deadline) -> None:
        self.heard += 1

    async def slows(self, link: PageLink, deadline: Deadline) -> bool:
        """No page floods it."""
        return False

    async def new_session(
        self, options: SessionOptions, on_tab_closed: Callable[[str], None], deadline: Deadline, on_popup: object = None
    ) -> FakeBrowserSession:
        outcome = self.outcomes.pop(0) if self.outcomes else None
        if isinstance(outcome, asyncio.Event):
            await outcome.wait()
        elif outcome is not None:
            raise outcome
        session = FakeBrowserSession(self.link)
        session.on_tab_closed = on_tab_closed  # type: ignore[attr-defined]
        self.opened.append(session)
        return session

    def keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        self.is_closed = True
        self._end.set()


class FakeHosts:
    """In place of the class `BrowserHost`: browsers with process ids 1, 2, …

    Attributes:
        started: the browsers so far.
        begun: how many starts were begun.
        errors: raised by the next starts, one each.
        gate: each start waits for it.
        prepare: called with each new browser.
    """

    def __init__(self) -> None:
        self.started: list[FakeHost] = []
        self.begun = 0
        self.errors: list[Exception] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.prepare: Callable[[FakeHost], None] = lambda _: None
        self.endpoints: list[str] = []

    async def start(self, options: LaunchOptions, deadline: Deadline) -> FakeHost:
        self.begun += 1
        await self.gate.wait()
        return self._make(len(self.started) + 1)

    async def attach(self, endpoint: str, deadline: Deadline) -> FakeHost:
        self.endpoints.append(endpoint)
        return self._make(None)

    def _make(self, pid: int | None) -> FakeHost:
        if self.errors:
            raise self.errors.pop(0)
        host = FakeHost(pid)
        self.prepare(host)
        self.started.append(host)
        return host


class FakeEvaluator:
    """Runs clients' scripts: returns what a test has written, one for each script; exceptions are raised.

    Attributes:
        answers: the next results.
        scripts: what was run so far.
    """

    def __init__(self, *answers: Evaluated | Exception) -> None:
        self.answers = list(answers)
        self.scripts: list[Script] = []

    async def run(self, tab: Tab, script: Script, deadline: Deadline) -> Evaluated:
        self.scripts.append(script)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


class FakeContext:
    """gRPC's context of a call: when its caller's time ends. None stands for a caller without a deadline."""

    def __init__(self, remaining_s: float | None = None) -> None:
        self._remaining_s = remaining_s

    def time_remaining(self) -> float | None:
        return self._remaining_s


@asynccontextmanager
async def called_by(principal: str) -> AsyncIterator[RpcCall]:
    """Makes a call of that principal the current one."""
    call = RpcCall("/perception.v1.SessionService/GetSession", "id", principal)
    try:
        async with rpc_call.through((), call, None, None):
            yield call
    finally:
        async with rpc_call.through((), RpcCall("/", "id"), None, None):  # as no call has an end in its own task
            pass


def make_session(browser: FakeBrowserSession, host: FakeHost | None = None, allow: Sequence[str] = ()) -> Session:
    """A session on these. Its pages may reach public hosts, and those that are allowed."""
    return Session(
        session_id="S",
        options=SessionOptions(),
        browser=browser,  # type: ignore[arg-type]
        shown=Shown(),
        recorders=Recorders(),
        host=host or FakeHost(),  # type: ignore[arg-type]
        policy=UrlPolicy.of(allow),
        lifetime=Lifetime(60, 60),
        all_videos=Videos(VideoStore(Path("videos"), 0, 0), 0),
    )


async def begin_action(link: FakeLink, *, deadline: Deadline | None = None, with_diff: bool = False) -> ActionContext:
    """An action on the one tab of a session."""
    browser = FakeBrowserSession(link)
    tab = browser.add(await open_tab(link))
    session = make_session(browser)
    return ActionContext.begin(session, tab, None, deadline or Deadline.of(5), AnswerOptions(with_diff=with_diff))  # type: ignore[arg-type]


def element(role: str, name: str = "", number: int = 1, loader: str = "loader-t1", **more: Any) -> Element:
    """An element of a tab's document, by the walker's number of its node."""
    return Element(role, name, Box(0, 0, 10, 10), node=NodeKey(loader, number), **more)


def facts(role: str = "button", name: str = "Save", **more: Any) -> dict[str, Any]:
    """What the walker says of an element that a click reaches."""
    return {
        "role": role,
        "name": name,
        "box": (0, 0, 20, 10),
        "point": (10, 5),
        "blocker": "",
        "inViewport": True,
        "disabled": False,
        "editable": False,
        "tag": "button",
        "type": "",
        "checkable": role in ("checkbox", "radio", "switch"),
        **more,
    }


def presented(
    snapshot_id: str, *elements: Element, tab_id: str = "t1", url: str = f"{SITE}/", title: str = "Title"
) -> PresentedSnapshot:
    """A snapshot that lists these elements."""
    snapshot = Snapshot(snapshot_id, url, title, "L", Viewport(800, 600), Scroll(), elements)
    return PresentedSnapshot(snapshot, tab_id, elements, PagedText(()), SnapshotOptions(mode=Mode.TEXT))


def refused(method: str = "Runtime.evaluate") -> CdpCallError:
    """Chromium's refusal of a command."""
    return CdpCallError(method, -32000, "no such thing")

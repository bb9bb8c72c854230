"""The service under test with names for valid requests: sessions, tabs, refs, snapshots, cursors, recordings."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import psutil
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.v1 import extraction_service_pb2 as extraction_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

FUZZED_SESSION_COUNT = 3

CHECK_SECONDS = 30.0
"""Limit for a session, a page and a snapshot on a machine that the fuzzing itself keeps busy."""

SELECTORS = (
    *("#name", "#date", "#file", "#check", "#list", "#many", "#area", "#save", "#link", "#later", "#edit", "#canvas"),
    *("#far", "#odd", "iframe >>> #inner", "#host >>> #shut", "button", "input", "h1", "body", "#none", "iframe"),
)
EVALUATED_SCRIPTS = (
    *("1 + 1", "() => document.title", "element => element.tagName", "throw 1", "(", "undefined", "NaN", "10n ** 400n"),
    *("new Promise(() => {})", "Promise.reject(new Error('no'))", "while (true) {}", "'\\ud800'", "document.body"),
    *("(() => { const a = []; a.push(a); return a })()", "Array(1e5).fill('x').join('y')", "Symbol('x')", "alert(1)"),
)
PRESSED_KEYS = (
    *("Enter", "Tab", "a", "Control+A", "Escape", "é", "ArrowDown", "F5", "Shift+Tab"),
    *("Control+C", "Control+V", "Control+X"),
)


@dataclass(slots=True)
class KnownValues:
    """The valid names of one session."""

    page: AsyncPage
    tabs: list[str] = field(default_factory=list)
    refs: list[str] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    snapshots: list[str] = field(default_factory=list)
    cursors: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)


class FuzzedSessions:
    """Sessions on the fuzzed page; they are replaced from time to time."""

    def __init__(self, client: AsyncClient, origin: str) -> None:
        self.client = client
        self.origin = origin
        self.known: list[KnownValues] = []
        self.recordings: list[str] = []
        self.subroutines: list[str] = []

    async def renew(self) -> None:
        """Closes all sessions, and opens new ones."""
        await self.close()
        self.known = [await self._open() for _ in range(FUZZED_SESSION_COUNT)]

    async def close(self) -> None:
        """Closes all sessions."""
        listed = await self.client.call(self.client.sessions.ListSessions, session_pb.ListSessionsRequest())
        for session in listed.sessions:
            await self.close_one(session.session_id)

    async def close_one(self, session_id: str) -> None:
        """Closes one session, also one that is gone."""
        try:
            request = session_pb.CloseSessionRequest(session_id=session_id)
            await self.client.call(self.client.sessions.CloseSession, request, CHECK_SECONDS)
        except RemoteError as exc:
            if exc.code.name != "NOT_FOUND" and exc.reason != "SESSION_LOST":
                raise

    async def _open(self) -> KnownValues:
        page = await self.client.open(f"{self.origin}/", allow_evaluate=True, record_network=True)
        known = KnownValues(page)
        seen = await page.snapshot(mode="text", scope="page")
        known.refs = [each.ref for each in seen.elements if each.ref]
        known.nodes = [each.backend_node_id for each in seen.elements if each.HasField("backend_node_id")]
        part = await page.snapshot(mode="text", scope="page", max_tokens=60)
        known.snapshots = [seen.snapshot_id, part.snapshot_id]
        read = await page.content(max_tokens=70)
        known.cursors = [each for each in (part.next_cursor, read.next_cursor) if each]
        request = extraction_pb.ExtractInteractablesRequest(session_id=page.session_id, page_size=3)
        known.tokens = [(await self.client.call(self.client.extraction.ExtractInteractables, request)).next_page_token]
        known.tabs = [seen.tab_id, ""]
        return known

    async def check(self) -> str:
        """Whether a new session works as the first did; what is wrong if it does not."""
        try:
            page = await self.client.open(f"{self.origin}/")
            try:
                seen = await page.snapshot(mode="text")
            finally:
                await page.close()
        except (RemoteError, TimeoutError) as exc:
            return f"a fresh session fails: {exc}"
        return "" if any(each.name == "Save" for each in seen.elements) else "a fresh snapshot lacks the page's button"

    def hint(self, random: Random) -> Any:
        """Values for one request, all of them about the same session."""
        known = random.choice(self.known)
        pools: dict[str, tuple[Any, ...]] = {
            "session_id": (known.page.session_id,),
            "tab_id": tuple(known.tabs),
            "ref": tuple(known.refs),
            "backend_node_id": tuple(known.nodes),
            "selector": SELECTORS,
            "scope_selector": ("", "", *SELECTORS),
            "snapshot_id": ("", *known.snapshots),
            "since_snapshot_id": ("", *known.snapshots),
            "cursor": ("", "", *known.cursors),
            "page_token": ("", "", *known.tokens),
            "url": (f"{self.origin}/other", f"{self.origin}/", "about:blank", f"{self.origin}/file"),
            "key": PRESSED_KEYS,
            "expression": EVALUATED_SCRIPTS,
            "mode": (1, 1, 1, 1, 2, 3),
            "max_tokens": (0, 44, 60, 200, 2000),
            "page_size": (0, 1, 500),
            "limit": (0, 1, 10),
            "click_count": (0, 1, 2, 3),
            "quality": (0, 1, 80, 100),
            "width": (400, 1280),
            "height": (300, 800),
            "device_scale_factor": (0.0, 1.0, 2.0),
            "x": (5.0, 50.0, 300.0, 1279.0),
            "y": (5.0, 50.0, 300.0, 799.0),
            "delta_x": (0.0, 10.0, -100.0),
            "delta_y": (0.0, 100.0, -1000.0),
            "name": ("", "Save", "name"),
            "role": ("", "button", "link", "textbox"),
            "since_request_id": ("", "r1", "r2"),
            "since_message_id": ("", "c1"),
            "url_pattern": ("", "*", "/other", "*/o*er"),
            "status": (0, 200, 404),
            "min_status": (0, 200),
            "max_status": (0, 404),
            "max_body_bytes": (0, 100, 4 * 2**20),
            "query": ("", "the Save button", "second button", "button right of Save", "Name field"),
            "locale": ("", "de-DE", "ja-JP"),
            "timezone": ("", "Europe/Berlin", "Asia/Tokyo"),
            "download_id": ("", "d1", "d2"),
            "offset": (0, 1, 2),
            "size_bytes": (0, 1, 1000),
            "sha256": ("", "", "00"),
            "recording_id": tuple(self.recordings) or ("r0",),
            "subroutine_id": tuple(self.subroutines) or ("s0",),
            "device": ("", "", "iPhone 15", "Desktop Chrome", "Galaxy Tab S4 landscape"),
            "cdp_endpoint": ("",),
            "request_id": ("", "", "same", "r1", str(random.random())),
        }
        lists = {"detectors": ([], ["controls"]), "roles": ([], ["button"]), "options": (["One"], ["A", "B"], ["Gone"])}
        lists["recording_ids"] = ([*self.recordings[-1:]],)
        lists["paths"] = ([],)
        lists["upload_ids"] = ([], ["u1"], ["u2"])

        def hint(field: FieldDescriptor, random: Random) -> Any:
            if random.random() < 0.1 and field.name != "session_id":
                return None
            if field.is_repeated:
                return random.choice(lists[field.name]) if field.name in lists else None
            if field.message_type is not None:
                if field.message_type.full_name == Duration.DESCRIPTOR.full_name:
                    return Duration(nanos=random.choice((0, 1, 50_000_000, 300_000_000)))
                return self._target(hint, random) if field.message_type is pb.Target.DESCRIPTOR else None
            return random.choice(pools[field.name]) if field.name in pools else None

        return hint

    def _target(self, hint: Any, random: Random) -> pb.Target:
        target = pb.Target()
        fields: Any = pb.Target.DESCRIPTOR.fields
        choice = random.choice(list(fields))
        if choice.name == "coordinate":
            target.coordinate.x, target.coordinate.y = random.choice((5.0, 300.0)), random.choice((50.0, 799.0))
        elif choice.name == "named":
            target.named.role, target.named.name = random.choice(("", "button")), random.choice(("", "Save", "Name"))
        else:
            setattr(target, choice.name, hint(choice, random) or ("e1" if choice.name != "backend_node_id" else 1))
        return target

    def learn(self, reply: Message) -> None:
        """Stores names for later requests."""
        if recording := getattr(reply, "recording_id", ""):
            self.recordings = [*self.recordings[-5:], recording]
        subroutine = getattr(reply, "subroutine", None)
        if subroutine is not None and subroutine.subroutine_id:
            self.subroutines = [*self.subroutines[-5:], subroutine.subroutine_id]


def error_lines(log: Path) -> list[str]:
    """Lines of a service's log that report an error."""
    found = []
    for line in log.read_text("utf-8", "replace").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            found.append(line)  # nothing of ours writes anything else
            continue
        if isinstance(entry, dict) and entry.get("level") in ("error", "critical"):
            found.append(line)
    return found


def resident_mib(pid: int) -> float:
    return float(psutil.Process(pid).memory_info().rss) / 2**20

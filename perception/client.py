"""The Python client, in a blocking and an asyncio form.

    with perception.connect() as client, client.open("https://example.org") as page:
        print(page.snapshot().text)
        page.click("e3")

Given no address, `connect` starts a service of its own on a private socket and ends it again. The generated stubs
are there for all that has no method here: `client.sessions`, `.perception`, `.detection`, `.actions`, `.extraction`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import grpc
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from opentelemetry import trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from perception.access import open_async_channel, open_channel, prepare_access
from perception.child import ChildError, ServiceChild
from perception.requests import (
    TargetLike,
    action_request,
    content_request,
    evaluate_request,
    files_of,
    find_request,
    interactables_request,
    next_page_request,
    screenshot_request,
    snapshot_request,
    value_of,
    watch_request,
)
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import extraction_service_pb2 as extraction_pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb
from perception.v1.action_service_pb2_grpc import ActionServiceStub
from perception.v1.detection_service_pb2_grpc import DetectionServiceStub
from perception.v1.extraction_service_pb2_grpc import ExtractionServiceStub
from perception.v1.perception_service_pb2_grpc import PerceptionServiceStub
from perception.v1.session_service_pb2_grpc import SessionServiceStub

MAX_MESSAGE_BYTES = 16 * 2**20
"""As the service's own limit."""

CHANNEL_OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.enable_http_proxy", 0),  # a proxy set for the web has no business on loopback
)


_propagator = TraceContextTextMapPropagator()


class RemoteError(Exception):
    """A call that the service refused.

    Attributes:
        code: gRPC status code.
        reason: ErrorInfo reason, such as `STALE_REF`; empty when the answer was not the service's own.
        metadata: ErrorInfo details.
    """

    def __init__(self, code: grpc.StatusCode, message: str, reason: str, metadata: dict[str, str]) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.metadata = metadata

    @classmethod
    def of(cls, error: grpc.RpcError | grpc.aio.AioRpcError) -> RemoteError:
        """The service's own words out of a gRPC error."""
        call: Any = error
        for key, value in call.trailing_metadata() or ():
            if key != "grpc-status-details-bin":
                continue
            status = status_pb2.Status.FromString(value)
            for detail in status.details:
                info = error_details_pb2.ErrorInfo()
                if detail.Unpack(info):
                    return cls(call.code(), status.message, info.reason, dict(info.metadata))
        return cls(call.code(), call.details() or "", "", {})


def _trace() -> tuple[tuple[str, str], ...] | None:
    """Metadata by which a call continues its caller's trace, where the caller has one by OpenTelemetry."""
    if not trace.get_current_span().get_span_context().is_valid:
        return None
    carrier: dict[str, str] = {}
    _propagator.inject(carrier)
    return tuple(carrier.items())


def connect(
    address: str | None = None, *, allow_hosts: Sequence[str] = (), timeout_s: float = 60.0, **access: Any
) -> Client:
    """A client of the service at an address (`HOST:PORT` or `unix:PATH`), or of one started for it.

    Args:
        allow_hosts: private hosts that a service started here may open pages of.
        timeout_s: deadline of each call that sets none.
        access: as of `perception.access.prepare_access`: `token` or `token_file`; `root_certificates`,
            `client_certificate` and `client_key` (PEM files); `tls`, on by itself for other machines. A service started
            here needs none of it.

    Raises:
        RemoteError: nothing answers there.
        BadInputError: a file cannot be read, or a token would go out in the clear.
    """
    shown = prepare_access(address or "unix:", **(access if address else {}))
    child = None if address else _start_child(allow_hosts)
    where = child.address if child else str(address)
    client = Client(open_channel(where, shown, CHANNEL_OPTIONS), child, timeout_s)
    try:
        client.is_serving()
    except RemoteError as exc:
        client.close()
        raise (_no_answer(where) if exc.code in _NO_ANSWER else exc) from exc
    return client


async def aconnect(
    address: str | None = None, *, allow_hosts: Sequence[str] = (), timeout_s: float = 60.0, **access: Any
) -> AsyncClient:
    """As `connect`, for asyncio."""
    shown = prepare_access(address or "unix:", **(access if address else {}))
    child = None if address else await asyncio.to_thread(_start_child, allow_hosts)
    where = child.address if child else str(address)
    client = AsyncClient(open_async_channel(where, shown, CHANNEL_OPTIONS), child, timeout_s)
    try:
        await client.is_serving()
    except RemoteError as exc:
        await client.close()
        raise (_no_answer(where) if exc.code in _NO_ANSWER else exc) from exc
    return client


class Client:
    """A blocking client. A context manager; `close` ends the service if it was started for this client."""

    def __init__(self, channel: grpc.Channel, child: ServiceChild | None, timeout_s: float) -> None:
        self.channel = channel
        self._child = child
        self.timeout_s = timeout_s
        self.sessions = SessionServiceStub(channel)
        self.perception = PerceptionServiceStub(channel)
        self.detection = DetectionServiceStub(channel)
        self.actions = ActionServiceStub(channel)
        self.extraction = ExtractionServiceStub(channel)

    def open(self, url: str = "", **options: Any) -> Page:
        """A new session, at a URL if one is given. `options` are fields of SessionOptions."""
        request = session_pb.CreateSessionRequest(url=url, options=session_pb.SessionOptions(**options))
        reply = self.call(self.sessions.CreateSession, request)
        return Page(self, reply.session.session_id)

    def call(self, method: Any, request: Any, timeout_s: float | None = None) -> Any:
        """Calls a stub's method under a deadline, the client's where none is given. Raises RemoteError."""
        try:
            return method(request, timeout=self.timeout_s if timeout_s is None else timeout_s, metadata=_trace())
        except grpc.RpcError as exc:
            raise RemoteError.of(exc) from exc

    def is_serving(self, service: str = "") -> bool:
        """What the service's own health check says: of all of it, or of one service by its full name."""
        request = health_pb2.HealthCheckRequest(service=service)
        reply = self.call(health_pb2_grpc.HealthStub(self.channel).Check, request)
        return bool(reply.status == health_pb2.HealthCheckResponse.SERVING)

    def close(self) -> None:
        self.channel.close()
        if self._child:
            self._child.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Page:
    """A session as a program uses it. A context manager that closes the session."""

    def __init__(self, client: Client, session_id: str) -> None:
        self._client = client
        self.session_id = session_id

    def navigate(self, url: str) -> session_pb.NavigationResult:
        request = session_pb.NavigateRequest(session_id=self.session_id, url=url)
        return self._go(self._client.sessions.Navigate, request)

    def back(self) -> session_pb.NavigationResult:
        """Raises RemoteError with NO_HISTORY where there is nothing to go back to; as `forward`."""
        return self._go(self._client.sessions.GoBack, session_pb.GoBackRequest(session_id=self.session_id))

    def forward(self) -> session_pb.NavigationResult:
        return self._go(self._client.sessions.GoForward, session_pb.GoForwardRequest(session_id=self.session_id))

    def reload(self, *, ignore_cache: bool = False) -> session_pb.NavigationResult:
        request = session_pb.ReloadRequest(session_id=self.session_id, ignore_cache=ignore_cache)
        return self._go(self._client.sessions.Reload, request)

    def _go(self, method: Any, request: Any) -> session_pb.NavigationResult:
        result: session_pb.NavigationResult = self._client.call(method, request).result
        return result

    def tabs(self) -> list[pb.Tab]:
        """All tabs of the session; calls without a `tab_id` go to the selected one."""
        request = session_pb.ListTabsRequest(session_id=self.session_id)
        return list(self._client.call(self._client.sessions.ListTabs, request).tabs)

    def select_tab(self, tab_id: str) -> pb.Tab:
        request = session_pb.SelectTabRequest(session_id=self.session_id, tab_id=tab_id)
        tab: pb.Tab = self._client.call(self._client.sessions.SelectTab, request).tab
        return tab

    def close_tab(self, tab_id: str = "") -> list[pb.Tab]:
        """The tabs that are left; the selected one is closed when none is named."""
        request = session_pb.CloseTabRequest(session_id=self.session_id, tab_id=tab_id)
        return list(self._client.call(self._client.sessions.CloseTab, request).tabs)

    def snapshot(self, *, since: str | pb.Snapshot = "", **options: Any) -> pb.Snapshot:
        """What is on the page.

        Args:
            since: an earlier snapshot, or its id: adds `diff`, what changed since then.
            options: fields of SnapshotOptions. Enums go by short names (`view="digest"`, `style="compact"`), `root` by
                a ref, selector or coordinate, `settle_timeout` by seconds. `tab_id` for another tab than the selected.
        """
        request = snapshot_request(self.session_id, since, options)
        snapshot: pb.Snapshot = self._client.call(self._client.perception.CaptureSnapshot, request).snapshot
        return snapshot

    def next_page(self, snapshot: pb.Snapshot) -> pb.Snapshot:
        """What did not fit into a snapshot: `while snapshot.next_cursor: snapshot = page.next_page(snapshot)`."""
        request = next_page_request(self.session_id, snapshot)
        reply: pb.Snapshot = self._client.call(self._client.perception.CaptureSnapshot, request).snapshot
        return reply

    def screenshot(
        self, *, full_page: bool = False, jpeg_quality: int = 0, annotated: bool = False, **options: Any
    ) -> bytes:
        """An image file: a PNG, or a JPEG of that quality (1 to 100).

        Args:
            full_page: the whole document.
            annotated: with the boxes and refs of a snapshot with these options drawn on it.
            options: `tab_id`, `reveal_sensitive`, and with `annotated` all of `snapshot`.
        """
        request = screenshot_request(
            self.session_id, full_page=full_page, jpeg_quality=jpeg_quality, annotated=annotated, options=options
        )
        data: bytes = self._client.call(self._client.perception.CaptureScreenshot, request).image.data
        return data

    def watch(
        self, *, min_interval: float | None = None, timeout_s: float | None = None, **options: Any
    ) -> Iterator[pb.Snapshot]:
        """A snapshot, then one with a `diff` for each change, until the tab is closed or the iterator is.

        Args:
            min_interval: seconds between two at least; the service's default when None.
            timeout_s: seconds for all of it; none when None.
            options: as of `snapshot`.
        """
        request = watch_request(self.session_id, min_interval, options)
        stream = self._client.perception.WatchSnapshots(request, timeout=timeout_s, metadata=_trace())
        try:
            for reply in stream:
                yield reply.snapshot
        except grpc.RpcError as exc:
            raise RemoteError.of(exc) from exc
        finally:
            stream.cancel()

    def find(
        self,
        query: str = "",
        *,
        role: str = "",
        name: str = "",
        text: str = "",
        at: tuple[float, float] | None = None,
        limit: int = 0,
        **options: Any,
    ) -> list[perception_pb.ElementMatch]:
        """What fits a description, best first: `page.find("the Save button next to Title")[0].element.ref`."""
        asked = {"role": role, "name": name, "text": text, "limit": limit}
        request = find_request(self.session_id, query, asked, at, options)
        return list(self._client.call(self._client.perception.FindElements, request).matches)

    def interactables(
        self, scope: str = "", *, hidden: bool = False, roles: Sequence[str] = (), **fields: Any
    ) -> list[extraction_pb.Interactable]:
        """What can be acted on, each with a selector that survives a reload: `page.click(found.selector)`.

        Args:
            scope: a selector; only what lies in its element.
            hidden: also what nobody sees now.
            roles: only these.
            fields: those of ExtractInteractablesRequest, `settle_timeout` by seconds.
        """
        request = interactables_request(self.session_id, scope, hidden, roles, fields)
        found: list[extraction_pb.Interactable] = []
        while True:
            reply = self._client.call(self._client.extraction.ExtractInteractables, request)
            found += reply.interactables
            if not reply.next_page_token:
                return found
            request.page_token = reply.next_page_token

    def content(
        self, scope: str = "", *, main: bool = False, form_values: bool = False, **fields: Any
    ) -> extraction_pb.ExtractContentResponse:
        """What a person reads, as markdown.

        Args:
            scope: a selector; only what lies in its element.
            main: only the main content.
            form_values: also what fields hold.
            fields: those of ExtractContentRequest: `max_tokens`, `cursor`, `settle_timeout` by seconds.
        """
        request = content_request(self.session_id, scope, main, form_values, fields)
        reply: extraction_pb.ExtractContentResponse = self._client.call(self._client.extraction.ExtractContent, request)
        return reply

    def click(self, target: TargetLike, **fields: Any) -> action_pb.ActionResult:
        """Clicks. `fields` are those of ClickRequest: `button="right"`, `click_count=2`, `modifiers=["shift"]`; of any
        action also `timeout_s`, `settle_timeout` (seconds), `skip_diff`, `request_id` and `tab_id`."""
        return self._act("Click", target=target, **fields)

    def check(self, target: TargetLike, checked: bool = True, **fields: Any) -> action_pb.ActionResult:
        """Makes a checkbox, radio button or switch checked, or not."""
        return self._act("Click", target=target, checked=checked, **fields)

    def hover(self, target: TargetLike, **fields: Any) -> action_pb.ActionResult:
        return self._act("Hover", target=target, **fields)

    def drag(self, start: TargetLike, end: TargetLike, **fields: Any) -> action_pb.ActionResult:
        return self._act("Drag", **({"from": start, "to": end} | fields))

    def type_text(
        self, target: TargetLike | None, text: str = "", *, clear: bool = False, submit: bool = False, **fields: Any
    ) -> action_pb.ActionResult:
        """Types into a field, or where the focus is when the target is None; `secret="name"` in place of a text."""
        return self._act("TypeText", target=target, text=text, clear=clear, submit=submit, **fields)

    def press(self, key: str, target: TargetLike | None = None, **fields: Any) -> action_pb.ActionResult:
        return self._act("PressKey", key=key, target=target, **fields)

    def select(self, target: TargetLike, *options: str, **fields: Any) -> action_pb.ActionResult:
        """Selects options of a list by label or value."""
        return self._act("SelectOption", target=target, options=options, **fields)

    def scroll(
        self, delta_y: float = 0, delta_x: float = 0, target: TargetLike | None = None, **fields: Any
    ) -> action_pb.ActionResult:
        """Turns the wheel, or brings the target into view where there is no delta."""
        return self._act("Scroll", delta_x=delta_x, delta_y=delta_y, target=target, **fields)

    def upload(
        self, target: TargetLike, *paths: str, contents: Mapping[str, bytes] | None = None, **fields: Any
    ) -> action_pb.ActionResult:
        """Gives files to a file field: of the service's upload directory, or by name and content."""
        return self._act("UploadFiles", target=target, paths=paths, files=files_of(contents or {}), **fields)

    def wait_for(self, **condition: Any) -> action_pb.ActionResult:
        """Waits for `element`, `vanished` (targets), `text`, `url` (a glob) or `settled=True`."""
        return self._act("WaitFor", **condition)

    def evaluate(
        self, expression: str, target: TargetLike | None = None, *, timeout_s: float | None = None, **fields: Any
    ) -> Any:
        """Runs a script, in a session with `allow_evaluate`, and returns its value. A promise is waited for.

        Raises:
            ScriptError: it threw.
        """
        request = evaluate_request(self.session_id, expression, target, fields)
        return value_of(self._client.call(self._client.actions.Evaluate, request, timeout_s))

    def handle_dialog(self, accept: bool = True, prompt_text: str = "", dialog_id: str = "") -> pb.Dialog:
        """Answers an open dialog."""
        request = session_pb.HandleDialogRequest(
            session_id=self.session_id, dialog_id=dialog_id, accept=accept, prompt_text=prompt_text
        )
        dialog: pb.Dialog = self._client.call(self._client.sessions.HandleDialog, request).dialog
        return dialog

    def _act(self, name: str, *, timeout_s: float | None = None, **fields: Any) -> action_pb.ActionResult:
        request = action_request(name, self.session_id, fields)
        return _result(self._client.call(getattr(self._client.actions, name), request, timeout_s))

    def close(self) -> None:
        self._client.call(
            self._client.sessions.CloseSession, session_pb.CloseSessionRequest(session_id=self.session_id)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient:
    """As `Client`, for asyncio."""

    def __init__(self, channel: grpc.aio.Channel, child: ServiceChild | None, timeout_s: float) -> None:
        self.channel = channel
        self._child = child
        self.timeout_s = timeout_s
        self.sessions = SessionServiceStub(channel)
        self.perception = PerceptionServiceStub(channel)
        self.detection = DetectionServiceStub(channel)
        self.actions = ActionServiceStub(channel)
        self.extraction = ExtractionServiceStub(channel)

    async def open(self, url: str = "", **options: Any) -> AsyncPage:
        request = session_pb.CreateSessionRequest(url=url, options=session_pb.SessionOptions(**options))
        reply = await self.call(self.sessions.CreateSession, request)
        return AsyncPage(self, reply.session.session_id)

    async def call(self, method: Any, request: Any, timeout_s: float | None = None) -> Any:
        try:
            return await method(request, timeout=self.timeout_s if timeout_s is None else timeout_s, metadata=_trace())
        except grpc.aio.AioRpcError as exc:
            raise RemoteError.of(exc) from exc

    async def is_serving(self, service: str = "") -> bool:
        request = health_pb2.HealthCheckRequest(service=service)
        reply = await self.call(health_pb2_grpc.HealthStub(self.channel).Check, request)
        return bool(reply.status == health_pb2.HealthCheckResponse.SERVING)

    async def close(self) -> None:
        await self.channel.close()
        if self._child:
            await asyncio.to_thread(self._child.stop)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncPage:
    """As `Page`, for asyncio."""

    def __init__(self, client: AsyncClient, session_id: str) -> None:
        self._client = client
        self.session_id = session_id

    async def navigate(self, url: str) -> session_pb.NavigationResult:
        request = session_pb.NavigateRequest(session_id=self.session_id, url=url)
        return await self._go(self._client.sessions.Navigate, request)

    async def back(self) -> session_pb.NavigationResult:
        return await self._go(self._client.sessions.GoBack, session_pb.GoBackRequest(session_id=self.session_id))

    async def forward(self) -> session_pb.NavigationResult:
        return await self._go(self._client.sessions.GoForward, session_pb.GoForwardRequest(session_id=self.session_id))

    async def reload(self, *, ignore_cache: bool = False) -> session_pb.NavigationResult:
        request = session_pb.ReloadRequest(session_id=self.session_id, ignore_cache=ignore_cache)
        return await self._go(self._client.sessions.Reload, request)

    async def _go(self, method: Any, request: Any) -> session_pb.NavigationResult:
        result: session_pb.NavigationResult = (await self._client.call(method, request)).result
        return result

    async def tabs(self) -> list[pb.Tab]:
        request = session_pb.ListTabsRequest(session_id=self.session_id)
        return list((await self._client.call(self._client.sessions.ListTabs, request)).tabs)

    async def select_tab(self, tab_id: str) -> pb.Tab:
        request = session_pb.SelectTabRequest(session_id=self.session_id, tab_id=tab_id)
        tab: pb.Tab = (await self._client.call(self._client.sessions.SelectTab, request)).tab
        return tab

    async def close_tab(self, tab_id: str = "") -> list[pb.Tab]:
        request = session_pb.CloseTabRequest(session_id=self.session_id, tab_id=tab_id)
        return list((await self._client.call(self._client.sessions.CloseTab, request)).tabs)

    async def snapshot(self, *, since: str | pb.Snapshot = "", **options: Any) -> pb.Snapshot:
        request = snapshot_request(self.session_id, since, options)
        snapshot: pb.Snapshot = (await self._client.call(self._client.perception.CaptureSnapshot, request)).snapshot
        return snapshot

    async def next_page(self, snapshot: pb.Snapshot) -> pb.Snapshot:
        request = next_page_request(self.session_id, snapshot)
        reply: pb.Snapshot = (await self._client.call(self._client.perception.CaptureSnapshot, request)).snapshot
        return reply

    async def screenshot(
        self, *, full_page: bool = False, jpeg_quality: int = 0, annotated: bool = False, **options: Any
    ) -> bytes:
        request = screenshot_request(
            self.session_id, full_page=full_page, jpeg_quality=jpeg_quality, annotated=annotated, options=options
        )
        data: bytes = (await self._client.call(self._client.perception.CaptureScreenshot, request)).image.data
        return data

    async def watch(
        self, *, min_interval: float | None = None, timeout_s: float | None = None, **options: Any
    ) -> AsyncGenerator[pb.Snapshot, None]:
        request = watch_request(self.session_id, min_interval, options)
        stream = self._client.perception.WatchSnapshots(request, timeout=timeout_s, metadata=_trace())
        try:
            async for reply in stream:
                yield reply.snapshot
        except grpc.aio.AioRpcError as exc:
            raise RemoteError.of(exc) from exc
        finally:
            stream.cancel()

    async def find(
        self,
        query: str = "",
        *,
        role: str = "",
        name: str = "",
        text: str = "",
        at: tuple[float, float] | None = None,
        limit: int = 0,
        **options: Any,
    ) -> list[perception_pb.ElementMatch]:
        asked = {"role": role, "name": name, "text": text, "limit": limit}
        request = find_request(self.session_id, query, asked, at, options)
        return list((await self._client.call(self._client.perception.FindElements, request)).matches)

    async def interactables(
        self, scope: str = "", *, hidden: bool = False, roles: Sequence[str] = (), **fields: Any
    ) -> list[extraction_pb.Interactable]:
        request = interactables_request(self.session_id, scope, hidden, roles, fields)
        found: list[extraction_pb.Interactable] = []
        while True:
            reply = await self._client.call(self._client.extraction.ExtractInteractables, request)
            found += reply.interactables
            if not reply.next_page_token:
                return found
            request.page_token = reply.next_page_token

    async def content(
        self, scope: str = "", *, main: bool = False, form_values: bool = False, **fields: Any
    ) -> extraction_pb.ExtractContentResponse:
        request = content_request(self.session_id, scope, main, form_values, fields)
        method = self._client.extraction.ExtractContent
        reply: extraction_pb.ExtractContentResponse = await self._client.call(method, request)
        return reply

    async def click(self, target: TargetLike, **fields: Any) -> action_pb.ActionResult:
        return await self._act("Click", target=target, **fields)

    async def check(self, target: TargetLike, checked: bool = True, **fields: Any) -> action_pb.ActionResult:
        return await self._act("Click", target=target, checked=checked, **fields)

    async def hover(self, target: TargetLike, **fields: Any) -> action_pb.ActionResult:
        return await self._act("Hover", target=target, **fields)

    async def drag(self, start: TargetLike, end: TargetLike, **fields: Any) -> action_pb.ActionResult:
        return await self._act("Drag", **({"from": start, "to": end} | fields))

    async def type_text(
        self, target: TargetLike | None, text: str = "", *, clear: bool = False, submit: bool = False, **fields: Any
    ) -> action_pb.ActionResult:
        return await self._act("TypeText", target=target, text=text, clear=clear, submit=submit, **fields)

    async def press(self, key: str, target: TargetLike | None = None, **fields: Any) -> action_pb.ActionResult:
        return await self._act("PressKey", key=key, target=target, **fields)

    async def select(self, target: TargetLike, *options: str, **fields: Any) -> action_pb.ActionResult:
        return await self._act("SelectOption", target=target, options=options, **fields)

    async def scroll(
        self, delta_y: float = 0, delta_x: float = 0, target: TargetLike | None = None, **fields: Any
    ) -> action_pb.ActionResult:
        return await self._act("Scroll", delta_x=delta_x, delta_y=delta_y, target=target, **fields)

    async def upload(
        self, target: TargetLike, *paths: str, contents: Mapping[str, bytes] | None = None, **fields: Any
    ) -> action_pb.ActionResult:
        return await self._act("UploadFiles", target=target, paths=paths, files=files_of(contents or {}), **fields)

    async def wait_for(self, **condition: Any) -> action_pb.ActionResult:
        return await self._act("WaitFor", **condition)

    async def evaluate(
        self, expression: str, target: TargetLike | None = None, *, timeout_s: float | None = None, **fields: Any
    ) -> Any:
        request = evaluate_request(self.session_id, expression, target, fields)
        return value_of(await self._client.call(self._client.actions.Evaluate, request, timeout_s))

    async def handle_dialog(self, accept: bool = True, prompt_text: str = "", dialog_id: str = "") -> pb.Dialog:
        request = session_pb.HandleDialogRequest(
            session_id=self.session_id, dialog_id=dialog_id, accept=accept, prompt_text=prompt_text
        )
        dialog: pb.Dialog = (await self._client.call(self._client.sessions.HandleDialog, request)).dialog
        return dialog

    async def _act(self, name: str, *, timeout_s: float | None = None, **fields: Any) -> action_pb.ActionResult:
        request = action_request(name, self.session_id, fields)
        return _result(await self._client.call(getattr(self._client.actions, name), request, timeout_s))

    async def close(self) -> None:
        request = session_pb.CloseSessionRequest(session_id=self.session_id)
        await self._client.call(self._client.sessions.CloseSession, request)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _start_child(allow_hosts: Sequence[str]) -> ServiceChild:
    try:
        return ServiceChild.start(allow_hosts)
    except ChildError as exc:
        raise RemoteError(grpc.StatusCode.UNAVAILABLE, str(exc), "", {}) from exc


def _result(reply: Any) -> action_pb.ActionResult:
    result: action_pb.ActionResult = reply.result
    return result


_NO_ANSWER = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNIMPLEMENTED)


def _no_answer(address: str) -> RemoteError:
    message = f"no service answers at {address}: check the address, or start one with `perception serve`"
    return RemoteError(grpc.StatusCode.UNAVAILABLE, message, "", {})

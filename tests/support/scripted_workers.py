"""Edges and workers in this process. Scripted workers answer without a browser: what is tested is what lies between."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import grpc

from perception.server.auth.authenticator import Authenticator
from perception.server.interceptor import ErrorInterceptor
from perception.server.placement.edge import Edge
from perception.server.placement.local import LocalPlacement, Slot
from perception.server.placement.worker import Worker
from perception.server.process import SERVER_OPTIONS
from perception.server.rpc_call import current
from perception.server.settings import Settings
from perception.v1 import session_service_pb2 as pb

CREATE = "/perception.v1.SessionService/CreateSession"
GET = "/perception.v1.SessionService/GetSession"
LIST = "/perception.v1.SessionService/ListSessions"
CLOSE = "/perception.v1.SessionService/CloseSession"

Behavior = Callable[[Any, Any], Any]


def write_keys(path: Path, *secrets: bytes) -> Path:
    path.write_text("".join(base64.b64encode(each).decode() + "\n" for each in secrets))
    path.chmod(0o600)
    return path


class ScriptedWorker(grpc.GenericRpcHandler):
    """A worker whose sessions are only ids.

    Args:
        address: `unix:PATH`.
        handlers: answers other rpcs, by path; a handler takes and gives bytes.

    Attributes:
        opened: requests of its sessions by id, with their principals.
        created: how many sessions it was asked for.
        asked: how often it was asked for the session of a request.
        metadata: of all calls.
        refusal: what it refuses sessions with.
    """

    def __init__(
        self,
        address: str,
        keys: Path,
        *,
        slots: int = 2,
        name: str = "",
        grace_s: float = 30.0,
        handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] | None = None,
        cluster: Path | None = None,
    ) -> None:
        shared: dict[str, Any] = {"cluster": cluster} if cluster else {"session_keys": keys}
        settings = Settings(address=address, worker=True, worker_name=name, max_sessions=slots, **shared)
        self.placement = LocalPlacement.of(settings)
        self.memory_share = 0.0
        self.by_request: dict[tuple[str, str], str] = {}
        self.opened: dict[str, tuple[Slot, str]] = {}
        self.created = 0
        self.asked = 0
        self.metadata: list[dict[str, Any]] = []
        self.opening = asyncio.Event()
        self.may_open = asyncio.Event()
        self.may_open.set()
        self.refusal: BaseException | None = None
        self._handlers = handlers or {}
        self._locks: dict[tuple[str, str], asyncio.Lock] = defaultdict(asyncio.Lock)
        self.worker = Worker(
            self.placement,
            lambda: (self.memory_share, None),
            self._has_request,
            grace_s,
            lambda: self.by_request,
        )
        authenticator = Authenticator(settings)
        interceptor = ErrorInterceptor((authenticator.gate,), notice=lambda: self.worker.notice)
        self._server = grpc.aio.server(interceptors=[interceptor], options=SERVER_OPTIONS)
        self._server.add_generic_rpc_handlers((self.worker.handlers, self))
        port = authenticator.open(self._server)
        self.address = address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"
        self.placement.take_address(self.address, port)

    async def start(self) -> None:
        await self._server.start()

    async def kill(self) -> None:
        """Ends it in the middle of everything."""
        await self._server.stop(0)

    def kill_soon(self) -> None:
        """As `kill`, for one of its own calls."""
        self._killing = asyncio.create_task(self.kill())

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        own: dict[str, Behavior] = {CREATE: self._create, GET: self._get, LIST: self._list, CLOSE: self._close}
        path = handler_call_details.method
        self.metadata.append(dict(handler_call_details.invocation_metadata))
        if path in self._handlers:
            return self._handlers[path]
        return grpc.unary_unary_rpc_method_handler(own[path]) if path in own else None

    def _has_request(self, principal: str, request_id: str) -> bool:
        self.asked += 1
        return (principal, request_id) in self.by_request

    async def create(self, data: bytes) -> bytes:
        """As it answers CreateSession, for handlers of a test."""
        return await self._create(data, None)

    async def _create(self, data: bytes, _: Any) -> bytes:
        request = pb.CreateSessionRequest.FromString(data)
        principal = _principal()
        self.created += 1
        if self.refusal is not None:
            raise self.refusal
        async with self._locks[principal, request.request_id] if request.request_id else contextlib.nullcontext():
            return await self._opened(request, principal)

    async def _opened(self, request: pb.CreateSessionRequest, principal: str) -> bytes:
        known = self.by_request.get((principal, request.request_id))
        if known is None:
            slot = self.placement.claim()
            try:
                self.opening.set()
                await self.may_open.wait()
            except BaseException:
                self.placement.release(slot)
                raise
            known = slot.session_id
            self.opened[known] = slot, principal
            if request.request_id:
                self.by_request[principal, request.request_id] = known
        return pb.CreateSessionResponse(session=pb.Session(session_id=known)).SerializeToString()

    async def _get(self, data: bytes, _: Any) -> bytes:
        session_id = pb.GetSessionRequest.FromString(data).session_id
        self.placement.locate(session_id)
        return pb.GetSessionResponse(session=pb.Session(session_id=session_id)).SerializeToString()

    async def _list(self, _: bytes, __: Any) -> bytes:
        mine = [each for each, (_, principal) in self.opened.items() if principal == _principal()]
        return pb.ListSessionsResponse(sessions=[pb.Session(session_id=each) for each in mine]).SerializeToString()

    async def _close(self, data: bytes, _: Any) -> bytes:
        session_id = pb.CloseSessionRequest.FromString(data).session_id
        self.placement.release(self.opened.pop(session_id)[0])
        return pb.CloseSessionResponse().SerializeToString()


def _principal() -> str:
    call = current()
    assert call is not None
    return call.principal


class Cluster:
    """Workers and edges in a folder; all of them end with the `with` block."""

    def __init__(self, folder: Path, stack: AsyncExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._number = 0
        self.keys = write_keys(folder / "session.keys", b"k" * 32)
        self.workers: list[ScriptedWorker] = []

    def address(self) -> str:
        self._number += 1
        return f"unix:{self._folder / f's{self._number}'}"

    async def worker(self, address: str = "", **options: Any) -> ScriptedWorker:
        worker = ScriptedWorker(address or self.address(), self.keys, **options)
        await worker.start()
        self._stack.push_async_callback(worker.kill)
        self.workers.append(worker)
        return worker

    async def edge(self, *addresses: str, unheard: str = "", **settings: Any) -> Edge:
        """An edge of these workers, by default of all; it has reached those that are there, except one at `unheard`."""
        wanted = addresses or tuple(each.address for each in self.workers)
        if "cluster" not in settings:
            settings["session_keys"] = self.keys
        edge = Edge(
            Settings(
                address=self.address(),
                placement=f"static={','.join(wanted)}",
                drain_s=0.5,
                **settings,
            )
        )
        await edge.start()
        self._stack.push_async_callback(edge.stop)
        await until(lambda: all(each.up or each.is_gone or each.address == unheard for each in edge.workers.links))
        return edge


@asynccontextmanager
async def cluster(folder: Path) -> AsyncIterator[Cluster]:
    async with AsyncExitStack() as stack:
        yield Cluster(folder, stack)


def address_of(edge: Edge) -> str:
    return edge._settings.address


async def until(is_true: Callable[[], bool]) -> None:
    """Waits for what must come, at most 20 s."""
    async with asyncio.timeout(20):
        while not is_true():  # noqa: ASYNC110
            await asyncio.sleep(0.005)

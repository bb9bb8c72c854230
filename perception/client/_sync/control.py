"""Control of a session: a person takes it, or an agent asks for one."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import grpc

from perception.client._sync.calls import calls_with_lease
from perception.client._sync.session import Session
from perception.client.errors import RemoteError
from perception.client.input_events import key_requests, mouse_requests, numbered
from perception.client.message_fields import message_of, timeout_of
from perception.v1 import control_service_pb2 as pb

if TYPE_CHECKING:
    from perception.client._sync.page import Page

REQUEST_SECONDS = 300.0
"""How long `request_human` waits by default."""


class Control(Session):
    """A session whose control a person can take."""

    def request_human(
        self, reason: str, *, tab_id: str = "", timeout_s: float | None = None
    ) -> pb.RequestHumanResponse:
        """Asks for a person, for example to log in, and waits until they give control back or refuse.

        Args:
            reason: what they are asked to do.
            tab_id: the tab that it is about; the selected one when empty.
            timeout_s: seconds to wait, at most 3600; 300 when None.

        Raises:
            RemoteError: NO_HUMAN when the time is over.
        """
        given = {"session_id": self.session_id, "reason": reason, "tab_id": tab_id}
        request = message_of(pb.RequestHumanRequest, given)
        timeout_s = REQUEST_SECONDS if timeout_s is None else timeout_s
        reply: pb.RequestHumanResponse = self._client.call(self._client.control.RequestHuman, request, timeout_s)
        return reply

    def refuse_human(self, note: str = "", *, timeout_s: float | None = None) -> None:
        """Answers `request_human`: nobody takes control."""
        given = {"session_id": self.session_id, "outcome": "refused", "note": note}
        request = message_of(pb.ReleaseControlRequest, given)
        self._client.call(self._client.control.ReleaseControl, request, timeout_s)

    def take_control(self, holder: str = "", *, lease_s: float = 60.0, timeout_s: float | None = None) -> HumanControl:
        """Control for a person, in a `with` block: the agent's calls wait until its end.

        Args:
            holder: a name to show; the caller's when empty.
            lease_s: seconds until control ends by itself; input renews it.
            timeout_s: seconds to wait for the agent's calls that are under way; the client's when None.
        """
        return HumanControl(self, holder, lease_s, timeout_s)

    def watch_control(self, *, timeout_s: float | None = None) -> Generator[pb.Control, None]:
        """Who has control: now, and at each change. Without a timeout it goes on until the session ends."""
        request = pb.WatchControlRequest(session_id=self.session_id)
        deadline_s = None if timeout_s is None else timeout_of(timeout_s, 0)
        stream = self._client.control.WatchControl(request, timeout=deadline_s, metadata=self._client.metadata)
        try:
            for reply in stream:
                yield reply.control
        except grpc.RpcError as exc:
            raise RemoteError.of(exc) from exc
        finally:
            stream.cancel()


class HumanControl:
    """Control that a person has, inside a `with` block.

    Attributes:
        lease_id: the secret that proves it; empty before the block.
        page: the same session; its calls are the person's and do not wait, such as `page.handle_dialog`.
    """

    page: Page

    def __init__(self, session: Control, holder: str, lease_s: float, timeout_s: float | None) -> None:
        self._session = session
        self._client = session._client
        self._holder = holder
        self._lease_s = lease_s
        self._timeout_s = timeout_s
        self._renewed_s = 0.0
        self._number = 0
        self.lease_id = ""

    def __enter__(self) -> Self:
        given = {"session_id": self._session.session_id, "lease": self._lease_s, "holder": self._holder}
        request = message_of(pb.TakeControlRequest, given)
        reply = self._client.call(self._client.control.TakeControl, request, self._timeout_s)
        self.lease_id, self._renewed_s = reply.lease_id, time.monotonic()
        kind: Any = type(self._session)
        self.page = kind(calls_with_lease(self._client, self.lease_id), self._session.session_id)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.lease_id:
            try:
                self.release("done" if kind is None else "cancelled")
            except RemoteError:
                if kind is None:
                    raise

    def release(self, outcome: str = "done", note: str = "", *, timeout_s: float | None = None) -> None:
        """Gives control back before the end of the block.

        Args:
            outcome: `done` or `cancelled`.
            note: for the agent.
            timeout_s: seconds for the call; the client's when None.
        """
        given = {
            "session_id": self._session.session_id,
            "lease_id": self.lease_id,
            "outcome": outcome,
            "note": note,
        }
        request = message_of(pb.ReleaseControlRequest, given)
        self.lease_id = ""
        self._client.call(self._client.control.ReleaseControl, request, timeout_s)

    def renew(self, *, timeout_s: float | None = None) -> pb.Control:
        """Has the lease last for `lease_s` from now on."""
        given = {"session_id": self._session.session_id, "lease_id": self.lease_id, "lease": self._lease_s}
        request = message_of(pb.RenewControlRequest, given)
        reply: pb.RenewControlResponse = self._client.call(self._client.control.RenewControl, request, timeout_s)
        self._renewed_s = time.monotonic()
        return reply.control

    def click(self, x: float, y: float, *, button: str = "left", count: int = 1, tab_id: str = "") -> None:
        """Clicks a point, CSS px of the viewport."""
        self.send(mouse_requests(x, y, button, count), tab_id=tab_id)

    def type(self, text: str, *, tab_id: str = "") -> None:
        """Types a text where the focus is, key by key."""
        self.send([each for character in text for each in key_requests(character)], tab_id=tab_id)

    def press(self, key: str, *, modifiers: Sequence[str] = (), tab_id: str = "") -> None:
        """Presses a key: KeyboardEvent.key, such as `Enter`; `modifiers` are such as `control`."""
        self.send(key_requests(key, modifiers), tab_id=tab_id)

    def paste(self, text: str, *, tab_id: str = "") -> None:
        """Pastes a text where the focus is."""
        self.send([pb.SendInputRequest(paste=pb.PasteInput(text=text))], tab_id=tab_id)

    def send(
        self, events: Sequence[pb.SendInputRequest], *, tab_id: str = "", timeout_s: float | None = None
    ) -> list[pb.SendInputResponse]:
        """Sends events, and returns their acknowledgements.

        Raises:
            RemoteError: LEASE_EXPIRED.
            ValueError: the page did not take one of the events; says why.
        """
        if time.monotonic() - self._renewed_s > self._lease_s / 2:
            self.renew()
        sent = numbered(events, self._session.session_id, self.lease_id, tab_id, self._number)
        self._number += len(sent)
        deadline_s = timeout_of(timeout_s, self._client.timeout_s)
        stream = self._client.control.SendInput(iter(sent), timeout=deadline_s, metadata=self._client.metadata)
        acknowledged: list[pb.SendInputResponse] = []
        try:
            for each in stream:
                acknowledged.append(each)
        except grpc.RpcError as exc:
            raise RemoteError.of(exc) from exc
        finally:
            stream.cancel()
        failed = next((each.error for each in acknowledged if each.error), "")
        if failed:
            raise ValueError(f"the page did not take all of the input: {failed}")
        return acknowledged

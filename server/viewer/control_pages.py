"""Taking control of a session and giving it back, over HTTP.

Rule 1: a lease stays in this process, with the login of the person who took it.
"""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from perception.client.errors import RemoteError
from perception.server.viewer.calls import CALL_SECONDS, LOOK_SECONDS, RefusedError, ServiceCalls, as_person
from perception.server.viewer.login_pages import json_body
from perception.server.viewer.logins import Login
from perception.server.viewer.plain.control import OUTCOMES, plain_control
from perception.server.viewer.session_pages import SessionPages, number_of, session_id_of, text_of
from perception.v1 import control_service_pb2 as pb
from perception.v1 import session_service_pb2 as sessions

TAKE_SECONDS = 60.0
"""For the agent's calls that are under way; the page shows which they are."""

MAX_LEASE_SECONDS = 600.0


class ControlPages:
    """Control for people who are logged in."""

    def __init__(self, pages: SessionPages, calls: ServiceCalls) -> None:
        self._pages = pages
        self._calls = calls

    async def take(self, request: Request) -> Response:
        """`{"seconds": …}`: waits for the agent's calls that are under way."""
        login, given = await self._enter(request)
        session_id = session_id_of(request)
        ask = pb.TakeControlRequest(session_id=session_id, lease=_lease(given))
        reply = await self._calls.control.TakeControl(ask, metadata=as_person(login), timeout=TAKE_SECONDS)
        login.set_lease(session_id, reply.lease_id)
        return JSONResponse(plain_control(reply.control, mine=True))

    async def renew(self, request: Request) -> Response:
        """`{"seconds": …}`, from now on."""
        login, given = await self._enter(request)
        session_id = session_id_of(request)
        control = await renew_control(self._calls, login, session_id, _lease(given))
        if control is None:
            raise RefusedError(409, "LEASE_EXPIRED", "your control has ended: take over again")
        return JSONResponse(plain_control(control, mine=True))

    async def release(self, request: Request) -> Response:
        """`{"outcome": "done" | "cancelled" | "refused", "note": …}`."""
        login, given = await self._enter(request)
        session_id, name = session_id_of(request), text_of(given, "outcome")
        if name not in OUTCOMES:
            raise RefusedError(400, "INVALID_ARGUMENT", f"outcome is one of {', '.join(OUTCOMES)}")
        lease_id = "" if name == "refused" else login.leases.get(session_id, "")
        if name != "refused" and not lease_id:
            raise RefusedError(409, "LEASE_EXPIRED", "your control has ended already")
        ask = pb.ReleaseControlRequest(
            session_id=session_id, lease_id=lease_id, outcome=OUTCOMES[name], note=text_of(given, "note")
        )
        reply = await self._calls.control.ReleaseControl(ask, metadata=as_person(login), timeout=CALL_SECONDS)
        if lease_id:
            login.drop_lease(session_id, lease_id)
        return JSONResponse(plain_control(reply.control, mine=False))

    async def dialog(self, request: Request) -> Response:
        """`{"id": …, "accept": …, "text": …}`: answers a dialog, or dismisses a file chooser."""
        login, given = await self._enter(request)
        ask = sessions.HandleDialogRequest(
            session_id=session_id_of(request),
            dialog_id=text_of(given, "id"),
            accept=given.get("accept") is True,
            prompt_text=text_of(given, "text"),
            prompt_empty=given.get("text") == "",
        )
        await self._calls.sessions.HandleDialog(ask, metadata=as_person(login, ask.session_id), timeout=CALL_SECONDS)
        return JSONResponse({"ok": True})

    async def navigate(self, request: Request) -> Response:
        """`{"url": …, "tabId": …}`: opens a page; without a URL the one before."""
        login, given = await self._enter(request)
        session_id, tab_id, url = session_id_of(request), text_of(given, "tabId"), text_of(given, "url")
        person = as_person(login, session_id)
        if url:
            opening = sessions.NavigateRequest(session_id=session_id, tab_id=tab_id, url=url)
            await self._calls.sessions.Navigate(opening, metadata=person, timeout=LOOK_SECONDS)
        else:
            back = sessions.GoBackRequest(session_id=session_id, tab_id=tab_id)
            await self._calls.sessions.GoBack(back, metadata=person, timeout=LOOK_SECONDS)
        return JSONResponse({"ok": True})

    async def _enter(self, request: Request) -> tuple[Login, dict[str, Any]]:
        return self._pages.enter(request), await json_body(request)


async def renew_control(calls: ServiceCalls, login: Login, session_id: str, lease: Duration) -> Any:
    """Renews a person's lease. Returns the Control; None where they have none any more, which is then forgotten.

    Raises:
        RpcError: the service cannot be asked, or does not allow it.
    """
    lease_id = login.leases.get(session_id, "")
    if not lease_id:
        return None
    ask = pb.RenewControlRequest(session_id=session_id, lease_id=lease_id, lease=lease)
    try:
        reply = await calls.control.RenewControl(ask, metadata=as_person(login), timeout=CALL_SECONDS)
    except grpc.RpcError as exc:
        if RemoteError.of(exc).reason not in ("LEASE_EXPIRED", "UNKNOWN_SESSION", "SESSION_EXPIRED"):
            raise
        login.drop_lease(session_id, lease_id)
        return None
    return reply.control


def _lease(given: dict[str, Any]) -> Duration:
    seconds = min(MAX_LEASE_SECONDS, max(1.0, number_of(given, "seconds")))
    return Duration(seconds=int(seconds))

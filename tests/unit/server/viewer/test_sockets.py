"""How sockets of people end."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from starlette.websockets import WebSocket

from perception.server.viewer.calls import RefusedError
from perception.server.viewer.sockets import PersonSockets


class NoLogins:
    def login_of(self, websocket: WebSocket) -> Any:
        raise RefusedError(401, "UNAUTHENTICATED", "log in")


@pytest.mark.parametrize("is_gone", [False, True])
async def test_a_browser_that_has_gone_before_it_is_answered_is_no_failure(is_gone: bool) -> None:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        if is_gone and message["type"] == "websocket.close":
            raise OSError("the connection is lost")
        sent.append(message)

    sockets: Any = PersonSockets(NoLogins())  # type: ignore[arg-type]
    websocket = WebSocket({"type": "websocket", "app": SimpleNamespace()}, receive, send)
    await sockets.endpoint(None)(websocket)
    assert sent[0]["type"] == "websocket.accept"
    assert [each.get("code") for each in sent[1:]] == ([] if is_gone else [4401])

"""Logging in and out.

Rule 1: a browser gets its cookie for a token that the service takes, for the code of a link, or where everybody on this
machine may call the service anyway.
Rule 2: guesses are limited, for each address: those from elsewhere lock nobody out. A token has 128 bits at least.
Rule 3: a token that the service no longer takes is good for nothing here: the login ends when the service says so.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Any

import grpc
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response

from perception.client.errors import RemoteError
from perception.errors import UnauthenticatedError
from perception.server.viewer.calls import CALL_SECONDS, RefusedError, ServiceCalls, answer_rpc_error, of_token
from perception.server.viewer.logins import LOGIN_SECONDS, Login, Logins
from perception.server.viewer.rate_limits import RateLimit
from perception.server.viewer.rights import find_rights
from perception.v1 import session_service_pb2 as pb

MAX_TOKEN = 4096
_TOKEN = re.compile(r"[\x21-\x7e]+")

NETWORK_BITS = 64
"""Bits of an IPv6 address that name its network: whoever has one has the whole network of addresses (RFC 4291, section
2.5.1)."""


class LoginPages:
    """The login of one viewer.

    Args:
        logins: who is logged in.
        calls: the service.
        open_to_all: no token is asked for.
        cookie: name of the cookie.
        secure: it is served over TLS.
    """

    def __init__(self, logins: Logins, calls: ServiceCalls, *, open_to_all: bool, cookie: str, secure: bool) -> None:
        self._logins = logins
        self._calls = calls
        self._open_to_all = open_to_all
        self._cookie = cookie
        self._secure = secure
        self._guesses = RateLimit(per_second=10 / 60, burst=10)

    def login_of(self, connection: HTTPConnection) -> Login:
        """The login of a request. Raises RefusedError for a browser that is not logged in."""
        cookie = connection.cookies.get(self._cookie, "")
        login = self._logins.find(cookie) if cookie else None
        if login is None:
            reason = "OPEN" if self._open_to_all else "LOGIN_NEEDED"
            raise RefusedError(401, reason, "this browser is not logged in")
        return login

    def connections(self, login: Login) -> int:
        """As `Logins.connections`."""
        return self._logins.connections(login)

    async def log_in(self, request: Request) -> Response:
        """`{"token": …}`, `{"code": …}`, or `{}` where no login is needed."""
        given = await json_body(request)
        token = await self._admit(given, guesser_of(request.client.host if request.client else ""))
        if login := self._logins.find(request.cookies.get(self._cookie, "")):
            self._logins.end(login)
        response = JSONResponse({"ok": True})
        response.set_cookie(
            self._cookie,
            self._logins.begin(token),
            max_age=int(LOGIN_SECONDS),
            httponly=True,
            samesite="strict",
            secure=self._secure,
            path="/",
        )
        return response

    async def me(self, request: Request) -> Response:
        """What this person may do."""
        return JSONResponse({"may": await find_rights(self._calls, self.login_of(request))})

    async def log_out(self, request: Request) -> Response:
        self._logins.end(self.login_of(request))
        response = JSONResponse({"ok": True})
        response.delete_cookie(self._cookie, path="/", secure=self._secure, httponly=True, samesite="strict")
        return response

    async def make_link(self, request: Request) -> Response:
        """A code with which another device logs in as this person, once."""
        login = self.login_of(request)
        await self._ask_service(login.token)
        return JSONResponse({"code": self._logins.make_code(login.token, self.login_of(request))})

    async def answer_rpc_error(self, request: Request, error: Exception) -> Response:
        """As `calls.answer_rpc_error`. The login of a token that is taken back ends."""
        assert isinstance(error, grpc.RpcError)
        self.note_error(connection=request, error=RemoteError.of(error))
        return await answer_rpc_error(request, error)

    def note_error(self, connection: HTTPConnection, error: RemoteError) -> None:
        """Ends the login of a request or socket whose token the service no longer takes."""
        login = self._logins.find(connection.cookies.get(self._cookie, ""))
        if login is not None and error.reason == UnauthenticatedError.reason:
            self._logins.end(login, error.plain)

    async def _admit(self, given: dict[str, Any], address: str) -> str:
        """The token that a browser may use. Raises RefusedError, or RpcError where the service cannot be asked."""
        if not given and self._open_to_all:
            return ""
        # Taken before the guess is looked at, so that many at the same time are counted, too.
        wait_s = self._guesses.take(address)
        if wait_s:
            raise RefusedError(429, "TOO_MANY_LOGINS", f"too many tries: wait {wait_s:.0f} s", wait_s)
        token = await self._token_of(given)
        self._guesses.give_back(address)
        return token

    async def _token_of(self, given: dict[str, Any]) -> str:
        """Raises as `_admit`."""
        code, token = given.get("code"), given.get("token")
        if isinstance(code, str) and code:
            found = self._logins.token_of(code)
            if found is not None:
                await self._check_token(found)
                found = self._logins.use_code(code)  # another browser may have been faster
            if found is None:
                raise RefusedError(
                    401,
                    "LINK_USED",
                    "this link was used already, is too old, or ended when its login did: make a new one, or give "
                    "your token",
                )
            return found
        if not isinstance(token, str) or not 0 < len(token) <= MAX_TOKEN or not _TOKEN.fullmatch(token):
            raise RefusedError(401, "WRONG_TOKEN", "the service does not know this token")
        await self._check_token(token)
        return token

    async def _check_token(self, token: str) -> None:
        """Asks the service. Raises RefusedError for a token that it does not know."""
        try:
            await self._ask_service(token)
        except grpc.RpcError as exc:
            if RemoteError.of(exc).code is not grpc.StatusCode.UNAUTHENTICATED:
                raise
            raise RefusedError(401, "WRONG_TOKEN", "the service does not know this token") from exc

    async def _ask_service(self, token: str) -> None:
        """Raises RpcError where the service does not take the token, or cannot be asked."""
        await self._calls.sessions.ListSessions(
            pb.ListSessionsRequest(), metadata=of_token(token), timeout=CALL_SECONDS
        )


def guesser_of(address: str) -> str:
    """Whose guesses those from an address are: of an IPv6 address, its network's."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is None:
        return str(ipaddress.ip_network((found, NETWORK_BITS), strict=False))
    return address


async def json_body(request: Request) -> dict[str, Any]:
    """The JSON object in a request's body. Raises RefusedError for another body."""
    try:
        given = await request.json()
    except (ValueError, RecursionError) as exc:  # of JSON, of UTF-8, and of what is nested too deep
        raise RefusedError(400, "INVALID_ARGUMENT", "the body is not valid JSON") from exc
    if not isinstance(given, dict):
        raise RefusedError(400, "INVALID_ARGUMENT", "the body is not a JSON object")
    return given

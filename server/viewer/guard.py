"""Which requests are answered at all, and the headers of each answer.

Rule 1: only requests for a host name of this viewer are answered: a name that an attacker points at this machine (DNS
rebinding) is none.
Rule 2: what changes something, and every WebSocket, comes from the viewer's own pages: the browser says so in `Origin`.
What is read comes from there, too, or from the person's address bar.
Rule 3: scripts and styles are this viewer's files, and nothing else: no inline script, no text that becomes markup
(Trusted Types), nothing from elsewhere, no frame around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")

MAX_BODY_BYTES = 64 * 1024
"""Limit of a request: a token, a name, a form with a few fields."""

_CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": _CSP,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=()",
    "Cache-Control": "no-store",
}
"""Headers of every answer."""


def is_own_host(host: str, names: Sequence[str]) -> bool:
    """Whether a `Host` header names this viewer. The port does not count: a tunnel may have another one.

    Args:
        host: `localhost:7900`.
        names: host names in lower case; `*.example.org` is for one more label.
    """
    try:
        parts = urlsplit(f"//{host}")
        name = (parts.hostname or "").lower()
        if (parts.port is None and parts.netloc.endswith(":")) or "@" in parts.netloc or parts.path:
            return False
    except ValueError:
        return False
    name = f"[{name}]" if ":" in name else name
    wild = f"*.{name.partition('.')[2]}" if "." in name else name
    return name in names or wild in names


def is_own_origin(origin: str, host: str) -> bool:
    """Whether an `Origin` header is that of a page that was loaded from this host and port."""
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


class Guard:
    """Refuses what Rules 1 and 2 say, and adds the headers. ASGI middleware.

    Args:
        app: what answers the other requests.
        names: host names of this viewer.
        secure: it is served over TLS.
    """

    def __init__(self, app: ASGIApp, names: Sequence[str], *, secure: bool) -> None:
        self._app = app
        self._names = (*LOOPBACK_NAMES, *names)
        self._headers = dict(HEADERS)
        if secure:
            self._headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        status, why = self._refusal(scope)
        if not status:
            await self._app(scope, receive, send_with_headers)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": why})
        else:
            await PlainTextResponse(f"{why}\n", status)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> tuple[int, str]:
        """Status and reason; 0 for a request that may pass."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not is_own_host(hosts[0], self._names):
            return 421, "this viewer is not known by that host name: use 127.0.0.1, or a name of its certificate"
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if (changes and origin is None) or (origin is not None and not is_own_origin(origin, hosts[0])):
            return 403, "only the viewer's own pages may ask this"
        if site not in ("same-origin", "none") and not _is_navigation(headers):
            return 403, "only the viewer's own pages may ask this"
        if scope["type"] == "http" and changes:
            return _body_refusal(headers)
        return 0, ""


def _is_navigation(headers: Headers) -> bool:
    """Whether a person follows a link to the viewer: its pages themselves hold nothing, and cookies are not sent."""
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def _body_refusal(headers: Headers) -> tuple[int, str]:
    size: Any = headers.get("content-length", "")
    if not (size.isascii() and size.isdecimal()):
        return 411, "say how long the body is"
    if int(size) > MAX_BODY_BYTES:
        return 413, f"the body has more than {MAX_BODY_BYTES} bytes"
    if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return 415, "send JSON"
    return 0, ""

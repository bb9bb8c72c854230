"""The HTTP endpoint where a browser names the WebSocket address of its CDP."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from perception.deadline import Deadline
from perception.errors import BrowserUnavailableError

VERSION_PATH = "/json/version"
"""Where a CDP endpoint names its WebSocket address."""

MAX_VERSION_BYTES = 2**20
"""Limit of that reply. Chosen by hand."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """None: a redirect is an error."""


async def websocket_url(endpoint: str, deadline: Deadline) -> str:
    """A browser's WebSocket address, from its HTTP endpoint: the path is from the reply, the host from the endpoint.
    The endpoint was checked, and its reply must not lead elsewhere; so redirects are not followed either.

    Raises:
        BrowserUnavailableError: there is no such endpoint, or it names no address.
        DeadlineError
    """
    place = urlsplit(endpoint)

    def fetch() -> str:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects)
        with opener.open(endpoint.rstrip("/") + VERSION_PATH, timeout=max(0.1, deadline.remaining())) as reply:
            named = urlsplit(str(json.loads(reply.read(MAX_VERSION_BYTES))["webSocketDebuggerUrl"]))
        scheme = "wss" if place.scheme == "https" else "ws"
        return urlunsplit((scheme, place.netloc, named.path, named.query, ""))

    try:
        async with deadline.phase("connecting to the browser"):
            return await asyncio.to_thread(fetch)
    except (OSError, ValueError, KeyError) as exc:
        raise BrowserUnavailableError(
            "the CDP endpoint gives no browser address: check that it is a Chromium's remote debugging port"
        ) from exc

"""Reads what DevTools and the patch in the page say of requests as recorded requests, redacted."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from perception.browser.recording.network_log import Exchange
from perception.subroutines.bodies import File, Sent, read_body
from perception.subroutines.masking import RecordingMasker
from perception.subroutines.recording import RecordedRequest

SubmittedFiles = tuple[float, tuple[File, ...]]
"""Milliseconds since 1970 at which a form was sent, and its files."""

SAME_SECONDS = 0.5
"""How far apart the patch and DevTools may date one request; both take the time when it is sent. Chosen by hand, on two
busy cores."""

UA_HEADERS = frozenset(
    "accept-language accept-encoding cache-control connection content-type content-length cookie host origin pragma"
    " priority referer te upgrade-insecure-requests user-agent dnt authority purpose x-client-data".split()
)
"""Headers that the browser sets, as well as all `sec-…`; the page's script has set the others."""

_KINDS = {
    "Document": "document",
    "XHR": "xhr",
    "Fetch": "fetch",
    "Ping": "beacon",
    "Preflight": "preflight",
    "Prefetch": "prefetch",
    "WebSocket": "websocket",
}


def read_request(
    exchange: Exchange,
    sent: Sent | None,
    vault: RecordingMasker,
    *,
    begun_ms: float,
    main_frame: str,
    submitted: Sequence[SubmittedFiles],
    tab: int,
) -> RecordedRequest:
    """A request as it is kept.

    Args:
        exchange: what DevTools said of it.
        sent: what the patch said of it; None where it said nothing.
        vault: masks the recording's secrets.
        begun_ms: when the recording began, milliseconds since 1970.
        main_frame: id of the tab's top frame.
        submitted: files of the forms that were sent.
        tab: 0 for the tab of the task, n for its nth pop-up.
    """
    headers = {name.lower(): value for name, value in exchange.headers.items()}
    content_type = headers.get("content-type", "")
    files = next((files for at, files in submitted if abs(at - exchange.at_s * 1000) < SAME_SECONDS * 1000), ())
    body = read_body(content_type, exchange.body, exchange.has_body, sent, files, vault)
    own = (
        (name, vault.mask_value(name, value))
        for name, value in sorted(headers.items())
        if name not in UA_HEADERS and not name.startswith("sec-")
    )
    at_ms = exchange.at_s * 1000 if sent is None else sent.at_ms
    return RecordedRequest(
        method=exchange.method,
        url=vault.mask_url(exchange.url),
        kind=_KINDS.get(exchange.kind, "other"),
        at_ms=at_ms - begun_ms,
        status=exchange.status,
        size=exchange.size,
        mime=exchange.mime,
        headers=tuple(own),
        body=body,
        location=vault.mask_url(exchange.location) if exchange.location else "",
        frame="" if exchange.frame == main_frame else exchange.frame,
        by="network" if sent is None else "patch",
        wrapped=sent is not None and sent.wrapped,
        open=not exchange.done,
        tab=tab,
    )


def match_sent(exchange: Exchange, waiting: list[Sent]) -> Sent | None:
    """The patch's report of a request: the same address and method at about the same time."""
    url = urlsplit(exchange.url)._replace(fragment="").geturl()
    near = [
        sent
        for sent in waiting
        if (sent.method, urlsplit(sent.url)._replace(fragment="").geturl()) == (exchange.method, url)
        and abs(sent.at_ms - exchange.at_s * 1000) <= SAME_SECONDS * 1000
    ]
    return min(near, key=lambda sent: abs(sent.at_ms - exchange.at_s * 1000), default=None)

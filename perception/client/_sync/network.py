"""What the pages of a session ask of the network, what came of it, and what they write to the console."""

from __future__ import annotations

from collections.abc import Sequence

from perception.client._sync.session import Session
from perception.client.message_fields import message_of
from perception.v1 import network_service_pb2 as pb

PAGE_SIZE = 1000


class Network(Session):
    """The requests of a session that was opened with `record_network=True`, and the consoles of its tabs."""

    def requests(
        self,
        url_pattern: str = "",
        *,
        types: Sequence[str] = (),
        methods: Sequence[str] = (),
        min_status: int = 0,
        max_status: int = 0,
        only_failed: bool = False,
        since: str | pb.NetworkRequest = "",
        tab_id: str = "",
        timeout_s: float | None = None,
    ) -> list[pb.NetworkRequest]:
        """The requests that its pages have sent, in that order, without headers and bodies.

        Args:
            url_pattern: a glob over the URL with `*` and `?`; one without both is a part of it.
            types: only these: `fetch`, `xhr`, `document`, `script`, `image`, …
            methods: only these, such as `POST`.
            min_status: only with this status or a higher one.
            max_status: only with this status or a lower one.
            only_failed: only those that failed or were blocked.
            since: only those that were sent after this one.
            tab_id: only of this tab.
            timeout_s: seconds for each page of the list; the client's when None.

        Raises:
            RemoteError: NETWORK_NOT_RECORDED; REQUEST_NOT_FOUND for an unknown `since`.
        """
        fields = {
            "tab_id": tab_id,
            "url_pattern": url_pattern,
            "types": types or None,
            "methods": methods or None,
            "min_status": min_status,
            "max_status": max_status,
            "only_failed": only_failed,
            "since_request_id": since.request_id if isinstance(since, pb.NetworkRequest) else since,
        }
        request = pb.ListRequestsRequest(
            session_id=self.session_id, filter=message_of(pb.RequestFilter, fields), page_size=PAGE_SIZE
        )
        found: list[pb.NetworkRequest] = []
        while True:
            page = self._client.call(self._client.network.ListRequests, request, timeout_s)
            found += page.requests
            if not page.next_page_token:
                return found
            request.page_token = page.next_page_token

    def request(
        self,
        request: str | pb.NetworkRequest,
        *,
        max_body_bytes: int | None = None,
        timeout_s: float | None = None,
    ) -> pb.GetRequestResponse:
        """One request with its headers and bodies.

        Args:
            request: one of `requests`, or its id.
            max_body_bytes: limit on each body, 0 for none. When None 65536, and `missing` says why a body is not there;
                with a number that is an error.
            timeout_s: seconds for all of it; the client's when None.

        Raises:
            RemoteError: REQUEST_NOT_FOUND; BODY_GONE.
        """
        request_id = request.request_id if isinstance(request, pb.NetworkRequest) else request
        fields = {"session_id": self.session_id, "request_id": request_id, "max_body_bytes": max_body_bytes}
        message = message_of(pb.GetRequestRequest, fields)
        reply: pb.GetRequestResponse = self._client.call(self._client.network.GetRequest, message, timeout_s)
        return reply

    def console(
        self,
        *,
        min_level: str | None = None,
        kinds: Sequence[str] = (),
        since: str | pb.ConsoleMessage = "",
        tab_id: str = "",
        timeout_s: float | None = None,
    ) -> list[pb.ConsoleMessage]:
        """What a tab has written to its console, and the errors that it did not catch, the oldest first.

        Args:
            min_level: `debug`, `info`, `warning` or `error`: only this one and more serious ones.
            kinds: only `console`, `exception` or `browser`.
            since: only messages after this one.
            tab_id: the selected tab when empty.
            timeout_s: seconds for each page of the list; the client's when None.
        """
        fields = {
            "session_id": self.session_id,
            "tab_id": tab_id,
            "min_level": min_level,
            "kinds": kinds or None,
            "since_message_id": since.message_id if isinstance(since, pb.ConsoleMessage) else since,
            "page_size": PAGE_SIZE,
        }
        request = message_of(pb.ListConsoleRequest, fields)
        found: list[pb.ConsoleMessage] = []
        while True:
            page = self._client.call(self._client.network.ListConsole, request, timeout_s)
            found += page.messages
            if not page.next_page_token:
                return found
            request.page_token = page.next_page_token

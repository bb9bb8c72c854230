"""What the pages of a session ask of the network, what came of it, and what they write to the console."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc

from perception.client._async.session import AsyncSession
from perception.client.errors import RemoteError
from perception.client.message_fields import message_of, timeout_of
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import network_service_pb2 as pb

if TYPE_CHECKING:
    from perception.client.har_file import HarFile

PAGE_SIZE = 1000


class AsyncNetwork(AsyncSession):
    """The requests of a session that was opened with `record_network=True`, and the consoles of its tabs."""

    async def requests(
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
            url_pattern: of the whole URL, where `*` stands for anything; one without `*` is a part of it.
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
            page = await self._client.call(self._client.network.ListRequests, request, timeout_s)
            found += page.requests
            if not page.next_page_token:
                return found
            request.page_token = page.next_page_token

    async def request(
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
        reply: pb.GetRequestResponse = await self._client.call(self._client.network.GetRequest, message, timeout_s)
        return reply

    async def wait_for_response(
        self,
        url_pattern: str = "",
        *,
        status: int = 0,
        body_contains: str = "",
        method: str = "",
        since: str | pb.NetworkRequest = "",
        tab_id: str = "",
        timeout_s: float | None = None,
    ) -> pb.NetworkRequest:
        """Waits for a response until `timeout_s`, the client's when None, is over. One that came already counts, if its
        request was sent since the last action or navigation began: click first, then wait.

        Args:
            url_pattern: of the whole URL, where `*` stands for anything; one without `*` is a part of it.
            status: only this one; any when 0.
            body_contains: only with this in its body.
            method: only this one, such as `POST`.
            since: only requests that were sent after this one, instead of those since the last action.
            tab_id: the selected tab when empty.
            timeout_s: seconds for all of it; the client's when None.
        """
        condition = {
            "url_pattern": url_pattern,
            "status": status,
            "body_contains": body_contains,
            "method": method,
            "since_request_id": since.request_id if isinstance(since, pb.NetworkRequest) else since,
        }
        fields = {
            "session_id": self.session_id,
            "tab_id": tab_id,
            "response": message_of(action_pb.ResponseCondition, condition),
            "action_options": action_pb.ActionOptions(skip_diff=True),
        }
        request = message_of(action_pb.WaitForRequest, fields)
        reply = await self._client.call(self._client.actions.WaitFor, request, timeout_s)
        response: pb.NetworkRequest = reply.response
        return response

    async def set_network_rules(
        self, rules: Sequence[pb.NetworkRule | Mapping[str, Any]], *, timeout_s: float | None = None
    ) -> list[pb.NetworkRule]:
        """Replaces the rules for the requests of the session's pages; an empty list removes them.

        `page.set_network_rules([{"name": "ads", "url_pattern": "*://ads.example/*", "block": {}},
        {"url_pattern": "*/api/items", "answer": {"content_type": "application/json", "body": b"[]"}}])`

        Args:
            rules: in the order in which they are tried; see NetworkRule.
            timeout_s: seconds for all of it; the client's when None.

        Returns:
            The rules that apply now; values of headers with the name of a secret are masked.
        """
        fields = {"session_id": self.session_id, "rules": rules}
        request = message_of(pb.SetNetworkRulesRequest, fields)
        reply = await self._client.call(self._client.network.SetNetworkRules, request, timeout_s)
        return list(reply.rules)

    async def save_har(
        self,
        path: str | os.PathLike[str],
        *,
        max_body_bytes: int | None = None,
        wanted: Mapping[str, Any] | None = None,
        timeout_s: float | None = None,
    ) -> HarFile:
        """Writes the requests of the session as HAR 1.2. The file appears when it is complete.

        Args:
            path: of the file, which is replaced.
            max_body_bytes: limit on each body, 0 for none; 1048576 when None.
            wanted: fields of RequestFilter, such as `{"url_pattern": "*/api/*"}`; all requests when None.
            timeout_s: seconds for all of it; the client's when None. Bodies that were not read by then are left out.

        Returns:
            Its path, the number of its entries, and of bodies that could not be read.
        """
        from perception.client.har_file import HarFile  # it loads what no command of the shell needs

        with HarFile(Path(path)) as file:
            async with aclosing(self.read_har(max_body_bytes, wanted, timeout_s=timeout_s)) as parts:
                async for part in parts:
                    file.take(part)
            return file.finish()

    async def read_har(
        self,
        max_body_bytes: int | None = None,
        wanted: Mapping[str, Any] | None = None,
        *,
        timeout_s: float | None = None,
    ) -> AsyncGenerator[pb.ExportHarResponse, None]:
        """The parts of a HAR file; `save_har` puts them into one. Arguments are those of `save_har`."""
        fields = {
            "session_id": self.session_id,
            "max_body_bytes": max_body_bytes,
            "filter": message_of(pb.RequestFilter, wanted) if wanted else None,
        }
        request = message_of(pb.ExportHarRequest, fields)
        deadline_s = timeout_of(timeout_s, self._client.timeout_s)
        stream = self._client.network.ExportHar(request, timeout=deadline_s, metadata=self._client.metadata)
        try:
            async for part in stream:
                yield part
        except grpc.RpcError as exc:
            raise RemoteError.of(exc) from exc
        finally:
            stream.cancel()

    async def console(
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
            page = await self._client.call(self._client.network.ListConsole, request, timeout_s)
            found += page.messages
            if not page.next_page_token:
                return found
            request.page_token = page.next_page_token

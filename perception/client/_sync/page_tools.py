"""Tools that the page of a session offers itself (WebMCP)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from perception.client._sync.session import Session
from perception.client.fields import ActionFields
from perception.client.message_fields import message_of, struct_of
from perception.client.requests import action_options_of
from perception.v1 import page_tool_service_pb2 as pb


class PageTools(Session):
    """The tools of a session's pages. To call them, open it with `page_tool_origins=["https://shop.example"]`."""

    def call_page_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        timeout_s: float | None = None,
        **action: Unpack[ActionFields],
    ) -> pb.CallPageToolResponse:
        """Calls a tool of the page.

        Args:
            name: as of `page_tools`.
            arguments: JSON values by name.
            timeout: seconds for the tool alone.
            timeout_s: seconds for the call; the client's when None.
            action: as of `click`.

        Raises:
            RemoteError: UNKNOWN_PAGE_TOOL; PAGE_TOOLS_NOT_ALLOWED for a page of another origin.
        """
        given = {"session_id": self.session_id, "name": name, "arguments": struct_of(arguments or {}, "arguments")}
        request = message_of(pb.CallPageToolRequest, given | action_options_of({"timeout": timeout, **action}))
        reply: pb.CallPageToolResponse = self._client.call(self._client.page_tools.CallPageTool, request, timeout_s)
        return reply

"""The tools as Python calls, for agents that speak neither MCP nor gRPC."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from perception.client.message_fields import timeout_of
from perception.interaction.answers import Answer
from perception.tools.backend import Backend, BackendOptions, OwnConnection
from perception.tools.forms import Form, anthropic_tools, openai_responses_tools, openai_tools
from perception.tools.offer import Offer, all_tools, answer_call, make_offer
from perception.tools.tool import Ask, Tool


class Toolbox:
    """Tools, and one browser session that they share; calls may name others by their handles.

    Attributes:
        instructions: for the model's system prompt: how to use the tools, and that a page's words are data.
        tools: what is offered.
    """

    def __init__(self, offer: Offer, connection: OwnConnection, tools: Sequence[Tool], ask: Ask | None) -> None:
        self.instructions = offer.instructions
        self.tools = tools
        self._offer = offer
        self._connection = connection
        self._ask = ask

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        address: str | None = None,
        *,
        profile: str = "default",
        tools: Sequence[str] = (),
        with_subroutines: bool = False,
        allow_hosts: Sequence[str] = (),
        timeout_s: float = 60.0,
        ask: Ask | None = None,
        **access: Any,
    ) -> AsyncIterator[Toolbox]:
        """Connects to a service; what the calls have opened there is closed at the end.

        Args:
            address: `HOST:PORT` or `unix:PATH`; None for a private service, which the first call starts.
            profile: `default`, or `playwright` for the names of Playwright MCP's tools.
            tools: names of the offered ones; `default` and `all` stand for several. Empty for the default ones.
            with_subroutines: each saved subroutine is a tool of its own.
            allow_hosts: private hosts that a private service may open pages of.
            timeout_s: seconds for each call.
            ask: puts a question of the tool `ask_user` to the user; returns None where they decline.
            access: as of `perception.connect`.

        Raises:
            RemoteError: no service answers at the address.
            BadInputError: a profile, tool or option that there is not.
        """
        offer = make_offer(profile, tools, timeout_of(timeout_s, 60.0), with_subroutines=with_subroutines)
        options = BackendOptions(
            address or "", access, allow_hosts=allow_hosts, timeout_s=offer.timeout_s, session=offer.session
        )
        backend = Backend(options)
        connection = OwnConnection(backend, offer.names)
        try:
            await backend.check(asks_for_tokens=False)
            yield cls(offer, connection, await all_tools(offer, connection.get), ask)
        finally:
            await connection.close()
            await backend.close()

    def openai(self) -> list[Form]:
        """For `tools` of an OpenAI chat completion, also of other vendors' compatible endpoints."""
        return openai_tools(self.tools)

    def openai_responses(self) -> list[Form]:
        """For `tools` of OpenAI's Responses API."""
        return openai_responses_tools(self.tools)

    def anthropic(self) -> list[Form]:
        """For `tools` of Anthropic's Messages API."""
        return anthropic_tools(self.tools)

    async def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> Answer:
        """Calls a tool. A mistake of the model is an answer that says what to do, as is any error of the service.

        Args:
            name: of the tool.
            arguments: as the model wrote them: an object, its JSON, or None for nothing.
        """
        return await answer_call(self._offer, self._connection.get, name, arguments, self._ask)

"""What a tool is, and how some of them are chosen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from perception.client.message_fields import suggestion
from perception.errors import BadInputError
from perception.interaction.answers import Answer
from perception.tools.arguments import Arguments
from perception.tools.schema import schema_of
from perception.tools.sessions import Connection

Ask = Callable[[str], Awaitable[str | None]]
"""Puts a question to the user. None where the user declines. May raise PendingQuestion."""


class PendingQuestion(Exception):  # noqa: N818 - no error: the call is repeated when the user has answered
    """Ends a call whose question the caller puts to its user; it repeats the call with the answer."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a handler works with.

    Attributes:
        connection: the sessions of the client that calls.
        timeout_s: seconds for each call of the service.
        ask: puts a question to the user; None where the client cannot.
    """

    connection: Connection
    timeout_s: float
    ask: Ask | None = None


@dataclass(frozen=True, slots=True)
class Hints:
    """What a tool does to the world, as the protocol's annotations say it."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = True


READS = Hints(read_only=True, idempotent=True)
ACTS = Hints(destructive=True)
STEERS = Hints()
"""Changes what the session shows, and nothing of what pages keep."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        name: by which a model calls it.
        description: for the model.
        arguments: the model of its arguments.
        run: the handler.
        hints: what it does to the world.
        is_default: offered unless a choice of tools leaves it out.
        session: fields of SessionOptions that it needs.
        group: another name by which it is chosen; empty for none.
        own_schema: in place of that of `arguments`, for tools that are made at run time.
    """

    name: str
    description: str
    arguments: type[Arguments]
    run: Callable[[Call, Any], Awaitable[Answer]]
    hints: Hints
    is_default: bool = True
    session: Mapping[str, Any] = field(default_factory=dict)
    own_schema: dict[str, Any] | None = None
    group: str = ""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        return self.own_schema or schema_of(self.arguments)


def choose_tools(tools: Sequence[Tool], names: Iterable[str]) -> tuple[Tool, ...]:
    """The tools of these names, in the order of the table.

    Args:
        tools: all that there are.
        names: of the wanted ones; `default` and `all` stand for several. Empty for the default ones.

    Raises:
        BadInputError: a name that there is not.
    """
    wanted = list(names) or ["default"]
    known = [name for each in tools for name in (each.group, each.name) if name]
    for name in wanted:
        if name not in (*known, "default", "all"):
            there = ", ".join([*known, "default", "all"])
            raise BadInputError(f"there is no tool {name!r}{suggestion(name, known)}; there are {there}")
    return tuple(
        each
        for each in tools
        if {each.name, each.group, "all"} & {*wanted} or ("default" in wanted and each.is_default)
    )

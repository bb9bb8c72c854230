"""What a model is offered, and how one of its calls is answered: the same for every protocol."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from perception.client.message_fields import suggestion
from perception.errors import BadInputError, PerceptionError
from perception.interaction.answers import Answer, ToolNames, error_answer, lines
from perception.tools.arguments import arguments_of
from perception.tools.profiles import find_profile
from perception.tools.sessions import Connection
from perception.tools.subroutine_tools import subroutine_tools
from perception.tools.tool import Ask, Call, PendingQuestion, Tool, choose_tools

log = logging.getLogger(__name__)

Connect = Callable[[], Awaitable[Connection]]
"""Finds the sessions of whoever calls."""

MoreTools = Callable[[Connection], Awaitable[Sequence[Tool]]]


@dataclass(frozen=True, slots=True)
class Offer:
    """What a model is offered.

    Attributes:
        tools: as of `tool.choose_tools`.
        instructions: for the model, on how to use them.
        names: of the tools that errors send a model to.
        timeout_s: seconds for each call.
        more_tools: tools that depend on the caller; None for none.
        session: fields of SessionOptions that these tools need.
    """

    tools: Sequence[Tool]
    instructions: str
    names: ToolNames
    timeout_s: float
    more_tools: MoreTools | None = None
    session: Mapping[str, Any] = field(default_factory=dict)


def make_offer(profile: str, names: Sequence[str], timeout_s: float, *, with_subroutines: bool = False) -> Offer:
    """The offer of a profile.

    Args:
        profile: `default` or `playwright`.
        names: of the wanted tools; `default` and `all` stand for several. Empty for the default ones.
        timeout_s: seconds for each call.
        with_subroutines: each saved subroutine is a tool of its own.

    Raises:
        BadInputError: a profile or tool that there is not.
    """
    chosen = find_profile(profile)
    tools = choose_tools(chosen.tools, names)
    runs_scripts = any(each.name in chosen.script_tools for each in tools)
    return Offer(
        tools,
        chosen.instructions,
        chosen.names,
        timeout_s,
        subroutine_tools if with_subroutines else None,
        {name: value for each in tools for name, value in each.session.items()}
        | ({"allow_evaluate": True} if runs_scripts else {}),
    )


async def all_tools(offer: Offer, connect: Connect) -> Sequence[Tool]:
    """The tools that a caller is offered. Saved subroutines that cannot be listed are left out, and logged."""
    if offer.more_tools is None:
        return offer.tools
    try:
        return (*offer.tools, *await offer.more_tools(await connect()))
    except PerceptionError as exc:
        log.warning("the saved subroutines cannot be listed: %s", exc.reason)
        return offer.tools


async def answer_call(
    offer: Offer,
    connect: Connect,
    name: str,
    arguments: Mapping[str, Any] | str | None,
    ask: Ask | None = None,
) -> Answer:
    """The answer to a call. Whatever is wrong with it is an answer, too.

    Args:
        offer: the tools.
        connect: finds the caller's sessions.
        name: of the tool.
        arguments: as the model wrote them: an object, its JSON, or None for nothing.
        ask: puts a question to the user; None where nobody can be asked.

    Raises:
        PendingQuestion: of `ask`.
    """
    connection = None
    try:
        connection = await connect()
        tool = await _find_tool(offer, name, connection)
        given = arguments_of(tool.arguments, _as_object(arguments, tool.name), tool.name)
        answer = await tool.run(Call(connection, offer.timeout_s, ask), given)
        ending = connection.ending(getattr(given, "session", None))
        return replace(answer, text=lines(answer.text, ending)) if ending else answer
    except PerceptionError as exc:
        if connection is not None:
            connection.note_error(exc)
        return error_answer(exc, offer.names)
    except PendingQuestion:
        raise
    except Exception:
        log.exception("the tool %s failed", str(name)[:80])
        return Answer(f"INTERNAL: {str(name)[:80]} failed here: look before you go on", is_error=True)


async def _find_tool(offer: Offer, name: str, connection: Connection) -> Tool:
    """Raises BadInputError for one that there is not."""
    for each in offer.tools:
        if each.name == name:
            return each
    more = await offer.more_tools(connection) if offer.more_tools else ()
    for each in more:
        if each.name == name:
            return each
    known = [each.name for each in (*offer.tools, *more)]
    shown = str(name)[:80]
    raise BadInputError(f"there is no tool {shown!r}{suggestion(str(name), known)}; there are {', '.join(known)}")


def _as_object(arguments: Any, tool: str) -> Mapping[str, Any]:
    """Arguments as an object. Raises BadInputError for anything else."""
    given = arguments
    if isinstance(arguments, str):
        try:
            given = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError) as exc:
            raise BadInputError(
                f"{tool}: the arguments are not valid JSON ({str(exc)[:80]}): write one object"
            ) from exc
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise BadInputError(f"{tool}: the arguments are {str(arguments)[:60]!r}: write one object, such as {{}}")
    return given

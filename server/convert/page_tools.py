"""Tools of pages as messages, and as text for a model."""

from __future__ import annotations

import json
from typing import Any

from perception.errors import BadInputError
from perception.invisible import without_invisible
from perception.render.untrusted import Fence
from perception.server.actions.page_tools import MAX_NAME, PageTool, PageToolList, ToolOutput
from perception.server.convert.message_fields import struct_value
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import page_tool_service_pb2 as pb

MAX_ARGUMENTS = 100_000
"""Characters of a call's arguments as JSON."""


def tool_arguments(request: pb.CallPageToolRequest) -> dict[str, Any]:
    """The arguments of a call. Raises BadInputError for too many, and for a name that no tool has."""
    if not request.name or len(request.name) > MAX_NAME:
        raise BadInputError(f"name is empty or over {MAX_NAME} characters: ListPageTools has the names", field="name")
    arguments = struct_value(request, "arguments")
    if (size := len(json.dumps(arguments))) > MAX_ARGUMENTS:
        raise BadInputError(f"arguments have {size} characters: at most {MAX_ARGUMENTS} are taken", field="arguments")
    return arguments


def list_response(listed: PageToolList, *, is_allowed: bool, fence: Fence) -> pb.ListPageToolsResponse:
    return pb.ListPageToolsResponse(
        tools=[
            pb.PageTool(
                name=each.name,
                title=each.title,
                description=each.description,
                input_schema=each.schema,
                read_only_hint=each.is_read_only,
            )
            for each in listed.tools
        ],
        origin=listed.origin,
        is_allowed=is_allowed,
        omitted_count=listed.omitted,
        text=fence.around("".join(map(_tool_line, listed.tools))),
    )


def call_response(output: ToolOutput, result: action_pb.ActionResult, fence: Fence) -> pb.CallPageToolResponse:
    if output.note:
        result.notes.append(output.note)
    return pb.CallPageToolResponse(
        output=output.text,
        text=fence.around(without_invisible(output.text)),
        is_error=output.is_error,
        is_truncated=output.is_truncated,
        result=result,
    )


def _tool_line(tool: PageTool) -> str:
    """`name: what it does, {"type": …}`, on one line."""
    return f"{_line(f'{tool.name}: {tool.description or tool.title}')} {_line(tool.schema)}".rstrip() + "\n"


def _line(text: str) -> str:
    return " ".join(without_invisible(text).split())

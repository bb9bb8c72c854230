"""Tools and answers in the forms that models' APIs take, as plain values: the same schemas for all."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

from perception.interaction.answers import Answer
from perception.tools.tool import Tool

Form = dict[str, Any]
"""JSON, as an API or its SDK takes it."""


def openai_tools(tools: Iterable[Tool]) -> list[Form]:
    """For `tools` of a chat completion, also of other vendors' compatible endpoints."""
    return [{"type": "function", "function": _function(each)} for each in tools]


def openai_responses_tools(tools: Iterable[Tool]) -> list[Form]:
    """For `tools` of a response. Strict schemas, which are the default there, know no optional arguments."""
    return [{"type": "function", **_function(each), "strict": False} for each in tools]


def anthropic_tools(tools: Iterable[Tool]) -> list[Form]:
    """For `tools` of a message."""
    return [
        {"name": each.name, "description": each.description, "input_schema": deepcopy(each.schema)} for each in tools
    ]


def openai_results(answers: Mapping[str, Answer]) -> list[Form]:
    """Messages of a chat with the answers to one turn's calls.

    Args:
        answers: by the id of the call. A turn's calls have to be answered together.

    Returns:
        One message for each call, and one of the user with the images, as that of a tool takes none.
    """
    messages: list[Form] = [
        {"role": "tool", "tool_call_id": call, "content": answer.text} for call, answer in answers.items()
    ]
    images: list[Form] = []
    for call, answer in answers.items():
        if answer.image:
            images.append({"type": "text", "text": f"The image of {call}:"})
            images.append({"type": "image_url", "image_url": {"url": _data_url(answer)}})
    return [*messages, {"role": "user", "content": images}] if images else messages


def openai_responses_results(answers: Mapping[str, Answer]) -> list[Form]:
    """Items of a response's input with the answers to calls, by their `call_id`."""
    return [
        {"type": "function_call_output", "call_id": call, "output": _response_output(answer)}
        for call, answer in answers.items()
    ]


def anthropic_results(answers: Mapping[str, Answer]) -> Form:
    """The user's message with the answers to one turn's calls, by the id of each `tool_use`."""
    return {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": call, "content": _blocks(answer), "is_error": answer.is_error}
            for call, answer in answers.items()
        ],
    }


def _function(tool: Tool) -> Form:
    return {"name": tool.name, "description": tool.description, "parameters": deepcopy(tool.schema)}


def _response_output(answer: Answer) -> str | list[Form]:
    if not answer.image:
        return answer.text
    image = {"type": "input_image", "image_url": _data_url(answer), "detail": "auto"}
    return [{"type": "input_text", "text": answer.text}, image]


def _blocks(answer: Answer) -> list[Form]:
    text: Form = {"type": "text", "text": answer.text}
    if not answer.image:
        return [text]
    source = {"type": "base64", "media_type": answer.mime_type, "data": _base64(answer)}
    return [text, {"type": "image", "source": source}]


def _data_url(answer: Answer) -> str:
    return f"data:{answer.mime_type};base64,{_base64(answer)}"


def _base64(answer: Answer) -> str:
    return base64.b64encode(answer.image).decode("ascii")

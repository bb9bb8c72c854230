"""The tools without a protocol: their schemas in the forms of models' APIs, and calls that never raise for a model."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import pytest

from perception.client import AsyncClient, RemoteError
from perception.errors import BadInputError
from perception.server.app import Service
from perception.tools import Answer, Toolbox, anthropic_results, openai_responses_results, openai_results

PAGE = "<h1>Orders</h1><label>Name <input></label><button onclick='this.textContent=\"Saved\"'>Save</button>"


@pytest.fixture(scope="module")
async def tools(service: Service) -> AsyncIterator[Toolbox]:
    async with Toolbox.open(service.context.settings.address, timeout_s=30.0) as opened:
        yield opened


@pytest.fixture
def orders(site: str) -> str:
    return f"{site}/html?body={quote(PAGE)}"


async def test_one_table_in_three_forms(tools: Toolbox) -> None:
    chat, responses, anthropic = tools.openai(), tools.openai_responses(), tools.anthropic()
    assert [each["function"]["name"] for each in chat] == [each.name for each in tools.tools]
    assert len(chat) == 11
    for one, two, three, tool in zip(chat, responses, anthropic, tools.tools, strict=True):
        assert one == {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
        }
        assert two == {"type": "function", "strict": False, **one["function"]}
        assert three == {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
    chat[0]["function"]["parameters"]["properties"].clear()
    assert tools.openai()[0]["function"]["parameters"]["properties"]


async def test_calls_share_a_session_and_take_objects_or_their_json(tools: Toolbox, orders: str) -> None:
    opened = await tools.call("open", {"url": orders})
    assert (opened.is_error, opened.image) == (False, b"")
    assert "button Save" in opened.text
    assert "button Saved" in (await tools.call("act", '{"do": "click", "target": "button"}')).text
    picture = await tools.call("screenshot", "")
    assert picture.mime_type == "image/jpeg"
    assert picture.image.startswith(b"\xff\xd8")


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("lok", {}, "there is no tool 'lok' (did you mean 'look'?); there are open, look"),
        ("", None, "there is no tool ''"),
        ("look", '{"view": "fu', "BAD_INPUT: look: the arguments are not valid JSON"),
        ("look", "[1]", "BAD_INPUT: look: the arguments are '[1]': write one object"),
        ("look", [1], "BAD_INPUT: look: the arguments are '[1]': write one object"),
        ("look", '"' + "[" * 100_000, "BAD_INPUT: look: the arguments are not valid JSON"),
        ("look", {"view": "blurred"}, "view is 'blurred': it takes one of full, interactive, digest"),
        ("act", {"do": "click", "target": "e 5"}, "write the ref as e5"),
        ("look", {"session": "gone"}, "UNKNOWN_SESSION: "),
    ],
    ids=lambda value: repr(value)[:24],
)
async def test_a_models_mistake_is_an_answer(tools: Toolbox, name: str, arguments: Any, told: str) -> None:
    answer = await tools.call(name, arguments)
    assert answer.is_error
    assert told in answer.text
    assert "\n" not in answer.text


async def test_what_was_opened_is_closed_at_the_end(service: Service, client: AsyncClient, orders: str) -> None:
    before = {each.session_id for each in await client.open_sessions()}
    async with Toolbox.open(service.context.settings.address) as opened:
        await opened.call("open", {"url": orders})
        assert len(await client.open_sessions()) == len(before) + 1
    assert {each.session_id for each in await client.open_sessions()} == before


async def test_the_user_is_asked_and_scripts_run_where_these_tools_are_offered(service: Service, orders: str) -> None:
    async def ask(question: str) -> str | None:
        return f"{question} 1234"

    address = service.context.settings.address
    async with Toolbox.open(address, tools=["open", "evaluate", "ask_user"], ask=ask) as opened:
        assert [each["name"] for each in opened.anthropic()] == ["open", "evaluate", "ask_user"]
        assert (await opened.call("ask_user", {"question": "Which code?"})).text == "Which code? 1234"
        await opened.call("open", {"url": orders})
        assert '"Orders"' in (await opened.call("evaluate", {"script": "document.querySelector('h1').innerText"})).text


async def test_a_developers_mistake_is_raised() -> None:
    for options in ({"profile": "selenium"}, {"tools": ["lok"]}, {"timeout_s": -1}):
        with pytest.raises(BadInputError):
            async with Toolbox.open(**options):  # type: ignore[arg-type]
                pass
    with pytest.raises(RemoteError, match=r"127\.0\.0\.1:1"):
        async with Toolbox.open("127.0.0.1:1"):
            pass


ANSWERS = {
    "c1": Answer("done"),
    "c2": Answer("1×1 px", b"\x89PNG", "image/png"),
    "c3": Answer("BAD_INPUT: no", is_error=True),
}
DATA = base64.b64encode(b"\x89PNG").decode()


def test_answers_of_one_turn_in_each_form() -> None:
    chat = openai_results(ANSWERS)
    assert [(each["role"], each.get("tool_call_id")) for each in chat] == [
        *(("tool", "c1"), ("tool", "c2"), ("tool", "c3"), ("user", None)),
    ]
    assert chat[-1]["content"][1] == {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}
    assert [each["role"] for each in openai_results({"c1": ANSWERS["c1"]})] == ["tool"]

    outputs = openai_responses_results(ANSWERS)
    assert [(each["call_id"], each["output"]) for each in outputs if isinstance(each["output"], str)] == [
        *(("c1", "done"), ("c3", "BAD_INPUT: no")),
    ]
    assert [each["type"] for each in outputs[1]["output"]] == ["input_text", "input_image"]

    message = anthropic_results(ANSWERS)
    assert message["role"] == "user"
    assert [(each["tool_use_id"], each["is_error"]) for each in message["content"]] == [
        *(("c1", False), ("c2", False), ("c3", True)),
    ]
    assert message["content"][1]["content"][1]["source"] == {"type": "base64", "media_type": "image/png", "data": DATA}


async def test_the_network_and_the_console_are_shown_in_sessions_that_record_them(service: Service, site: str) -> None:
    body = "<script>fetch('/status?code=500').then(() => console.error('no stock'))</script>"
    address = service.context.settings.address
    async with Toolbox.open(address, tools=("default", "network"), timeout_s=30.0) as tools:
        await tools.call("open", {"url": f"{site}/html?body={quote(body)}"})
        await tools.call("wait", {"seconds": 5})
        listed = (await tools.call("network", {"url": "/status"})).text
        assert "GET 500 fetch text/html" in listed
        assert "<untrusted-page" in listed
        number = next(line.split()[0] for line in listed.splitlines() if "GET 500" in line)
        assert "< Content-Type" in (await tools.call("network", {"id": number})).text
        assert "no stock" in (await tools.call("network", {"show": "console", "level": "error"})).text
        wrong = await tools.call("network", {"show": "console", "id": "r1"})
        assert wrong.is_error
        assert "is for requests" in wrong.text
        assert "REQUEST_NOT_FOUND" in (await tools.call("network", {"id": "r999"})).text

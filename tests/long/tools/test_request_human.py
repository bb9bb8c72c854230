"""The tool that asks for a person: what a model gets when they are done, refuse, or do not come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from urllib.parse import quote

import pytest

from perception.client import AsyncClient, AsyncPage
from perception.server.app import Service
from perception.tools import Answer, Toolbox
from perception.v1 import control_service_pb2 as pb
from tests.support.early_ends import early_ends

PAGE = "<title>Shop</title><button onclick='this.textContent=`Log out`' style='margin: 20px'>Log in</button>"


@pytest.fixture(scope="module")
async def tools(service: Service) -> AsyncIterator[Toolbox]:
    address = service.context.settings.address
    async with Toolbox.open(address, tools=["default", "human"], timeout_s=30.0) as opened:
        yield opened


@pytest.fixture
async def page(tools: Toolbox, client: AsyncClient, site: str) -> AsyncPage:
    """The session of the tools, for a person."""
    await tools.call("open", {"url": f"{site}/html?body={quote(PAGE)}"})
    (session,) = [each for each in await client.open_sessions() if any(tab.title == "Shop" for tab in each.tabs)]
    return await client.attach(session.session_id)


async def asked(tools: Toolbox, page: AsyncPage) -> asyncio.Task[Answer]:
    """A call of the tool that waits for a person."""
    task = asyncio.create_task(tools.call("request_human", {"reason": "log in"}))
    async with aclosing(page.watch_control(timeout_s=20)) as watched:
        async for control in watched:
            if control.state == pb.CONTROL_STATE_REQUESTED:
                return task
    raise AssertionError


async def test_a_model_gets_what_a_person_did(tools: Toolbox, page: AsyncPage) -> None:
    assert "request_human" in {each.name for each in tools.tools}
    asking = await asked(tools, page)
    async with page.take_control("ann") as person:
        await person.click(50, 30)
        await person.release("done", "logged in")
    answer = await asking
    assert not answer.is_error
    assert 'a person ("ann") had control' in answer.text
    assert 'they say: "logged in"' in answer.text
    assert "Log out" in answer.text


async def test_a_model_is_told_of_a_refusal_and_of_nobody(service: Service, tools: Toolbox, page: AsyncPage) -> None:
    asking = await asked(tools, page)
    await page.refuse_human("not now")
    answer = await asking
    assert answer.is_error
    assert 'a person refused to take control; they say: "not now"' in answer.text
    with early_ends(service) as reserve_s:
        answer = await tools.call("request_human", {"reason": "log in", "seconds": reserve_s + 0.5})
    assert answer.is_error
    assert "NO_HUMAN" in answer.text


async def test_a_call_of_a_model_meanwhile_says_that_a_person_has_control(
    service: Service, tools: Toolbox, page: AsyncPage
) -> None:
    async with page.take_control("ann"):
        answer = await tools.call("act", {"do": "click", "target": "button", "seconds": 1})
        assert answer.is_error
        with early_ends(service) as reserve_s:
            answer = await tools.call("wait", {"seconds": reserve_s + 0.5})
        assert "HUMAN_CONTROL" in answer.text

"""The scripted agent of the `tasks` suite: it knows what it was told, and its answers are counted."""

from __future__ import annotations

import pytest

from perception.bench.suites.tasks.agent import Agent, LostError
from perception.client import AsyncClient

BODY = (
    "<h1>Files</h1><p>a.txt <button>Rename</button></p><p>b.txt <button onclick='later()'>Rename</button></p>"
    "<script>function later() { document.body.insertAdjacentHTML('beforeend', '<input aria-label=Name value=b.txt>') }"
    "</script>"
)


async def test_an_agent_does_a_task_by_the_texts_that_it_is_given(client: AsyncClient, site: str) -> None:
    watched = []

    async def watch() -> None:
        watched.append(agent.text)

    async with await client.open(f"{site}/html?body={BODY}", snapshot_defaults={"mode": "text"}) as page:
        agent = Agent(page, watch)
        await agent.look()
        answer = await agent.act_on(agent.after("b.txt", "button", "Rename"), page.click)
        assert '+ - textbox "Name"' in answer
        await agent.act_on(agent.with_value("textbox", "b.txt"), page.type_text, "c.txt", clear=True)
        assert "c.txt" in agent.text
        assert (agent.calls, agent.actions, len(watched), agent.stumbles) == (3, 2, 3, [])
        with pytest.raises(LostError):
            await agent.find("button", "Delete")
        assert agent.calls == 5, "it looked in view and in the whole page"
        assert agent.tokens > agent.largest > 0

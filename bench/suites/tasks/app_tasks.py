"""Tasks in applications: a server's confirmation, a notebook, a wiki."""

from __future__ import annotations

from perception.bench.suites.subroutines.apps.app import App
from perception.bench.suites.subroutines.apps.django_admin import PASSWORD, DjangoApp
from perception.bench.suites.tasks.agent import Agent
from perception.bench.suites.tasks.task import Effect, Task

PERSON = "Rosa Ibarra"


def _add_people(app: App) -> None:
    assert isinstance(app, DjangoApp)
    for number, name in enumerate(("Aldo Vera", PERSON, "Zoe Lang"), start=1):
        app.add_person(name, number)


async def _delete_person(agent: Agent) -> str:
    await agent.look()
    await agent.type("textbox", "admin", "Username")
    await agent.type("textbox", PASSWORD, "Password")
    await agent.click("button", "Log in")
    await agent.click("link", PERSON)
    await agent.click("link", "Delete")
    await agent.click("button", "Yes")
    return agent.text


async def _judge_person(effect: Effect) -> bool:
    assert effect.app is not None
    names = {each.get("name") for each in effect.app.truth().values()}
    return PERSON not in names and {"Aldo Vera", "Zoe Lang"} <= names


async def _run_cell(agent: Agent) -> str:
    await agent.look(settle_timeout=8)
    await agent.click("button", "Click to add a cell")
    await agent.type("textbox", "print(6 * 7, 'is the answer')")
    await agent.press("Shift+Enter")
    await agent.wait_for("42 is the answer", 30)
    return agent.text


async def _judge_cell(effect: Effect) -> bool:
    outputs = "[...document.querySelectorAll('.jp-OutputArea-output')].map((each) => each.textContent).join()"
    return "42 is the answer" in str(await effect.evaluate(outputs))


async def _write_entry(agent: Agent) -> str:
    await agent.look()
    await agent.click("button", "new tiddler")
    await agent.act_on(agent.with_value("textbox", "New Tiddler"), agent.page.type_text, "Harbor", clear=True)
    await agent.type("textbox", "sea", "tag name")
    await agent.click("button", "add")
    await agent.click("button", "Confirm changes to this tiddler")
    return agent.text


async def _judge_entry(effect: Effect) -> bool:
    assert effect.app is not None
    return effect.app.truth().get("tiddler/Harbor", {}).get("tags") == "sea"


APP_TASKS = (
    Task(
        "delete a record on a server",
        f"Sign in as admin and delete {PERSON}.",
        _delete_person,
        _judge_person,
        app="django",
        path="/admin/django_site/person/",
        prepare=_add_people,
    ),
    Task(
        "run a cell of a notebook",
        "Add a cell that prints the answer, run it and read its output.",
        _run_cell,
        _judge_cell,
        "notebook--doc",
        modes=("text",),
    ),
    Task(
        "write an entry of a wiki",
        "Write an entry Harbor with the tag sea.",
        _write_entry,
        _judge_entry,
        app="tiddlywiki",
    ),
)

"""What is chosen from a list is a parameter, also from one recording; a row that is not loaded is scrolled to."""

# ruff: noqa: E501  cases read better unbroken

from __future__ import annotations

from collections.abc import Iterator

import pytest

from perception.client import AsyncClient, AsyncPage, AsyncSubroutines
from perception.v1 import subroutine_service_pb2 as pb
from tests.support.lists_app import Lists, serve_lists
from tests.support.run_waits import short_waits
from tests.support.waiting import until


@pytest.fixture(scope="module")
def app() -> Iterator[Lists]:
    with serve_lists() as app:
        yield app


async def record(
    tools: AsyncSubroutines, page: AsyncPage, app: Lists, path: str, *steps: tuple[str, str]
) -> pb.Subroutine:
    """Records clicks on targets, and typing into them where a text is given."""
    await page.navigate(f"{app.url}{path}")
    app.saved.clear()
    recording = await tools.start(page)
    for target, text in steps:
        if text:
            await page.type_text(target, text, skip_diff=True)
        else:
            await page.click(target, skip_diff=True)
    await until(lambda: bool(app.saved))
    stopped = await tools.stop(page, recording)
    app.saved.clear()
    return await tools.create(stopped.recording_id, name=f"Choose {path[1:]}", plan="dom")


@pytest.mark.parametrize(
    ("path", "steps", "given", "saved"),
    [
        pytest.param("/select", [("#box", ""), ('option "Belgium"', ""), ("#save", "")], {"country": "Chile"}, "Chile", id="select"),
        pytest.param("/suggestions", [("#city", "ber"), ('option "Bern"', ""), ("#save", "")], {"city": "Palermo"}, "Palermo", id="suggestion"),
        pytest.param("/radio", [('radio "Medium"', ""), ("#save", "")], {"size": "Large"}, "l", id="radio"),
    ],
)  # fmt: skip
async def test_a_choice_is_a_parameter(
    client: AsyncClient,
    shared_page: AsyncPage,
    app: Lists,
    path: str,
    steps: list[tuple[str, str]],
    given: dict[str, str],
    saved: str,
) -> None:
    tools = AsyncSubroutines(client)
    made = await record(tools, shared_page, app, path, *steps)
    assert set(made.parameters_schema["properties"]) == set(given), made.body
    done = await tools.run(shared_page, made.subroutine_id, given)
    assert (done.success, done.error, app.saved) == (True, "", [saved])
    await tools.delete(made.subroutine_id)


async def test_a_row_that_is_not_loaded_is_scrolled_to(client: AsyncClient, shared_page: AsyncPage, app: Lists) -> None:
    tools = AsyncSubroutines(client)
    made = await record(tools, shared_page, app, "/feed", ("li:nth-child(2) button", ""))
    assert "choose_feed" in [each["name"] for each in await tools.tools(app.url)]
    done = await tools.run(shared_page, "choose_feed", {"row": "Item 50"})
    assert (done.success, done.error, app.saved) == (True, "", ["Item 50"])
    with short_waits():
        gone = await tools.run(shared_page, made.subroutine_id, {"row": "Item 700"})
    assert (gone.success, gone.reason, gone.sent, app.saved) == (False, "DRIFT", False, ["Item 50"])
    await tools.delete(made.subroutine_id)

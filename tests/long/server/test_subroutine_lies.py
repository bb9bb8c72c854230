"""What a page shows is not what was done: requests that leave late, answers that contradict their status, buttons that
toggle, forms that were not sent. The application's own log says what happened."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest

from perception.client import AsyncClient, AsyncPage, AsyncSubroutines
from perception.v1 import subroutine_service_pb2 as pb
from tests.support.lying_app import Lies, serve_lies
from tests.support.run_waits import short_waits
from tests.support.waiting import until

Act = Callable[[AsyncPage], Awaitable[Any]]


@pytest.fixture(scope="module")
def served() -> Iterator[Lies]:
    with serve_lies() as app:
        yield app


@pytest.fixture
def app(served: Lies) -> Lies:
    """The application in the state that it begins in."""
    served.__init__(url=served.url)  # type: ignore[misc]
    return served


class Task:
    """A task that is recorded once and run with other values."""

    def __init__(self, client: AsyncClient, page: AsyncPage, app: Lies) -> None:
        self.tools, self.page, self.app = AsyncSubroutines(client), page, app
        self.made = pb.Subroutine()
        self.stopped = pb.StopRecordingResponse()

    async def record(self, path: str, act: Act, *, plan: str = "dom", logs: int = 0) -> None:
        """Records it, until the application's log has so many lines."""
        await self.page.navigate(f"{self.app.url}{path}")
        recording = await self.tools.start(self.page)
        await act(self.page)
        await until(lambda: len(self.app.log) >= logs)
        self.stopped = await self.tools.stop(self.page, recording)
        self.made = await self.tools.create(self.stopped.recording_id, name="Task", plan=plan)
        self.app.__init__(url=self.app.url)  # type: ignore[misc]

    async def run(self, **given: Any) -> pb.RunSubroutineResponse:
        return await self.tools.run(self.page, self.made.subroutine_id, given)


@pytest.fixture
async def task(client: AsyncClient, shared_page: AsyncPage, app: Lies) -> AsyncIterator[Task]:
    task = Task(client, shared_page, app)
    yield task
    if task.made.subroutine_id:
        await task.tools.delete(task.made.subroutine_id)


def said_and_sent(page: AsyncPage, field: str, text: str) -> Awaitable[Any]:
    async def act() -> None:
        await page.type_text(field, text, skip_diff=True)
        await page.click("button", skip_diff=True)

    return act()


async def test_a_request_that_leaves_after_the_visible_change_is_waited_for(task: Task) -> None:
    await task.record("/undo", lambda page: page.click("li:first-child button", skip_diff=True), logs=1)
    for name in ("Ben", "Cid"):  # the second run opens the page again: the first one's request has left by then
        done = await task.run(row=name)
        assert (done.success, done.sent, done.error) == (True, True, "")
    assert task.app.log == ["deleted Ben", "deleted Cid"]
    task.app.refuses = True
    refused = await task.run(row="Dan")
    assert (refused.success, refused.reason) == (False, "REFUSED")
    assert "not now" in refused.error


async def test_a_late_request_that_does_not_leave_is_not_known(task: Task) -> None:
    await task.record("/undo", lambda page: page.click("li:first-child button", skip_diff=True), logs=1)
    task.app.is_lazy = True
    with short_waits(answers=True):
        lost = await task.run(row="Ben")
    assert (lost.success, lost.reason, task.app.log) == (False, "UNVERIFIED", [])


@pytest.mark.parametrize("plan", ["dom", "network", "hybrid"])
async def test_an_answer_that_says_ok_and_sorry_is_no_success(task: Task, plan: str) -> None:
    await task.record("/subscribe", lambda page: said_and_sent(page, "#email", "a@b.co"), plan=plan, logs=1)
    assert 'message "Thank you, check your inbox"' in task.made.success_condition[0]
    assert (await task.run(email="c@d.co")).success
    task.app.refuses = True
    refused = await task.run(email="e@f.co")
    assert (refused.success, refused.reason, task.app.log) == (False, "REFUSED", ["subscribed c@d.co"])
    assert "Sorry, we could not subscribe you" in refused.error


@pytest.mark.parametrize("path", ["/stars", "/switches"])
async def test_the_state_of_a_toggle_is_set_and_not_taken_back(task: Task, path: str) -> None:
    await task.record(path, lambda page: page.click("tbody tr:first-child button", skip_diff=True), logs=1)
    first, again = await task.run(name="Ben"), await task.run(name="Ben")
    assert (first.success, first.sent, again.success, again.sent) == (True, True, True, False)
    assert "was set before" in again.confirmed_by[0]
    assert task.app.log == ["starred Ben"]


async def test_a_click_that_states_a_state_records_it(task: Task) -> None:
    task.app.starred.add("Ana")
    await task.record("/stars", lambda page: page.click("tbody tr:first-child button", checked=False), logs=1)
    task.app.starred.add("Ben")
    off, again = await task.run(name="Ben"), await task.run(name="Ben")
    assert (off.success, again.success, task.app.log, task.app.starred) == (True, True, ["unstarred Ben"], set())


@pytest.mark.parametrize("plan", ["dom", "network"])
async def test_an_object_of_the_start_address_leads_to_its_own_page(task: Task, plan: str) -> None:
    await task.record("/idx?title=Alpha", lambda page: said_and_sent(page, "[name=comment]", "first"), plan=plan)
    done = await task.run(url="/idx?title=Beta", comment="second")
    assert (done.success, done.error, task.app.pages) == (True, "", {"Beta": ["second"]})


async def test_a_message_over_a_websocket_is_confirmed_by_its_answer(task: Task) -> None:
    await task.record("/chat", lambda page: said_and_sent(page, "#text", "hello"), logs=1)
    assert task.made.success_condition[0] == "the answer has ok true, say"
    done = await task.run(message="good morning")
    assert (done.success, task.app.log) == (True, ["said good morning"])
    task.app.refuses = True
    refused = await task.run(message="good night")
    assert (refused.success, refused.sent, task.app.log) == (False, True, ["said good morning"])


@pytest.mark.parametrize(("path", "field"), [("/native", "[name=title]"), ("/stale", "#title")])
async def test_a_task_in_which_nothing_was_sent_has_no_success(task: Task, path: str, field: str) -> None:
    await task.record(path, lambda page: said_and_sent(page, field, "hello"))
    assert list(task.made.success_condition) == []
    assert "nothing was sent or stored" in task.made.plan_reason
    if path == "/native":
        assert any("Code: Please fill out this field" in each for each in task.stopped.left_out)
    done = await task.run(title="two")
    assert (done.success, done.reason, done.sent) == (False, "UNVERIFIED", False)


async def test_a_session_closes_after_what_its_last_click_sent(client: AsyncClient, app: Lies) -> None:
    app.is_slow = True
    page = await client.open(f"{app.url}/subscribe")
    await page.type_text("#email", "a@b.co", skip_diff=True)
    await page.click("button", skip_diff=True, settle_timeout=0)
    await page.close()
    assert app.answered == ["/api/subscribe"]

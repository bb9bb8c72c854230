"""A run is a success only where its effect was seen, over real gRPC: what the application did is read from itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from perception.client import AsyncClient, AsyncPage, AsyncSubroutines
from perception.page_words import unmarked_words
from perception.v1 import subroutine_service_pb2 as pb
from tests.support.effects_app import Effects, serve_effects
from tests.support.run_waits import short_waits

BOTH = pytest.mark.parametrize("plan", ["dom", "network"])


@pytest.fixture(scope="module")
def served() -> Iterator[Effects]:
    with serve_effects() as app:
        yield app


@pytest.fixture
def app(served: Effects) -> Effects:
    """The application in the state that it begins in."""
    served.__init__(url=served.url)  # type: ignore[misc]
    return served


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


@dataclass
class Made:
    """What tests have recorded and made so far: they only run it, so the next ones run it too."""

    recordings: dict[str, str] = field(default_factory=dict)
    subroutines: dict[tuple[str, str], pb.Subroutine] = field(default_factory=dict)


@pytest.fixture(scope="module")
async def made(client: AsyncClient) -> AsyncIterator[Made]:
    made = Made()
    yield made
    for each in made.subroutines.values():
        await AsyncSubroutines(client).delete(each.subroutine_id)


class Task:
    """A task on one page of the application, recorded by typing into fields and clicking a button."""

    def __init__(self, client: AsyncClient, page: AsyncPage, app: Effects, made: Made) -> None:
        self.tools = AsyncSubroutines(client)
        self.page = page
        self.app = app
        self._all = made
        self._made: pb.Subroutine | None = None

    async def record(self, path: str, plan: str, **typed: str) -> pb.Subroutine:
        """Makes a subroutine of that plan; the task is recorded once for all plans and tests."""
        if path not in self._all.recordings:
            self._all.recordings[path] = await self._record(path, typed)
            self.app.__init__(url=self.app.url)  # type: ignore[misc]
        if (path, plan) not in self._all.subroutines:
            name = f"Task {len(self._all.subroutines)}"
            made = await self.tools.create(self._all.recordings[path], name=name, plan=plan)
            self._all.subroutines[path, plan] = made
        self._made = self._all.subroutines[path, plan]
        return self._made

    async def _record(self, path: str, typed: Mapping[str, str]) -> str:
        await self.page.navigate(f"{self.app.url}{path}")
        recording_id = await self.tools.start(self.page)
        for name, value in typed.items():
            await self.page.type_text(f"[name={name}], #{name}", value, skip_diff=True)
        await self.page.click("button", skip_diff=True)
        await self.tools.stop(self.page, recording_id)
        return recording_id

    async def run(self, **given: Any) -> pb.RunSubroutineResponse:
        assert self._made is not None
        return await self.tools.run(self.page, self._made.subroutine_id, given)

    async def run_in_vain(self, **given: Any) -> pb.RunSubroutineResponse:
        """As `run`, where what it waits for does not come."""
        with short_waits():
            return await self.run(**given)


@pytest.fixture
def task(client: AsyncClient, page: AsyncPage, app: Effects, made: Made) -> Task:
    return Task(client, page, app, made)


@BOTH
@pytest.mark.parametrize("path", ["/login", "/portal"])
async def test_login_with_a_wrong_password_is_no_success(task: Task, path: str, plan: str) -> None:
    await task.record(path, plan, user="ana", password="right-password")
    right = await task.run(user="ben", password="right-password")
    assert (right.success, right.error, task.app.user) == (True, "", "ben")
    task.app.user = ""
    wrong = await task.run_in_vain(user="ben", password="not-the-password")
    assert (wrong.success, wrong.sent, task.app.user) == (False, True, "")
    assert wrong.reason in ("UNVERIFIED", "REFUSED", "DRIFT", "NOT_LOGGED_IN")


@BOTH
async def test_form_that_posts_to_itself_succeeds_where_its_row_appears(task: Task, plan: str) -> None:
    made = await task.record("/codes", plan, code="c0")
    assert any("{code}" in each for each in made.success_condition), made.success_condition
    assert "confirm(" in made.body
    for code in ("c1", "c2"):
        done = await task.run(code=code)
        assert (done.success, done.error) == (True, "")
        assert any(code in each for each in done.confirmed_by)
    again = await task.run_in_vain(code="c1")
    assert (again.success, again.reason, again.sent) == (False, "REFUSED", True)
    assert "c1 is a duplicate" in again.error
    assert task.app.done == ["c1", "c2"]
    task.app.is_stuck = True
    silent = await task.run_in_vain(code="c3")
    assert (silent.success, silent.sent) == (False, True)
    assert task.app.done == ["c1", "c2"]


@pytest.mark.parametrize("plan", ["dom", "network", "hybrid"])
async def test_refusal_of_an_api_with_status_200_is_no_success(task: Task, plan: str) -> None:
    made = await task.record("/tags", plan, tag="t0")
    assert list(made.success_condition) == ["the answer has ok true, id"]
    done = await task.run(tag="t1")
    assert (done.success, list(done.confirmed_by)) == (True, ["the answer has ok true, id"])
    refused = await task.run(tag="t1")
    assert (refused.success, refused.reason, refused.sent, refused.fell_back) == (False, "REFUSED", True, "")
    assert task.app.done == ["t1"]


@BOTH
async def test_message_after_a_redirect_has_to_be_that_of_a_success(task: Task, plan: str) -> None:
    await task.record("/tickets", plan, title="Old door")
    done = await task.run(title="New door")
    assert (done.success, done.error) == (True, "")
    assert any("Ticket New door was created" in each for each in done.confirmed_by)
    again = await task.run_in_vain(title="New door")
    assert (again.success, again.sent) == (False, True)
    assert again.reason == "UNVERIFIED"
    assert task.app.done == ["New door"]


@BOTH
async def test_object_whose_key_follows_an_action_is_given_and_redirects_are_followed_to_the_last(
    task: Task, plan: str
) -> None:
    made = await task.record("/box/update/WzJd", plan, shelf="left")
    assert "WzJd" not in made.body
    done = await task.run(url=f"{task.app.url}/box/update/WzNd", shelf="right")
    assert (done.success, done.error, task.app.done) == (True, "", ["WzNd to right"])


@BOTH
async def test_field_that_holds_its_value_after_loading_again_confirms(task: Task, plan: str) -> None:
    await task.record("/profile", plan, city="Oslo")
    done = await task.run(city="Lima")
    assert (done.success, done.error, task.app.done) == (True, "", ["Lima"])
    task.app.is_stuck = True
    lost = await task.run_in_vain(city="Bern")
    assert (lost.success, lost.reason, task.app.done) == (False, "UNVERIFIED", ["Lima"])


async def test_button_that_only_changes_its_state(task: Task) -> None:
    made = await task.record("/state", "dom")
    assert list(made.success_condition) == ['button "Follow" is pressed']
    done = await task.run()
    assert (done.success, list(done.confirmed_by)) == (True, ['button "Follow" [pressed] appeared'])
    task.app.is_stuck = True
    stuck = await task.run_in_vain()
    assert (stuck.success, stuck.reason, stuck.sent) == (False, "UNVERIFIED", True)


@pytest.mark.parametrize("plan", ["dom", "network", "hybrid"])
async def test_run_that_nothing_confirms_is_unverified_and_sent_once(task: Task, plan: str) -> None:
    made = await task.record("/silent", plan, tag="s0")
    assert list(made.success_condition) == []
    done = await task.run(tag="s1")
    assert (done.success, done.reason, done.sent, done.fell_back) == (False, "UNVERIFIED", True, "")
    assert ("nothing shows that it had an effect" in done.error, list(done.confirmed_by)) == (True, [])
    assert task.app.done == ["s1"]


FAULTS = [
    pytest.param(403, "<h1>Forbidden</h1><p>Your role may not add codes.</p>", "text/html", "role may not", id="403"),
    pytest.param(429, "Slow down: five codes a minute", "text/plain", "five codes a minute", id="429"),
    pytest.param(500, '{"message": "The disk is full"}', "application/json", "disk is full", id="500"),
    pytest.param(200, "<h1>Codes</h1><p>The code is too short</p>", "text/html", "too short", id="validation"),
]


@pytest.mark.parametrize("plan", ["dom", "hybrid"])
@pytest.mark.parametrize(("status", "body", "mime", "said"), FAULTS)
async def test_readable_refusal_is_quoted(task: Task, plan: str, status: int, body: str, mime: str, said: str) -> None:
    await task.record("/codes", plan, code="c0")
    task.app.fault, task.app.mime = (status, body), mime
    done = await task.run_in_vain(code="c1")
    assert (done.success, done.reason, done.sent, done.fell_back) == (False, "REFUSED", True, "")
    assert said in done.error


async def test_page_that_is_not_found_is_reported_as_such(task: Task) -> None:
    await task.record("/codes", "dom", code="c0")
    task.app.is_gone = True
    done = await task.run_in_vain(code="c1")
    assert (done.success, done.reason, done.sent) == (False, "DRIFT", False)
    assert "/codes answers 404: page not found" in unmarked_words(done.error)
    assert "There is no such page here" in done.error


@pytest.mark.parametrize(
    ("path", "apples"),
    [
        pytest.param("/goods", [{"Name": "Apple", "Price": "1.20", "url": "/goods/1"}], id="table"),
        pytest.param("/links", [{"text": "Apple", "url": "/goods/1"}], id="list"),
    ],
)
async def test_search_returns_what_it_found(task: Task, path: str, apples: list[dict[str, str]]) -> None:
    await task.record(path, "dom", q="ap")
    done = await task.run(search="apple")
    assert (done.success, done.error, done.sent) == (True, "", False)
    whole = [{**row, "url": f"{task.app.url}{row['url']}"} for row in apples]
    assert MessageToDict(done.data) == whole
    assert len(MessageToDict((await task.run(search="a")).data)) == 3
    none = await task.run(search="zucchini")
    assert (none.success, none.error, MessageToDict(none.data)) == (True, "", [])
    assert "the page says that there are no results" in none.confirmed_by


async def test_complaint_beside_a_sign_is_unverified(task: Task) -> None:
    await task.record("/codes", "dom", code="c0")
    task.app.fault = (200, "<h1>Codes</h1><div role=alert>The mail could not be sent</div><ul><li>c1</li></ul>")
    done = await task.run(code="c1")
    assert (done.success, done.reason, done.sent) == (False, "UNVERIFIED", True)
    assert "The mail could not be sent" in done.error

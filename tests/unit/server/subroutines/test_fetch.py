"""What a subroutine sends, and what answers to it mean."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from perception.browser.evaluate.evaluator import Evaluated
from perception.browser.recording.network_log import Exchange
from perception.deadline import Deadline
from perception.errors import BadInputError, DeadlineError, DriftError, NotLoggedInError, RefusedError
from perception.server.subroutines.fetch import MAX_BODY_BYTES, SubroutineRequests, is_expected
from tests.support.fakes import SITE, FakeEvaluator, FakeLink, open_tab


def reply(status: int = 200, text: str = "", **more: Any) -> Evaluated:
    """What the page's fetch returns."""
    value = {"status": status, "url": f"{SITE}/notes", "redirected": False, "mime": "text/plain", "text": text}
    return Evaluated(value | more)


class Log:
    """A network log with these exchanges, of which no more come."""

    def __init__(self, *exchanges: Exchange, body: str = "") -> None:
        self.exchanges = list(exchanges)
        self._body = body

    async def wait_for(self, is_true: Any, seconds: float) -> bool:
        return bool(is_true())

    async def body_of(self, exchange: Exchange, deadline: Deadline) -> str:
        return self._body


def exchange(method: str = "POST", path: str = "/notes", **more: Any) -> Exchange:
    session: Any = SimpleNamespace()
    given = {"done": True, "status": 200, **more}
    return Exchange("1", session, method, f"{SITE}{path}", given.pop("kind", "Fetch"), 0.0, **given)


@pytest.fixture
def link() -> FakeLink:
    return FakeLink()


async def make(
    link: FakeLink, *answers: Evaluated | Exception, log: Log | None = None, deadline: Deadline | None = None
) -> tuple[SubroutineRequests, FakeEvaluator]:
    evaluator = FakeEvaluator(*answers)
    tab: Any = await open_tab(link)
    requests = SubroutineRequests(tab, evaluator, log or Log(), SITE, deadline or Deadline.of(5), {})  # type: ignore[arg-type]
    return requests, evaluator


async def test_an_answer_is_handed_on_as_its_json(link: FakeLink) -> None:
    requests, evaluator = await make(link, reply(text='{"id": 5}', mime="application/json"))
    assert await requests.request("post", "/notes", {}) == {"id": 5}
    assert requests.sent
    assert f'"POST", "{SITE}/notes"' in evaluator.scripts[0].source


async def test_an_answer_without_json_is_its_status_and_path(link: FakeLink) -> None:
    requests, _ = await make(link, reply(204))
    assert await requests.request("GET", "notes", {}) == {"status": 204, "path": "/notes"}
    assert not requests.sent, "reading changes nothing"


@pytest.mark.parametrize("path", ["https://elsewhere.test/", "//elsewhere.test/", "http://site.test/notes"])
async def test_nothing_is_sent_to_another_origin(link: FakeLink, path: str) -> None:
    requests, evaluator = await make(link)
    with pytest.raises(BadInputError, match=f"leads to another origin than {SITE}"):
        await requests.request("POST", path, {})
    assert (requests.sent, evaluator.scripts) == (False, [])


async def test_a_request_that_is_too_large_is_not_sent(link: FakeLink) -> None:
    requests, evaluator = await make(link)
    with pytest.raises(
        BadInputError, match=f"the limit is {MAX_BODY_BYTES}: give shorter parameters; nothing was sent"
    ):
        await requests.request("POST", "/notes", {"body": "x" * MAX_BODY_BYTES})
    assert (requests.sent, evaluator.scripts) == (False, [])


async def test_nothing_is_sent_after_the_deadline(link: FakeLink) -> None:
    requests, evaluator = await make(link, deadline=Deadline.of(0))
    with pytest.raises(DeadlineError, match="sending the request"):
        await requests.request("POST", "/notes", {})
    assert (requests.sent, evaluator.scripts) == (False, [])


async def test_a_request_that_got_no_answer_counts_as_sent(link: FakeLink) -> None:
    requests, _ = await make(link, Evaluated(None, "TypeError: Failed to fetch"))
    with pytest.raises(RefusedError, match="POST /notes was not answered: TypeError: Failed to fetch"):
        await requests.request("POST", "/notes", {})
    assert requests.sent


async def test_a_refused_request_counts_as_sent(link: FakeLink) -> None:
    requests, _ = await make(link, reply(422, '{"error": "too long"}', mime="application/json"))
    with pytest.raises(RefusedError, match="too long"):
        await requests.request("POST", "/notes", {})
    assert requests.sent


async def test_a_token_is_read_from_where_it_was(link: FakeLink) -> None:
    requests, _ = await make(link)
    link.scripts['meta[name=\\"csrf\\"]'] = "T1"
    assert await requests.read_token({"meta": "csrf"}) == "T1"
    assert await requests.read_token(None) == "T1", "a usual place"


async def test_a_token_may_be_in_a_cookie_that_scripts_read(link: FakeLink) -> None:
    requests, _ = await make(link)
    link.scripts['"csrftoken="'] = "T2"
    assert await requests.read_token(None) == "T2"
    assert await requests.read_cookie("csrftoken") == "T2"


async def test_a_token_that_is_gone_is_named_before_anything_is_sent(link: FakeLink) -> None:
    requests, _ = await make(link)
    with pytest.raises(DriftError, match=r"no token any more \(meta 'csrf'\): nothing was sent") as caught:
        await requests.read_token({"meta": "csrf"})
    assert (caught.value.before, caught.value.after) == ("meta 'csrf'", "none")
    with pytest.raises(DriftError, match="usual place"):
        await requests.read_token(None)
    with pytest.raises(DriftError, match="no cookie 'session': nothing was sent"):
        await requests.read_cookie("session")
    assert not requests.sent


async def test_the_first_answered_request_since_a_mark_is_the_expected_one(link: FakeLink) -> None:
    before, other, wanted, later = exchange(), exchange("GET"), exchange(status=201), exchange(status=500)
    requests, _ = await make(link, log=Log(before, other, wanted, later))
    share = Deadline.of(5)
    assert await requests.wait_for_answer(1, {"method": "POST", "path": "/notes"}, share) is wanted
    assert await requests.wait_for_answer(1, {"method": "DELETE"}, share) is None


@pytest.mark.parametrize(
    ("sent", "expected", "is_it"),
    [
        pytest.param(exchange(), {"method": "POST"}, True, id="method"),
        pytest.param(exchange(), {"method": "PUT"}, False, id="another-method"),
        pytest.param(exchange(), {"path": "/notes"}, True, id="path"),
        pytest.param(exchange(), {"path": "/tasks"}, False, id="another-path"),
        pytest.param(exchange(kind="Preflight"), {}, False, id="preflight"),
        pytest.param(exchange(body='{"operationName": "Add"}'), {"operation": "Add"}, True, id="operation"),
        pytest.param(exchange(body='{"operationName": "Get"}'), {"operation": "Add"}, False, id="another-operation"),
        pytest.param(exchange(body="[]"), {"operation": "Add"}, False, id="no-operation"),
    ],
)
def test_a_request_is_expected_by_method_path_and_operation(
    sent: Exchange, expected: dict[str, str], is_it: bool
) -> None:
    assert is_expected(sent, expected) is is_it


async def test_the_pages_own_request_is_held_against_the_recorded_one(link: FakeLink) -> None:
    requests, _ = await make(link, log=Log(body='{"id": 5}'))
    created = exchange(status=201, mime="application/json")
    assert await requests.check_answer(created, {"status": 201}, "") == {"id": 5}
    with pytest.raises((RefusedError, DriftError)):
        await requests.check_answer(exchange(status=500), {"status": 201}, "")


async def test_a_request_of_the_page_that_failed_is_refused_with_chromiums_error(link: FakeLink) -> None:
    requests, _ = await make(link)
    with pytest.raises(RefusedError, match="POST /notes was not answered: net::ERR_FAILED"):
        await requests.check_answer(exchange(status=0, failed="net::ERR_FAILED"), {}, "")


async def test_a_form_that_leads_to_a_login_is_not_logged_in(link: FakeLink) -> None:
    requests, _ = await make(link)
    with pytest.raises(NotLoggedInError):
        await requests.check_answer(exchange(status=302, location=f"{SITE}/login"), {"status": 302}, "")
    done = await requests.check_answer(exchange(status=302, location=f"{SITE}/done"), {"status": 302}, "")
    assert done == {"status": 302, "path": "/notes"}

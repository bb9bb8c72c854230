"""One run of a subroutine: its steps, its end, and what it says was sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio

from perception.browser.evaluate.evaluator import Evaluated
from perception.browser.recording.network_log import Exchange
from perception.deadline import Deadline
from perception.errors import DeadlineError, PageChangingError, PageCrashedError
from perception.page_words import page_words
from perception.server.actions.action_context import ActionContext
from perception.server.subroutines import fetch, page_waits
from perception.server.subroutines import steps as steps_module
from perception.server.subroutines import subroutine_run as module
from perception.server.subroutines.outcome import Outcome
from perception.server.subroutines.subroutine_run import SubroutineRun
from perception.subroutines.stored import Stored
from perception.testing.fake_clock import FakeClock
from tests.support.fakes import SITE, FakeEvaluator, FakeLink, begin_action, commit, element, facts

SAVE = {"find": {"role": "button", "name": "Save"}}


def call(name: str, *args: Any) -> Evaluated:
    """The script's next call."""
    return Evaluated({"call": {"name": name, "args": args}})


def end(value: Any = None) -> Evaluated:
    return Evaluated({"value": value})


def threw(message: str, reason: str = "") -> Evaluated:
    return Evaluated({"threw": {"message": message, "reason": reason}})


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps_module, "APPEAR_SECONDS", 0.0)
    monkeypatch.setattr(page_waits, "URL_SECONDS", 0.0)
    monkeypatch.setattr(page_waits, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(fetch, "ANSWER_SECONDS", 0.0)
    monkeypatch.setattr(module, "POLL_SECONDS", 0.0)


@pytest_asyncio.fixture(loop_scope="function")
async def action() -> ActionContext:
    link = FakeLink()
    link.walker |= {"elementFacts": facts(), "clickBlockerAt": ""}
    return await begin_action(link)


def prepare(action: ActionContext, *answers: Evaluated | Exception, exchanges: list[Exchange] | None = None) -> Any:
    stored = Stored(
        "id", "add_note", "", SITE, "input", "", {}, 0.0, (), background=("POST /beat",), body="x", context=""
    )

    async def wait_for(is_done: Callable[[], bool], timeout_s: float) -> bool:
        return is_done()

    log: Any = SimpleNamespace(exchanges=[] if exchanges is None else exchanges, wait_for=wait_for)
    return SubroutineRun(stored, {}, action, FakeEvaluator(*answers), log, None)  # type: ignore[arg-type]


async def run(
    action: ActionContext, *answers: Evaluated | Exception, exchanges: list[Exchange] | None = None
) -> Outcome:
    """Runs a script to its end."""
    running = prepare(action, *answers, exchanges=exchanges)
    await running.run()
    outcome: Outcome = running.outcome
    return outcome


def exchange(method: str, path: str, kind: str = "Fetch", site: str = SITE) -> Exchange:
    session: Any = SimpleNamespace()
    return Exchange("1", session, method, f"{site}{path}", kind, 0.0, status=200, done=True)


async def test_a_script_without_calls_returns_its_value_and_is_unverified(action: ActionContext) -> None:
    outcome = await run(action, end({"id": 5}))
    assert (outcome.data, outcome.reason, outcome.steps, outcome.sent) == ({"id": 5}, "UNVERIFIED", [], False)
    assert "nothing shows that it had an effect" in outcome.error


async def test_each_call_is_a_step(action: ActionContext) -> None:
    action.tab.capturer.elements = (element("button", "Save"),)  # type: ignore[attr-defined]
    outcome = await run(action, call("click", SAVE), call("waitFor", SAVE), end())
    assert [(each.description, each.done) for each in outcome.steps] == [
        ('click button "Save"', True),
        ('wait for button "Save"', True),
    ]
    assert action.tab.page.acts() == [("click", 10, 5, "left", 1)]  # type: ignore[attr-defined]


async def test_a_step_that_drifted_ends_the_run_and_says_that_nothing_was_sent(action: ActionContext) -> None:
    message = 'button "Save" is not there any more: nothing was done'
    outcome = await run(action, call("click", SAVE), threw(message, "DRIFT"))
    assert outcome.error == f'at step 1 (click button "Save"): {message}; nothing had been sent'
    assert (outcome.reason, outcome.before, outcome.after) == ("DRIFT", 'button "Save"', "no button")
    assert not outcome.steps[0].done
    assert outcome.steps[0].error == message


async def test_an_error_of_the_script_itself_has_its_own_reason(action: ActionContext) -> None:
    outcome = await run(action, threw("no such note"))
    assert (outcome.error, outcome.reason) == (f"{page_words('no such note')}; nothing had been sent", "SCRIPT")


async def test_a_script_may_handle_an_error_and_go_on(action: ActionContext) -> None:
    outcome = await run(action, call("click", SAVE), call("fallBack", "it drifted"), end("done"))
    assert (outcome.data, outcome.reason, outcome.fell_back) == ("done", "UNVERIFIED", "it drifted")


async def test_a_call_that_there_is_not_breaks_the_script(action: ActionContext) -> None:
    outcome = await run(action, call("format", "c:"), threw("the script calls 'format', which there is not"))
    assert outcome.reason == "SUBROUTINE_BROKEN"


async def test_a_call_that_names_no_element_breaks_the_script(action: ActionContext) -> None:
    outcome = await run(action, call("click", {}), end())
    assert "names no element" in outcome.steps[0].error


async def test_a_script_that_cannot_be_run_is_broken(action: ActionContext) -> None:
    outcome = await run(action, Evaluated(None, "SyntaxError: Unexpected token"))
    assert outcome.reason == "SUBROUTINE_BROKEN"
    assert "SyntaxError" in outcome.error


async def test_a_script_that_takes_another_way_is_broken(action: ActionContext) -> None:
    outcome = await run(action, Evaluated({"strayed": {"at": 0, "was": "click", "name": "type"}}))
    assert outcome.reason == "SUBROUTINE_BROKEN"


async def test_a_script_that_is_caught_in_a_loop_is_ended(
    action: ActionContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_CALLS", 2)
    outcome = await run(action, *(call("fallBack", "again") for _ in range(3)))
    assert "over 2 calls: it is caught in a loop" in outcome.error
    assert len(outcome.steps) == 2


async def test_nothing_is_done_on_another_origin(action: ActionContext) -> None:
    action.tab.capturer.elements = (element("button", "Save"),)  # type: ignore[attr-defined]
    commit(action.tab, "https://elsewhere.test/", loader="loader-t1")
    outcome = await run(action, call("click", SAVE), end())
    assert "the page has gone to https://elsewhere.test" in outcome.steps[0].error
    assert action.tab.page.acts() == []  # type: ignore[attr-defined]


async def test_a_body_is_run_again_when_its_page_went_away(action: ActionContext) -> None:
    outcome = await run(action, PageChangingError("going"), PageChangingError("going"), end("done"))
    assert outcome.data == "done"


async def test_a_page_that_always_goes_away_ends_the_run(action: ActionContext) -> None:
    outcome = await run(action, *(PageChangingError("going") for _ in range(module.MAX_RETRIES)))
    assert outcome.reason == "PAGE_CHANGING"


@pytest.mark.parametrize(
    "error", [DeadlineError("late", phase="looking", dispatched=False), PageCrashedError("crashed")]
)
async def test_a_lost_tab_ends_the_call_and_the_outcome_says_where(action: ActionContext, error: Exception) -> None:
    action.tab.capturer.error = error  # type: ignore[attr-defined]
    running = prepare(action, call("click", SAVE))
    with pytest.raises(type(error)):
        await running.run()
    assert running.outcome.error.startswith('at step 1 (click button "Save")')
    assert running.outcome.steps[0].error


async def run_click(action: ActionContext, *sent: Exchange) -> Outcome:
    """Runs a script that fails after a click, at which the page sends something."""
    exchanges = [exchange("POST", "/before")]
    capturer: Any = action.tab.capturer
    capturer.elements = (element("button", "Save"),)
    replies: dict[str, Any] = action.tab.link.link.replies  # type: ignore[attr-defined]
    input_done = replies["Input.dispatchMouseEvent"]

    def act(event: dict[str, Any]) -> Any:
        if event["type"] == "mouseReleased":
            exchanges.extend(sent)
        return input_done(event)

    replies["Input.dispatchMouseEvent"] = act
    return await run(action, call("click", SAVE), threw("no"), exchanges=exchanges)


@pytest.mark.parametrize(
    ("sent", "counts"),
    [
        pytest.param(exchange("POST", "/notes"), True, id="changes-something"),
        pytest.param(exchange("GET", "/notes"), False, id="reads"),
        pytest.param(exchange("POST", "/beat"), False, id="background"),
        pytest.param(exchange("POST", "/notes", site="https://api.site.test"), True, id="api-of-the-site"),
    ],
)
async def test_what_the_page_sent_since_the_first_input_counts(
    action: ActionContext, sent: Exchange, counts: bool
) -> None:
    outcome = await run_click(action, sent)
    assert outcome.sent is counts
    said = "a request that may have changed something had been sent" if counts else "nothing had been sent"
    assert outcome.error.endswith(said)


@pytest.mark.parametrize(
    ("sent", "named"),
    [
        pytest.param([exchange("POST", "/log?a", kind="Ping")], "POST {/log} by sendBeacon", id="beacon"),
        pytest.param(
            [exchange("POST", "/a", site="https://other.test")], "POST {https://other.test/a}", id="other-site"
        ),
        pytest.param(
            [exchange("PUT", f"/{path}", site="https://other.test") for path in "abbcde"],
            "PUT {https://other.test/a}, PUT {https://other.test/b}, PUT {https://other.test/c} and 2 more",
            id="several",
        ),
        pytest.param([exchange("POST", "/g", site="https://www.google-analytics.com")], "", id="telemetry"),
        pytest.param([exchange("POST", "/beat", kind="Ping")], "", id="background"),
    ],
)
async def test_what_does_not_count_as_sent_is_named(action: ActionContext, sent: list[Exchange], named: str) -> None:
    outcome = await run_click(action, *sent)
    assert not outcome.sent
    named = re.sub(r"\{(.*?)\}", lambda found: page_words(found[1]), named)
    said = f"the page had sent only beacons or requests to other sites ({named}): look whether they changed something"
    assert outcome.error.endswith(said if named else "; nothing had been sent")


async def test_requests_are_reported_without_their_queries(action: ActionContext) -> None:
    other = exchange("GET", "/x")
    other.url = "https://elsewhere.test/x"
    exchanges = [exchange("GET", "/notes?token=1#x"), exchange("GET", "/style", kind="Stylesheet"), other]
    outcome = await run(action, end(), exchanges=exchanges)
    assert outcome.all_requests == [("GET", f"{SITE}/notes", 200)]


async def test_requests_that_matter_are_those_that_may_change_something_show_a_page_or_fail(
    action: ActionContext,
) -> None:
    failed = exchange("GET", "/gone")
    failed.status = 404
    shown = exchange("GET", "/", kind="Document")
    exchanges = [exchange("GET", "/list"), exchange("POST", "/beat"), exchange("POST", "/save"), failed, shown]
    outcome = await run(action, end(), exchanges=exchanges)
    assert [(method, url.removeprefix(SITE)) for method, url, _ in outcome.requests] == [
        ("POST", "/save"),
        ("GET", "/gone"),
        ("GET", "/"),
    ]
    assert len(outcome.all_requests) == len(exchanges)


async def test_an_address_that_does_not_come_ends_in_the_sites_own_words(action: ActionContext) -> None:
    action.tab.capturer.elements = (element("alert", "Too long"),)  # type: ignore[attr-defined]
    outcome = await run(action, call("waitForUrl", "/done"), end())
    assert outcome.steps[0].error == f"the address /done did not come; the page says: {page_words('Too long')}"


@pytest.mark.parametrize(
    "wait", [call("waitForUrl", "/done"), call("waitForRequest", {"method": "POST"})], ids=["url", "request"]
)
async def test_a_wait_ends_by_what_the_page_says_against_it(
    action: ActionContext, monkeypatch: pytest.MonkeyPatch, wait: Evaluated
) -> None:
    monkeypatch.setattr(page_waits, "URL_SECONDS", 1e6)
    monkeypatch.setattr(fetch, "ANSWER_SECONDS", 1e6)
    monkeypatch.setattr(page_waits, "REFUSAL_SECONDS", 0.0)
    action.tab.capturer.elements = (element("alert", "The note is invalid"),)  # type: ignore[attr-defined]
    outcome = await run(action, wait, end())
    assert outcome.steps[0].error.endswith(f"the page says: {page_words('The note is invalid')}")


def test_a_complaint_counts_once_it_has_stayed() -> None:
    clock = FakeClock()
    refusal = page_waits._Refusal(Deadline.of(60, clock))
    looks: list[tuple[set[str], bool]] = [
        ({"Too long"}, False),
        ({"Too long", "Wrong"}, False),
        ({"Wrong"}, False),
        (set(), False),
        ({"Wrong"}, False),
        ({"Wrong"}, False),
        ({"Wrong", "Too long"}, True),
    ]
    for said, lasts in looks:
        assert not refusal.is_due()
        clock.advance(0.5)
        assert refusal.is_due()
        assert refusal.lasts(frozenset(said)) is lasts


async def test_an_address_that_is_shown_is_returned(action: ActionContext) -> None:
    commit(action.tab, f"{SITE}/done", loader="loader-t1")
    assert (await run(action, call("waitForUrl", "/done"), end())).steps[0].done

"""A real local HTTP server plays the endpoint: each test says what it answers, and looks at what it was asked."""

from __future__ import annotations

import logging
import pickle
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from perception.bench.llm.llm_policy import BudgetSpentError, LlmPolicy, Spent, read_choice, write_prompt
from perception.bench.looks.look_output import ListedElement, LookOutput
from perception.errors import BadInputError, PerceptionError
from perception.geometry import Box
from perception.llm.endpoint import MAX_WAIT_SECONDS, Endpoint, EndpointError, ModelReply, Prices
from tests.support.played_model import Played, Reply, fails, says

KEY, KEY_ENV = "sk-very-secret-1234", "TEST_LLM_KEY"

SAVE = ListedElement("e5", "button", "Save", Box(10, 10, 90, 40), True, True, point=(50, 20))
DOCS = ListedElement("e12", "link", "Docs", Box(100, 10, 140, 30), True, True)
PEER = ListedElement("e9", "link", "Far", None, True, True)
SEEN = LookOutput(
    "page@1", "id", "fused", (SAVE, DOCS, PEER), text='- button "Save" [ref=e5]\n- link "Docs" [ref=e12]\n'
)


@pytest.fixture
def played() -> Iterator[Played]:
    endpoint = Played()
    yield endpoint
    endpoint.close()


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_ENV, KEY)


@dataclass(slots=True)
class Waits:
    """Stands for the sleep between attempts: notes what would have been waited."""

    seconds: list[float] = field(default_factory=list)

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> Waits:
    noted = Waits()
    monkeypatch.setattr("tenacity.nap.time.sleep", noted)
    return noted


def policy(played: Played, *, timeout_s: float = 10, **details: Any) -> LlmPolicy:
    return LlmPolicy(Endpoint(played.url, "small", KEY_ENV, timeout_s), **details)


def test_a_good_answer_is_the_element_and_what_it_cost(played: Played) -> None:
    played.replies = [says('{"ref": "e5"}')]
    asker = policy(played, prices=Prices(2.0, 8.0))
    choice = asker.choose('click "Save"', SEEN)
    assert choice is not None
    assert (choice.element, choice.point) == (SAVE, (50, 20))
    assert asker.spent == Spent(1, 1200, 10, (2.0 * 1200 + 8.0 * 10) / 1e6)


def test_the_model_gets_the_list_the_instruction_and_the_key_in_a_header(played: Played) -> None:
    played.replies = [says('{"ref": "e5"}')]
    policy(played).choose('click "Save"', SEEN)
    path, headers, body = played.asked[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body["model"] == "small"
    assert body["temperature"] == 0
    assert body["messages"] == write_prompt('click "Save"', SEEN)
    assert SEEN.text in body["messages"][1]["content"]
    assert body["messages"][1]["content"].endswith('click "Save"')


def test_an_endpoint_without_a_key_gets_none(played: Played) -> None:
    played.replies = [says('{"ref": "e5"}')]
    LlmPolicy(Endpoint(played.url + "/", "small", options={})).choose("x", SEEN)
    path, headers, body = played.asked[0]
    assert path == "/v1/chat/completions"
    assert "Authorization" not in headers
    assert set(body) == {"model", "messages"}


@pytest.mark.parametrize(
    ("text", "ref", "point"),
    [
        pytest.param('{"ref": "e12"}', "e12", (120, 20), id="ref-clicked-in-its-middle"),
        pytest.param('```json\n{"ref": "e5"}\n```', "e5", (50, 20), id="fenced"),
        pytest.param('I think {it} is {"ref": "[ref=e5]"}, since it says Save.', "e5", (50, 20), id="among-words"),
        pytest.param('{"ref": "@e5"}', "e5", (50, 20), id="ref-as-agents-write-it"),
        pytest.param('{"action": {"ref": "e5"}}', "e5", (50, 20), id="nested"),
        pytest.param('{"ref": "e12"} – no: {"ref": "e5"}', "e5", (50, 20), id="the-last-one-counts"),
        pytest.param('{"x": 412, "y": 310.5}', "", (412, 310.5), id="a-place"),
        pytest.param('{"x": "412", "y": "310"}', "", (412, 310), id="a-place-in-strings"),
    ],
)
def test_answers_are_read_in_the_forms_that_models_give(text: str, ref: str, point: tuple[float, float]) -> None:
    choice = read_choice(text, SEEN)
    assert choice is not None
    assert (choice.element.ref, choice.point) == (ref, point)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("the Save button", id="words"),
        pytest.param('{"ref": null}', id="nothing-fits"),
        pytest.param('{"ref": "e77"}', id="unlisted-ref"),
        pytest.param('{"ref": ""}', id="empty-ref"),
        pytest.param('{"ref": "e9"}', id="element-without-a-place"),
        pytest.param('{"ref": "e5"', id="cut-off"),
        pytest.param('{"x": 1}', id="half-a-place"),
        pytest.param('{"x": NaN, "y": Infinity}', id="no-numbers"),
        pytest.param('{"x": true, "y": false}', id="truth-values"),
        pytest.param('{"x": [1], "y": {}}', id="lists"),
        pytest.param('{"x": 1' + "0" * 400 + ', "y": 1}', id="beyond-floats"),
        pytest.param('["e5"]', id="list"),
        pytest.param('{"a":' * 100_000, id="nested-too-deep"),
        pytest.param('{"a":' + "[" * 100_000 + "]" * 100_000 + "}", id="lists-too-deep"),
    ],
)
def test_what_names_nothing_that_is_listed_chooses_nothing(text: str) -> None:
    assert read_choice(text, SEEN) is None


def test_garbage_is_a_wrong_answer_that_is_paid_for(played: Played) -> None:
    played.replies = [says("I cannot do that.")]
    asker = policy(played, prices=Prices(1, 1))
    assert asker.choose("x", SEEN) is None
    assert (asker.spent.answers, asker.spent.unread) == (1, 1)
    assert asker.spent.cost > 0


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param(None, "", id="refusal"),
        pytest.param(
            [{"type": "text", "text": '{"ref": '}, {"type": "text", "text": '"e5"}'}], '{"ref": "e5"}', id="parts"
        ),
    ],
)
def test_messages_of_other_forms_are_read(played: Played, content: Any, text: str) -> None:
    played.replies = [says(content)]
    assert policy(played).ask("x", SEEN).text == text


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None, "completion_tokens": 3}, {"prompt_tokens": -1}, 7])
def test_tokens_that_the_endpoint_does_not_count_are_estimated(played: Played, usage: Any) -> None:
    played.replies = [says('{"ref": "e5"}', usage)]
    answer = policy(played, prices=Prices(1, 1)).ask("x", SEEN)
    assert answer.estimated
    assert 100 < answer.prompt_tokens < 400
    assert 3 <= answer.completion_tokens <= 10


def test_a_page_with_half_a_letter_can_be_asked_about(played: Played) -> None:
    played.replies = [says('{"ref": "e5"}', None)]
    odd = LookOutput("p", "i", "w", (SAVE,), text='- button "\ud83d" [ref=e5]\n')
    assert policy(played).choose("x", odd) is not None


def test_a_busy_endpoint_is_asked_again_after_a_growing_wait(played: Played, waits: Waits) -> None:
    played.replies = [fails(429), fails(503), says('{"ref": "e5"}')]
    assert policy(played).choose("x", SEEN) is not None
    assert waits.seconds == [1.0, 2.0]
    assert len(played.asked) == 3


def test_a_delay_given_by_the_endpoint_is_respected(played: Played, waits: Waits) -> None:
    played.replies = [fails(429, Retry_After="7"), says('{"ref": "e5"}')]
    policy(played).choose("x", SEEN)
    assert waits.seconds == [7.0]


def test_an_endpoint_that_asks_for_too_long_a_delay_is_not_retried(played: Played, waits: Waits) -> None:
    played.replies = [fails(429, "slow down", Retry_After=str(MAX_WAIT_SECONDS + 1))]
    with pytest.raises(EndpointError, match="answered 429: slow down"):
        policy(played).choose("x", SEEN)
    assert waits.seconds == []


def test_an_endpoint_that_stays_busy_is_given_up_after_four_times(played: Played) -> None:
    played.replies = [fails(500, "overloaded")]
    asker = policy(played)
    with pytest.raises(EndpointError, match="answered 500 4 times: overloaded"):
        asker.choose("x", SEEN)
    assert len(played.asked) == 4
    assert asker.spent == Spent()


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_names_its_variable_and_not_itself(played: Played, status: int) -> None:
    played.replies = [fails(status, f"Incorrect API key provided: {KEY}.")]
    with pytest.raises(BadInputError, match=rf"refuses the key in \${KEY_ENV} \({status}\): Incorrect .* …") as caught:
        policy(played).choose("x", SEEN)
    assert KEY not in str(caught.value)
    assert len(played.asked) == 1


def test_a_wrong_model_is_named(played: Played) -> None:
    played.replies = [fails(404, "The model does not exist")]
    with pytest.raises(BadInputError, match=r"has no model 'small'.*does not exist"):
        policy(played).choose("x", SEEN)


def test_a_refused_question_is_that_questions_failure(played: Played) -> None:
    played.replies = [fails(400, "context too long")]
    with pytest.raises(EndpointError, match="answered 400: context too long"):
        policy(played).choose("x", SEEN)
    assert len(played.asked) == 1


def test_a_redirect_is_not_followed(played: Played) -> None:
    played.replies = [fails(307, Location=played.url + "/elsewhere")]
    with pytest.raises(BadInputError, match=r"sends elsewhere \(307\)"):
        policy(played).choose("x", SEEN)
    assert len(played.asked) == 1


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(Reply(b"", hang=True), id="silent"),
        pytest.param(Reply(b"", trickle=True), id="in-drops"),
        pytest.param(Reply(b"", 500, trickle=True), id="a-failure-in-drops"),
    ],
)
def test_an_endpoint_that_does_not_answer_in_time_is_an_error(played: Played, reply: Reply) -> None:
    played.replies = [reply]
    with pytest.raises(EndpointError, match=r"no answer in 0\.3 s"):
        policy(played, timeout_s=0.3).choose("x", SEEN)
    assert played.arrived.wait(30)  # its thread may read the question later than that
    assert len(played.asked) == 1


def test_an_unreachable_address_is_an_error() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        asker = LlmPolicy(Endpoint(f"http://127.0.0.1:{free.getsockname()[1]}/v1", "small"))
        with pytest.raises(EndpointError, match=r"cannot be asked: .*refused"):
            asker.choose("x", SEEN)


@pytest.mark.parametrize(
    "body",
    [
        b"<html>hello</html>",
        b"{}",
        b"[]",
        b'{"choices": []}',
        b'{"choices": [{"message": null}]}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_what_is_no_chat_completion_is_an_error(played: Played, body: bytes) -> None:
    played.replies = [Reply(body)]
    with pytest.raises(EndpointError, match="not a chat completion"):
        policy(played).choose("x", SEEN)


def test_a_budget_stops_before_the_question_that_would_exceed_it(played: Played) -> None:
    played.replies = [says('{"ref": "e5"}')]
    asker = policy(played, prices=Prices(1000.0, 0), max_cost=2.5)  # 1.2 an answer
    asker.choose("x", SEEN)
    asker.choose("x", SEEN)
    with pytest.raises(BudgetSpentError, match=r"2\.4000 of 2\.5 is spent on 2 answers"):
        asker.choose("x", SEEN)
    assert len(played.asked) == 2
    assert asker.spent.answers == 2


def test_a_budget_too_small_for_one_question_sends_none(played: Played) -> None:
    with pytest.raises(BudgetSpentError):
        policy(played, prices=Prices(1000.0, 0), max_cost=0.01).choose("x", SEEN)
    assert played.asked == []


def test_a_budget_without_prices_is_refused(played: Played) -> None:
    with pytest.raises(BadInputError, match="a budget needs prices"):
        policy(played, max_cost=1.0)


@pytest.mark.parametrize(
    "url", ["", "api.example.com/v1", "ftp://x/v1", "file:///etc/passwd", "http://", "http://[/v1"]
)
def test_an_invalid_address_is_refused(url: str) -> None:
    with pytest.raises(BadInputError, match="is not an endpoint"):
        Endpoint(url, "small")


def test_a_key_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(BadInputError) as caught:
        Endpoint(f"https://me:{KEY}@api.example.com/v1", "small")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param("", "no key in", id="empty"),
        pytest.param("sk-a\nX-Evil: 1", "spaces or letters", id="a-second-header"),
        pytest.param("sk-ключ", "spaces or letters", id="not-ascii"),
    ],
)
def test_a_key_that_cannot_be_sent_is_refused_by_its_variables_name(
    value: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_ENV, value)
    with pytest.raises(BadInputError, match=f"{message}.*") as caught:
        Endpoint("http://127.0.0.1:1/v1", "small", KEY_ENV)
    assert KEY_ENV in str(caught.value)
    assert "sk-" not in str(caught.value)


def test_the_key_is_in_no_value_and_no_log(played: Played, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    played.replies = [says('{"ref": "e5"}')]
    asker = policy(played)
    answer = asker.ask("x", SEEN)
    assert isinstance(answer, ModelReply)
    endpoint = Endpoint(played.url, "small", KEY_ENV)
    assert KEY not in repr((endpoint, vars(asker), answer, asker.spent)) + caplog.text
    assert KEY.encode() not in pickle.dumps(endpoint)


def test_its_errors_are_the_projects_own() -> None:
    assert issubclass(EndpointError, PerceptionError)
    assert issubclass(BudgetSpentError, PerceptionError)

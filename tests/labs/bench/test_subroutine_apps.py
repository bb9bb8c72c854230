"""The judging of runs in real applications: pure parts with fakes, the proxy with a small server."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from perception.bench.pages.local_site import serve_handler
from perception.bench.suites.subroutines.app_outcomes import AppRun, count_runs
from perception.bench.suites.subroutines.app_runs import app_plan
from perception.bench.suites.subroutines.apps import MODULES, load_app, load_tasks
from perception.bench.suites.subroutines.apps.installing import read_packages
from perception.bench.suites.subroutines.concurrent_edit import ConcurrentEdit
from perception.bench.suites.subroutines.effects import (
    Change,
    Effect,
    Ending,
    RunAnswer,
    State,
    has_found,
    judge,
    judge_rows,
)
from perception.bench.suites.subroutines.fault_proxy import BANNER, FaultProxy, Faults, serve_proxy
from perception.bench.suites.subroutines.task import fill, map_parameters, word
from perception.errors import BadInputError

BEFORE: State = {"person/1": {"city": "Lima", "country": "PE"}, "person/2": {"city": "Oslo", "country": "NO"}}

MOVED = Effect(Change.CHANGED, "person/1", {"city": "Cusco"})

ADDED = Effect(Change.CREATED, "person/", {"city": "Rome"})

OK = RunAnswer(True)


def after(*, without: str = "", **fields: dict[str, str]) -> State:
    """The state before, with other fields: `p1` and `p2` change, others are new."""
    changed = {record: {**values, **fields.get(f"p{record[-1]}", {})} for record, values in BEFORE.items()}
    new = {f"person/{name}": values for name, values in fields.items() if name not in ("p1", "p2")}
    return {record: values for record, values in {**changed, **new}.items() if record != without}


@pytest.mark.parametrize(
    ("state", "wanted", "answer", "ending"),
    [
        pytest.param(after(p1={"city": "Cusco"}), MOVED, OK, Ending.RIGHT, id="changed"),
        pytest.param(after(p2={"city": "Cusco"}), MOVED, OK, Ending.WRONG, id="another record"),
        pytest.param(after(p1={"city": "Cusco", "country": "CL"}), MOVED, OK, Ending.WRONG, id="another field too"),
        pytest.param(
            after(p1={"city": "Cusco"}, without="person/2"), MOVED, OK, Ending.WRONG, id="another one deleted"
        ),
        pytest.param(BEFORE, MOVED, OK, Ending.FALSE_SUCCESS, id="success and nothing"),
        pytest.param(BEFORE, MOVED, RunAnswer(False, "DRIFT"), Ending.REFUSED, id="refused"),
        pytest.param(BEFORE, MOVED, RunAnswer(False, "DRIFT", sent=True), Ending.FAILED, id="failed"),
        pytest.param(BEFORE, MOVED, RunAnswer(False, "UNVERIFIED", sent=True), Ending.UNVERIFIED, id="unverified"),
        pytest.param(
            after(p1={"city": "Cusco"}), MOVED, RunAnswer(False, "UNVERIFIED"), Ending.UNVERIFIED, id="unverified, done"
        ),
        pytest.param(after(p1={"city": "Cusco"}), MOVED, RunAnswer(False, "DRIFT"), Ending.UNREPORTED, id="unreported"),
        pytest.param(after(x={"city": "Rome"}), ADDED, OK, Ending.RIGHT, id="created"),
        pytest.param(after(x={"city": "Rome"}, y={"city": "Rome"}), ADDED, OK, Ending.DOUBLE, id="created twice"),
        pytest.param(after(x={"city": "Bonn"}), ADDED, OK, Ending.WRONG, id="created with other values"),
        pytest.param(
            after(p2={"city": "Cusco"}), MOVED, RunAnswer(False, "UNVERIFIED"), Ending.WRONG, id="unverified, wrong"
        ),
        pytest.param(after(without="person/1"), Effect(Change.DELETED, "person/1"), OK, Ending.RIGHT, id="deleted"),
    ],
)
def test_a_run_is_judged_by_the_records(state: State, wanted: Effect, answer: RunAnswer, ending: Ending) -> None:
    assert judge(BEFORE, state, (wanted,), answer).ending is ending


def test_half_of_a_task_is_a_wrong_effect_even_when_it_is_refused() -> None:
    wanted = (MOVED, Effect(Change.CREATED, "log/"))
    judged = judge(BEFORE, after(p1={"city": "Cusco"}), wanted, RunAnswer(False, "DRIFT", sent=True))
    assert (judged.ending, judged.done, judged.stray) == (Ending.WRONG, False, ())


LOGGED = Effect(Change.CREATED, "log/")

REFUSED = RunAnswer(False, "REFUSED", sent=True)


@pytest.mark.parametrize(
    ("state", "answers", "endings"),
    [
        pytest.param(after(p1={"city": "Cusco"}, x={"city": "Rome"}), (OK, OK), "RIGHT RIGHT", id="both"),
        pytest.param(
            after(x={"city": "Rome"}), (REFUSED, OK), "FAILED RIGHT", id="the log is of the row that was done"
        ),
        pytest.param(after(x={"city": "Rome"}), (OK, OK), "FALSE_SUCCESS RIGHT", id="success and nothing"),
        pytest.param(
            after(p1={"city": "Cusco"}, x={"city": "Rome"}, y={"city": "Rome"}), (OK, OK), "RIGHT DOUBLE", id="twice"
        ),
        pytest.param(
            after(p1={"city": "Cusco"}, p2={"city": "Bonn"}, x={"city": "Rome"}), (OK, OK), "RIGHT WRONG", id="stray"
        ),
    ],
)
def test_rows_of_a_batch_are_judged_by_the_records(
    state: State, answers: tuple[RunAnswer, RunAnswer], endings: str
) -> None:
    done = sum(record.startswith("person/x") or fields["city"] == "Cusco" for record, fields in state.items())
    logged = {f"log/{number}": {"of": "somebody"} for number in range(done)}
    wanted = ((MOVED, LOGGED), (ADDED, LOGGED))
    judged = judge_rows(BEFORE, {**state, **logged}, tuple(zip(wanted, answers, strict=True)))
    assert " ".join(each.ending.name for each in judged) == endings


def app_run(ending: Ending, *, doable: bool = True, lost: bool = False) -> AppRun:
    return AppRun("trac", "comment", "none", doable, ending, False, (), "", "", 1.0, "DOM", lost)


def test_a_refusal_is_false_only_where_the_task_can_be_done() -> None:
    counts = count_runs([app_run(Ending.REFUSED), app_run(Ending.FAILED, doable=False), app_run(Ending.RIGHT)])
    assert (counts.runs, counts.doable, counts.false_refusals, counts.right) == (3, 2, 1, 1)
    assert count_runs([]).false_refusal_share == 0


def test_a_lost_answer_is_counted_apart_and_is_no_finding() -> None:
    runs = [app_run(Ending.UNREPORTED), app_run(Ending.UNREPORTED, lost=True), app_run(Ending.WRONG, lost=True)]
    counts = count_runs(runs)
    assert (counts.unreported, counts.lost, counts.wrong) == (1, 1, 1)
    assert [run.is_finding for run in runs] == [True, False, True]


class _People:
    """An application's records, as `ConcurrentEdit` uses them."""

    def __init__(self) -> None:
        self.records = {name: dict(fields) for name, fields in BEFORE.items()}

    def change(self, record: str, name: str, value: str) -> None:
        self.records[record][name] = value

    def truth(self) -> State:
        return {name: dict(fields) for name, fields in self.records.items()}


@pytest.mark.parametrize(
    ("stays_by_hand", "overwritten", "ending"),
    [
        pytest.param(True, False, Ending.RIGHT, id="stays"),
        pytest.param(False, False, Ending.RIGHT, id="stays, and would not by hand"),
        pytest.param(False, True, Ending.RIGHT, id="is gone, as by hand"),
        pytest.param(True, True, Ending.WRONG, id="is gone, and would stay by hand"),
    ],
)
def test_an_edit_under_way_is_lost_only_where_a_person_loses_it(
    stays_by_hand: bool, overwritten: bool, ending: Ending
) -> None:
    people = _People()
    edit = ConcurrentEdit(people, "person/1", "country", "CL")  # type: ignore[arg-type]  # has what is used of it
    edit.make()
    people.change("person/1", "city", "Cusco")
    if overwritten:
        people.change("person/1", "country", "PE")
    judged_from = edit.judged_from(BEFORE, people.truth(), stays_by_hand=stays_by_hand)
    assert judge(judged_from, people.truth(), (MOVED,), OK).ending is ending


RECORDED = {"id": "7", "city": "Lima", "name": "Ana Ruiz"}
WANTED = {"id": "12", "city": "Cusco", "name": "Eva Paz"}


@pytest.mark.parametrize(
    ("example", "value"),
    [
        pytest.param("Lima", "Cusco", id="a value"),
        pytest.param("7", "12", id="a number"),
        pytest.param("http://host/person/7/change/", "http://host/person/12/change/", id="an address"),
        pytest.param("/person/77/7", "/person/77/12", id="a number as a whole part only"),
        pytest.param("View Ana Ruiz", "View Eva Paz", id="a name in a text"),
    ],
)
def test_a_parameter_is_found_by_its_example(example: str, value: str) -> None:
    schema = {"properties": {"any": {"type": "string", "examples": [example]}}, "required": ["any"]}
    assert map_parameters(schema, RECORDED, WANTED, ()).values == {"any": value}


def test_a_parameter_with_an_unknown_example_keeps_it_and_is_said() -> None:
    schema = {"properties": {"size": {"type": "integer", "examples": [3]}}, "required": ["size"]}
    mapped = map_parameters(schema, RECORDED, WANTED, ())
    assert (mapped.values, mapped.unknown, mapped.used) == ({"size": 3}, ("size",), frozenset())


def test_words_differ_by_number_and_templates_are_filled() -> None:
    assert len({word(number) for number in range(4096)}) == 4096
    assert fill("/p/{id}/?n={name}", {"id": "3", "name": "x"}) == "/p/3/?n=x"


@pytest.mark.parametrize("name", MODULES)
def test_every_application_has_packages_and_tasks_of_its_name(name: str) -> None:
    assert load_app(name).name == name
    assert load_app(name).packages in read_packages()
    assert all(task.app == name for task in load_tasks(name))
    assert len({task.name for task in load_tasks(name)}) == len(load_tasks(name))


def test_plans_name_what_there_is() -> None:
    names, plan = app_plan([], "", [], runs=2, quick=True)
    assert (names, plan.rows, plan.first_only) == (list(MODULES), 1, True)
    with pytest.raises(BadInputError, match="no application 'nope'"):
        app_plan(["nope"], "", [], runs=1, quick=False)
    with pytest.raises(BadInputError, match="no adversary 'nope'"):
        app_plan([], "", ["nope"], runs=1, quick=False)
    with pytest.raises(BadInputError, match="no task has 'nope'"):
        app_plan([], "nope", [], runs=1, quick=False)


class _Application(BaseHTTPRequestHandler):
    arrived: list[tuple[str, str]]

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.arrived.append((f"{self.command} {body}".strip(), self.headers.get("Cookie", "")))
        page = b"<body class=x><p>Hello"
        self.send_response(200)
        for name, value in (("Content-Type", "text/html"), ("Set-Cookie", "s=2"), ("Content-Length", str(len(page)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(page)

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def proxied() -> Iterator[tuple[FaultProxy, list[tuple[str, str]]]]:
    arrived: list[tuple[str, str]] = []
    with serve_handler(type("Handler", (_Application,), {"arrived": arrived})) as origin, serve_proxy(origin) as proxy:
        yield proxy, arrived


def ask(proxy: FaultProxy, body: bytes | None = None) -> tuple[int, bytes, str | None]:
    request = urllib.request.Request(proxy.url + "/x", body, {"Cookie": "s=1; other=1"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read(), answer.headers["Set-Cookie"]
    except urllib.error.HTTPError as error:
        return error.code, error.read(), None


def test_the_proxy_passes_on_what_it_gets(proxied: tuple[FaultProxy, list[tuple[str, str]]]) -> None:
    proxy, arrived = proxied
    assert ask(proxy) == (200, b"<body class=x><p>Hello", "s=2")
    assert ask(proxy, b"a=1")[0] == 200
    assert arrived == [("GET", "s=1; other=1"), ("POST a=1", "s=1; other=1")]
    assert proxy.changes == [("POST", "/x", 200)]


def test_a_change_fails_once_and_does_not_arrive(proxied: tuple[FaultProxy, list[tuple[str, str]]]) -> None:
    proxy, arrived = proxied
    proxy.faults = Faults(fail_once=True)
    assert [ask(proxy)[0], ask(proxy, b"a=1")[0], ask(proxy, b"a=2")[0]] == [200, 500, 200]
    assert [request for request, _ in arrived] == ["GET", "POST a=2"]


def test_a_lost_answer_is_of_a_request_that_arrived(proxied: tuple[FaultProxy, list[tuple[str, str]]]) -> None:
    proxy, arrived = proxied
    proxy.faults = Faults(lose_once=True)
    assert [ask(proxy, b"a=1")[0], ask(proxy, b"a=2")[0]] == [504, 200]
    assert [request for request, _ in arrived] == ["POST a=1", "POST a=2"]


def test_dropped_cookies_neither_arrive_nor_come_back(proxied: tuple[FaultProxy, list[tuple[str, str]]]) -> None:
    proxy, arrived = proxied
    proxy.faults = Faults(drop_cookies=("s",))
    assert ask(proxy)[2] is None
    assert arrived == [("GET", "other=1")]


def test_a_refusal_comes_after_the_requests_that_pass_and_a_lie_each_time(
    proxied: tuple[FaultProxy, list[tuple[str, str]]],
) -> None:
    proxy, arrived = proxied
    proxy.faults = Faults(refuse_after=1)
    assert [ask(proxy, body)[0] for body in (b"a=1", b"a=2", b"a=3")] == [200, 403, 200]
    proxy.faults = Faults(lies=True)
    assert [ask(proxy, b"a=4")[:2] for _ in range(2)] == [(200, b'{"error": "Sorry, we could not do that."}')] * 2
    assert [request for request, _ in arrived] == ["POST a=1", "POST a=3"]


def test_a_deployment_adds_to_documents_and_meddling_happens_once(
    proxied: tuple[FaultProxy, list[tuple[str, str]]],
) -> None:
    proxy, _ = proxied
    meddled: list[int] = []
    proxy.faults = Faults(added=BANNER, before_change=lambda: meddled.append(1))
    assert ask(proxy, b"a=1")[1] == b"<body class=x>" + BANNER + b"<p>Hello"
    ask(proxy, b"a=2")
    assert meddled == [1]


@pytest.mark.parametrize(
    ("answer", "ending"),
    [
        pytest.param(RunAnswer(True, data='["Blue chair"]'), Ending.RIGHT, id="what was searched for"),
        pytest.param(RunAnswer(True, data='["Menu"]'), Ending.FALSE_SUCCESS, id="something else"),
        pytest.param(RunAnswer(True, data='["Blue chair", "Red chair"]'), Ending.FALSE_SUCCESS, id="more"),
        pytest.param(RunAnswer(False, "DRIFT"), Ending.REFUSED, id="refused"),
    ],
)
def test_what_a_search_returns_is_judged(answer: RunAnswer, ending: Ending) -> None:
    found = has_found(answer, ("Blue chair",), ("Red chair",))
    assert judge({}, {}, (), answer, found=found).ending is ending

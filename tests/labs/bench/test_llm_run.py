"""A language model's choices over a stored run: asked once, scored by model. A real local HTTP server answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from perception.bench.lists.score_run import score_run
from perception.bench.llm.llm_policy import LlmPolicy
from perception.bench.llm.model_answers import answers_of
from perception.bench.llm.questions import MAX_UNANSWERED, ask_all
from perception.bench.looks.look_output import ListedElement, LookOutput
from perception.bench.looks.look_score import LookMeasure
from perception.bench.run_store import Appender, Run, RunFacts, open_run
from perception.bench.scores import Tally
from perception.datasets.sample import GroundingTask, Sample
from perception.datasets.sample_store import IndexRow, Store
from perception.geometry import Box
from perception.llm.endpoint import Endpoint, Prices
from perception.types import Viewport

SAVE, MENU = Box(0, 0, 10, 10), Box(20, 0, 30, 10)
TASKS = (GroundingTask("click Save", SAVE), GroundingTask("click Menu", MENU))


class Silence:
    def start(self, total: int) -> None: ...

    def done(self, name: str, problem: str = "") -> None: ...


class Model:
    """Answers every question with one ref; `asked` counts them."""

    def __init__(self) -> None:
        self.asked = 0
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                model.asked += 1
                answer = {
                    "choices": [{"message": {"content": '{"ref": "e1"}'}}],
                    "usage": {"prompt_tokens": 1000, "completion_tokens": 10},
                }
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"


@pytest.fixture
def model() -> Iterator[Model]:
    found = Model()
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Three samples of two tasks each, looked at by one variant that lists both elements."""
    store = Store(tmp_path)
    dataset = store.dataset("pages")
    image = store.put_image(cv2.imencode(".png", np.zeros((10, 40, 3), np.uint8))[1].tobytes())
    run = open_run(tmp_path, RunFacts("looks-x", "looks", ("x",), {}, ("pages",), {}, "now"))
    outputs = Appender(run.folder / "outputs.jsonl")
    listed = (
        ListedElement("e1", "button", "Save", SAVE, True, True),
        ListedElement("e2", "button", "Menu", MENU, True, True),
    )
    for name in ("a", "b", "c"):
        digest = store.put(Sample(name, "test", "g", name, image, Viewport(40, 10), tasks=TASKS))
        dataset.add(IndexRow(name, digest, digest))
        outputs.add(msgspec.json.encode(LookOutput(name, digest, "x", listed, text='- button "Save" [ref=e1]')))
    outputs.close()
    return run.fresh()


def ask(run: Run, home: Path, model: Model, name: str, **options: object) -> str:
    return ask_all(run, home, LlmPolicy(Endpoint(model.url, name), **options), Silence())


def test_every_task_is_asked_once_and_scored(run: Run, tmp_path: Path, model: Model) -> None:
    prices = Prices(1.0, 1.0)
    assert ask(run, tmp_path, model, "first", prices=prices).startswith("first (ask-1): 6 answers, 6000 tokens read")
    assert ask(run, tmp_path, model, "first", prices=prices).startswith("first (ask-1): 0 answers")
    assert model.asked == 6
    found = score_run(run, tmp_path).scores["x"]
    assert [score.outcomes[LookMeasure.LLM] for score in found] == [(True, False)] * 3
    assert found[0].tallies[LookMeasure.LLM_COST].hit == pytest.approx(2 * 1010 / 1e6)


def test_of_two_models_the_last_one_is_scored_alone(run: Run, tmp_path: Path, model: Model) -> None:
    ask(run, tmp_path, model, "first")
    price = Prices(1.0, 1.0)
    said = ask(run, tmp_path, model, "second", prices=price, max_cost=0.0045)
    assert "stopped: " in said
    scored = score_run(run, tmp_path)
    assert scored.model == "second (ask-1)"
    answered = sum(told.model == scored.model for told in answers_of(run))
    with_all = [score for score in scored.scores["x"] if LookMeasure.LLM in score.outcomes]
    assert 0 < answered < 6
    assert len(with_all) == answered // 2
    assert all(score.tallies[LookMeasure.LLM] == Tally(1, 2) for score in with_all)


def test_an_endpoint_that_refuses_repeatedly_is_no_longer_asked(run: Run, tmp_path: Path, model: Model) -> None:
    model.server.shutdown()
    model.server.server_close()
    said = ask(run, tmp_path, model, "gone")
    assert f"{MAX_UNANSWERED} failed (the last: " in said
    assert f"stopped: {MAX_UNANSWERED} questions in a row got no answer" in said
    assert [bool(told.error) for told in answers_of(run)] == [True] * MAX_UNANSWERED
    assert score_run(run, tmp_path).model == ""

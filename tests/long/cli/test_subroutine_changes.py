"""`perception subroutine refine` and `edit`: the model is a local server that answers what the test says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import Result

from perception.client import AsyncClient
from perception.client._async.subroutines import AsyncSubroutines
from perception.llm import endpoint
from perception.server.app import Service
from perception.v1 import subroutine_service_pb2 as pb
from tests.long.cli.test_subroutine_commands import call
from tests.long.server.test_subroutines import Tools
from tests.support.played_model import Played, Reply, fails, says

pytestmark = pytest.mark.usefixtures("kept_contexts")

RENAMED = """```json
{"description": "Adds a note.", "rename": {"title": "headline"}, "parameters": {"text": "What it says"}}
```"""


@dataclass(slots=True)
class Setup:
    service: Service
    tools: Tools
    subroutines: AsyncSubroutines
    made: pb.Subroutine
    model: Played

    async def refine(self, *more: str, stdin: str = "") -> Result:
        command = ("subroutine", "refine", self.made.subroutine_id, "--llm", "small", "--llm-url", self.model.url)
        return await call(self.service, *command, *more, stdin=stdin)

    async def stored(self) -> pb.Subroutine:
        return await self.subroutines.get(self.made.subroutine_id)

    @property
    def better(self) -> str:
        """An honest answer, with prose around it."""
        body = self.made.body.replace("params.title", "params.headline").replace("{title}", "{headline}")
        return f"Here it is.\n```js\n// Better.\n{body}```\n{RENAMED}\n"

    @property
    def worse(self) -> str:
        """An answer with a recorded value in it."""
        return f"```js\n{self.made.body.replace('String(params.title)', chr(34) + 'First note' + chr(34))}```"


@pytest.fixture
def model() -> Iterator[Played]:
    played = Played()
    yield played
    played.close()


@pytest.fixture
def setup(service: Service, client: AsyncClient, tools: Tools, made: pb.Subroutine, model: Played) -> Setup:
    return Setup(service, tools, AsyncSubroutines(client), made, model)


async def test_model_is_told_what_was_wrong_and_its_better_answer_is_kept_and_runs(setup: Setup) -> None:
    setup.model.replies = [says(setup.worse), says(setup.better)]
    asked = await setup.refine("--instruction", "Say headline", stdin="n\n")
    assert (asked.exit_code, "+// Better." in asked.stdout) == (2, True), asked.stderr
    assert (await setup.stored()).etag == setup.made.etag
    first, second = (each[2]["messages"] for each in setup.model.asked)
    assert "Wanted: Say headline" in first[1]["content"]
    assert "<untrusted-page" in first[1]["content"]
    assert 'type textbox "Title": "First note"' in first[1]["content"]
    assert "has to be params.title" in second[-1]["content"]

    setup.model.replies = [says(setup.better)]
    kept = await setup.refine("--yes")
    assert (kept.exit_code, "-  // title: Title" in kept.stdout) == (0, False), kept.stderr
    assert "+// headline: Title" in kept.stdout
    stored = await setup.stored()
    assert (stored.description, list(stored.parameter_names)[:2]) == ("Adds a note.", ["headline", "text"])
    done = await setup.tools.run(stored, headline="Refined", text="x")
    assert (done.success, setup.tools.titles()[-1]) == (True, "Refined"), done.error


@pytest.mark.parametrize(
    ("replies", "said"),
    [
        pytest.param(
            [says("I cannot do that.")], "no script in a block ```js: it says 'I cannot do that.'", id="prose"
        ),
        pytest.param([says("")], "it says 'nothing'", id="nothing"),
        pytest.param([says("```js\nasync ({ goto }) => { fetch('/') }\n```")], "`fetch` at line 1", id="other code"),
        pytest.param([fails(500, "overloaded")], "answered 500 4 times: overloaded", id="error 500"),
        pytest.param([Reply(b"", hang=True)], "gave no answer in 1 s", id="slow"),
        pytest.param([says("```js\nx\n```\n```json\n[1]\n```")], "is not an object", id="names are a list"),
    ],
)
async def test_answer_that_cannot_be_used_is_refused_with_words_that_help(
    setup: Setup, replies: list[Reply], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "FIRST_WAIT_SECONDS", 0.01)
    setup.model.replies = replies
    patience = "1" if any(reply.hang for reply in replies) else "60"
    done = await setup.refine("--yes", "--llm-timeout", patience)
    assert done.exit_code in (1, 2)
    assert said in " ".join(done.stderr.split())
    assert (await setup.stored()).etag == setup.made.etag


async def test_script_of_a_file_is_checked_and_kept(setup: Setup, tmp_path: Path) -> None:
    file = tmp_path / "script.js"
    command = ("subroutine", "edit", setup.made.subroutine_id, "--from", str(file))
    assert (await call(setup.service, *command)).exit_code == 2
    file.write_text(setup.made.body.replace("return answer;", "return await click();"))
    refused = await call(setup.service, *command)
    assert (refused.exit_code, "nothing was stored" in refused.stderr) == (2, True)
    file.write_text(setup.made.body.replace("return answer;", "return { id: answer.id };"))
    kept = await call(setup.service, *command)
    assert (kept.exit_code, "+    return { id: answer.id };" in kept.stdout) == (0, True), kept.stderr
    assert (await setup.stored()).changed_by_hand
    assert "nothing was changed" in (await call(setup.service, *command)).stdout


async def test_script_that_the_editor_made_wrong_is_not_lost(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "sed -i s/params.text/params.title/")
    monkeypatch.delenv("VISUAL", raising=False)
    refused = await call(setup.service, "subroutine", "edit", setup.made.subroutine_id)
    assert refused.exit_code == 2
    assert "has to be params.text" in refused.stderr
    saved = refused.stderr.partition("your script is in ")[2].partition(".js:")[0] + ".js"
    assert "params.text" not in _taken(Path(saved))


def _taken(path: Path) -> str:
    """What a file holds; the file goes."""
    text = path.read_text()
    path.unlink()
    return text

"""The command line as a user has it: what goes to which stream, and with which exit code."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest

from perception.render.tokens import count_tokens
from perception.render.untrusted import unmarked
from perception.server.app import Service
from tests.support.commands import run_here
from tests.support.processes import FORKED_SERVICES, perception

pytestmark = pytest.mark.usefixtures("kept_contexts")

Ask = Callable[..., Awaitable[subprocess.CompletedProcess[str]]]


def run(command: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=env)


@pytest.fixture
def ask(service: Service) -> Ask:
    """Runs a command that asks the tests' service, so that it need not start one, with a browser, for itself."""

    async def run_beside(*arguments: str) -> subprocess.CompletedProcess[str]:
        return await asyncio.to_thread(run_here, *arguments, "--address", service.context.settings.address)

    return run_beside


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--view", "digest"], '- table "Users" [ref=e'),
        (["--view", "digest", "--style", "compact"], " table Users: "),
        (["--view", "interactive", "--style", "compact"], "button Import\n"),
        (["--view", "interactive", "--boxes"], " [box="),
    ],
    ids=["digest", "compact-digest", "compact", "boxes"],
)
async def test_snapshot_prints_each_view_and_style(ask: Ask, site: str, options: list[str], line: str) -> None:
    done = await ask("snapshot", f"{site}/golden/table.html", "--mode", "text", *options)
    assert line in done.stdout


def test_snapshot_prints_the_text_and_writes_both_images(site: str, tmp_path: Path) -> None:
    image, annotated = tmp_path / "a.png", tmp_path / "b.png"
    command = perception("snapshot", f"{site}/canvas.html", "--image", str(image), "--annotate", str(annotated))
    done = run(command, **FORKED_SERVICES)
    assert done.returncode == 0, done.stderr
    assert unmarked(done.stdout).startswith('- heading "Painted" [level=1]\n')
    assert '- button "Zoom in" [ref=v' in done.stdout
    assert f"annotated image: {annotated}" in done.stderr
    assert image.read_bytes()[:4] == annotated.read_bytes()[:4] == b"\x89PNG"


async def test_json_is_the_protobuf_form_and_nothing_else(ask: Ask, site: str) -> None:
    done = await ask("snapshot", f"{site}/form.html", "--mode", "text", "--view", "interactive", "--format", "json")
    snapshot = json.loads(done.stdout)
    assert snapshot["snapshotId"]
    assert all("backendNodeId" in each for each in snapshot["elements"] if each.get("ref"))
    assert snapshot["tokenCount"] > 0


async def test_max_tokens_and_page_scope(ask: Ask, site: str) -> None:
    done = await ask("snapshot", f"{site}/form.html", "--mode", "text", "--scope", "page", "--max-tokens", "50")
    assert done.returncode == 0
    assert "left out, " in done.stderr


ENDLESS = (
    "<script>for (let i = 0; i < 1000; i++) document.write(`<p><a href=#${i}>Report ${i * 7919}</a></p>`)</script>"
)


@pytest.mark.parametrize("command", [["snapshot", "--scope", "page", "--mode", "text"], ["interactables"], ["content"]])
async def test_text_is_limited_and_the_last_line_says_how_to_get_the_rest(
    ask: Ask, site: str, command: list[str]
) -> None:
    first, *options = command
    page = f"{site}/html?body={quote(ENDLESS)}"
    done = await ask(*([first, page, *options] if first == "snapshot" else ["extract", page, first]))
    assert 2000 < count_tokens(done.stdout) <= 8000
    last = done.stderr.rstrip().splitlines()[-1]
    assert last.startswith("left out by --max-tokens: ")
    assert last.endswith("--max-tokens 0 prints all")


async def test_without_a_limit_all_is_printed(ask: Ask, site: str) -> None:
    page = f"{site}/html?body={quote(ENDLESS)}"
    done = await ask("extract", page, "interactables", "--max-tokens", "0")
    assert done.stdout.count("Report ") >= 1000
    assert "left out" not in done.stderr


@pytest.mark.parametrize(
    ("part", "names"),
    [
        pytest.param(["--scope", "#profile"], ["Profile", "Title", "Save", "Plain bold words"], id="selector"),
        pytest.param(["--root", "#far"], ["Zürich-Straße", "Save", "検索する"], id="root-out-of-view"),
        pytest.param(["--root", "#far", "--scope", "viewport"], [], id="root-and-viewport"),
        pytest.param(["--scope", "e3"], ["Title"], id="ref-as-it-was-printed"),
    ],
)
async def test_one_part_of_a_page(ask: Ask, site: str, part: list[str], names: list[str]) -> None:
    done = await ask("snapshot", f"{site}/parts.html", "--mode", "text", "--format", "json", *part)
    assert done.returncode == 0, done.stderr
    assert [each["name"] for each in json.loads(done.stdout).get("elements", [])] == names


async def test_parse_reads_an_image(ask: Ask, site: str, tmp_path: Path) -> None:
    image = tmp_path / "a.png"
    await ask("snapshot", f"{site}/canvas.html", "--mode", "text", "--image", str(image))
    done = await ask("parse", str(image), "--detector", "ppocr")
    assert done.returncode == 0, done.stderr
    assert "Zoom in" in done.stdout


async def test_detectors_and_health(ask: Ask) -> None:
    listed = await ask("detectors", "--format", "json")
    assert {each["name"] for each in json.loads(listed.stdout)["detectors"]} >= {"controls", "ppocr"}
    asked = await asyncio.to_thread(run_here, "health", "--address", "127.0.0.1:9", "--timeout", "1")
    assert asked.returncode == 1
    assert "no service answers at 127.0.0.1:9" in asked.stderr


async def test_health_has_a_form_for_scripts(service: Service) -> None:
    asked = ("health", "--address", service.context.settings.address)
    done = await asyncio.to_thread(run_here, *asked)
    assert (done.returncode, done.stdout) == (0, "SERVING\n")
    done = await asyncio.to_thread(run_here, *asked, "--service", "perception.v1.ActionService", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["status"]) == (0, "SERVING")
    done = await asyncio.to_thread(run_here, *asked, "--service", "nobody")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no service 'nobody'" in done.stderr
    done = await asyncio.to_thread(run_here, "health", "--address", "127.0.0.1:9", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["status"]) == (1, "UNREACHABLE")


def test_doctor_finds_this_machine_fit() -> None:
    done = run(perception("doctor", "--format", "json"))
    told = json.loads(done.stdout)
    assert (done.returncode, told["fit"]) == (0, True), done.stdout
    assert "sandbox on" in next(each["detail"] for each in told["findings"] if each["name"] == "browser")


def test_doctor_says_what_to_fix(tmp_path: Path) -> None:
    settings = {"PERCEPTION_BROWSER_PATH": str(tmp_path / "none"), "PERCEPTION_DETECTORS": "controls"}
    done = run(perception("doctor", "--address", "127.0.0.1:1x"), **settings)
    assert done.returncode == 1
    assert "FAIL address: 127.0.0.1:1x cannot be listened on" in done.stdout
    assert "FAIL browser" in done.stdout
    assert "fix: check the browser path" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["snapshot", "example.org"], "write https://example.org", id="no-scheme"),
        pytest.param(["snapshot", "file:///etc/passwd"], "file: URLs are not opened", id="file"),
        pytest.param(["snapshot", "demo", "--annotate", "/no/such/folder/a.png"], "cannot be written", id="folder"),
        pytest.param(["snapshot", "demo", "--max-tokens", "5"], "max_tokens is 5, too small", id="budget"),
        pytest.param(["snapshot", "demo", "--scope", "#a", "--root", "#b"], "name two parts", id="two-parts"),
        pytest.param(["snapshot", "demo", "--scope", "#nowhere"], "matches nothing", id="no-such-part"),
        pytest.param(["snapshot", "demo", "--mode", "psychic"], "psychic", id="unknown-mode"),
        pytest.param(["parse", "/no/such/image.png"], "cannot be read", id="no-image"),
        pytest.param(["parse", __file__], "image", id="not-an-image"),
        pytest.param(["parse", __file__, "--detector", "nosuch"], "nosuch", id="unknown-detector"),
        pytest.param(["serve", "--address", "0.0.0.0:5001"], "can be reached from other machines", id="public"),
    ],
)
async def test_bad_input_is_one_clear_line_and_exit_code_2(ask: Ask, arguments: list[str], said: str) -> None:
    is_service = arguments[0] == "serve"
    done = await (asyncio.to_thread(run, perception(*arguments)) if is_service else ask(*arguments))
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


HOSTILE = (
    "<meta charset=utf-8><p id=p></p><script>const words = 'a\\u009b31mred \\u009d0;title\\u009c b\\u202ec';"
    "document.title = words; p.textContent = words</script>"
)
"""Words that a terminal obeys: a color, another title for its window, what follows from right to left."""


async def test_a_page_s_title_does_nothing_to_the_terminal(ask: Ask, site: str) -> None:
    done = await ask("snapshot", f"{site}/html?body={quote(HOSTILE)}", "--mode", "text")
    assert r"a\u009b31mred \u009d0;title\u009c b\u202ec — http" in done.stderr
    assert not re.search("[\x80-\x9f\u202e]", done.stdout + done.stderr)


async def test_content_as_json_says_when_the_page_was_read(ask: Ask, site: str) -> None:
    printed = json.loads((await ask("extract", f"{site}/form.html", "content", "--format", "json")).stdout)
    assert datetime.now(UTC) - datetime.fromisoformat(printed["captureTime"]) < timedelta(minutes=5)


async def test_content_is_tame_on_a_terminal_and_in_a_pipe(ask: Ask, service: Service, site: str) -> None:
    command = ["extract", f"{site}/html?body={quote(HOSTILE)}", "content"]
    assert r"a31mred 0;title b\u202ec" in (await ask(*command)).stdout
    ours, theirs = pty.openpty()
    try:
        whole = perception(*command, "--address", service.context.settings.address)
        await asyncio.to_thread(subprocess.run, whole, stdout=theirs, stderr=theirs, timeout=120)
        os.close(theirs)
        shown = _all_of(ours)
    finally:
        os.close(ours)
    assert r"b\u202ec" in shown
    assert not re.search("[\x80-\x9f\u202e]", shown)


def _all_of(terminal: int) -> str:
    """What was written to a terminal that nobody writes to any more: it comes in parts."""
    parts: list[bytes] = []
    with suppress(OSError):  # the end
        while part := os.read(terminal, 2**16):
            parts.append(part)
    return b"".join(parts).decode()


async def test_a_page_is_printed_to_a_pdf(ask: Ask, site: str, tmp_path: Path) -> None:
    out = tmp_path / "form.pdf"
    done = await ask("pdf", f"{site}/golden/table.html", str(out), "--paper", "letter", "--landscape", "--pages", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{out}: {out.stat().st_size} bytes\n"
    assert out.read_bytes().startswith(b"%PDF-")
    done = await ask("pdf", f"{site}/golden/table.html", str(out), "--pages", "9-")
    assert (done.returncode, done.stderr) == (
        2,
        "error: the page has no pages '9-': leave page_ranges out to print all\n",
    )

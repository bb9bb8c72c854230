"""README and docs: links lead somewhere, commands parse, short ones run, Python examples run or compile."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path

import pytest

import perception
from perception.client import AsyncClient
from perception.server.app import Service
from tests.support.commands import run_here
from tests.support.guides import COMMANDS, PYTHON

pytestmark = pytest.mark.usefixtures("kept_contexts")

EXAMPLE = "https://example.org"

RUN = ("snapshot", "explain", "extract", "parse", "detectors", "devices", "health")
"""Commands that are run here. The others start services, measure for minutes or judge the machine; they are parsed."""

BODY = """<title>Example</title><h1>Orders</h1><p>More information</p><a href="#more">More</a>
<label>Email <input id=email></label><div style="height:2000px"></div>"""


@pytest.mark.parametrize(
    "line",
    dict.fromkeys(
        line for _, line in COMMANDS if line.split()[1] in RUN and "--address" not in line and "ray" not in line
    ),
)
async def test_short_commands_of_the_docs_run(
    line: str,
    service: Service,
    client: AsyncClient,
    example_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    if "screenshot.png" in line:
        page = await client.open(example_url)
        (tmp_path / "screenshot.png").write_bytes(await page.screenshot())
        await page.close()
    words = [word.replace(EXAMPLE, example_url) for word in shlex.split(line)[1:]]
    done = await asyncio.to_thread(run_here, *words, "--address", service.context.settings.address)
    assert (done.returncode, bool(done.stdout)) == (0, True), done.stderr


@pytest.mark.parametrize(("name", "code"), PYTHON, ids=[f"{name}-{at}" for at, (name, _) in enumerate(PYTHON)])
async def test_python_examples_run(name: str, code: str, service: Service, example_url: str) -> None:
    compiled = compile(code, name, "exec")
    if f'"{EXAMPLE}"' not in code:
        return  # its site is made up: compiled only
    address = service.context.settings.address
    code = code.replace(f'"{EXAMPLE}"', repr(example_url)).replace(
        "perception.connect()", f"perception.connect({address!r})"
    )
    compiled = compile(code, name, "exec")
    await asyncio.to_thread(exec, compiled, {"perception": perception})


@pytest.fixture(scope="module")
def example_url(site: str) -> str:
    from urllib.parse import quote

    return f"{site}/html?body={quote(BODY)}"

"""README and docs: links lead somewhere, commands parse, short ones run, Python examples run or compile."""

from __future__ import annotations

import asyncio
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import typer

import perception
from perception.cli.main import make_app
from perception.client import AsyncClient
from perception.detectors.tesseract_packs import SCRIPT_PACKAGES
from perception.server.app import Service

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLE = "https://example.org"

RUN = ("snapshot", "explain", "extract", "parse", "detectors", "devices", "health")
"""Commands that are run here. The others start services, measure for minutes or judge the machine; they are parsed."""

BODY = """<title>Example</title><h1>Orders</h1><p>More information</p><a href="#more">More</a>
<label>Email <input id=email></label><div style="height:2000px"></div>"""


def blocks(language: str) -> Iterator[tuple[str, str]]:
    """Fenced blocks of a language: (file name, text)."""
    for page in PAGES:
        for found in re.finditer(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL):
            yield page.name, found[1]


LINES = [(name, line) for name, block in blocks("sh") for line in block.splitlines() if line.strip()]
COMMANDS = [(name, line) for name, line in LINES if line.startswith("perception ")]
PYTHON = list(blocks("python"))


def test_there_is_something_to_check() -> None:
    assert len(COMMANDS) > 25
    assert len(PYTHON) >= 4


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize(("name", "line"), COMMANDS, ids=[line for _, line in COMMANDS])
def test_every_command_of_the_docs_parses(name: str, line: str) -> None:
    words = shlex.split(line.split(" >> ")[0])[1:]
    command: click.Command = typer.main.get_command(make_app())
    context = command.make_context("perception", words)
    while isinstance(command, click.Group):
        rest = [*context.protected_args, *context.args]
        _, found, rest = command.resolve_command(context, rest)
        assert found is not None, f"{name}: {line}"
        command = found
        context = command.make_context(command.name, rest, parent=context)


def test_other_shell_lines_name_what_is_there() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for name, line in LINES:
        if line.startswith("make "):
            assert re.search(rf"^{line.split()[1]}:", makefile, re.MULTILINE), f"{name}: {line}"
        elif found := re.search(r"perception-service\[(\w+)\]", line):
            assert found[1] in extras, f"{name}: {line}"
        elif line.startswith("apt install "):
            assert line.split()[2] in SCRIPT_PACKAGES.values(), f"{name}: {line}"
        else:
            # Those of Ray are run by tests/server/placement/ray/test_guide.py.
            known = ("perception ", "pip install ", "touch ", "ray ", "export RAY_")
            assert line.startswith(known), f"{name}: {line}"


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, id=line)
        for _, line in COMMANDS
        if line.split()[1] in RUN and "--address" not in line and "ray" not in line
    ],
)
async def test_short_commands_of_the_docs_run(
    line: str, service: Service, client: AsyncClient, example_url: str, tmp_path: Path
) -> None:
    if "screenshot.png" in line:
        page = await client.open(example_url)
        (tmp_path / "screenshot.png").write_bytes(await page.screenshot())
        await page.close()
    words = [word.replace(EXAMPLE, example_url) for word in shlex.split(line)[1:]]
    if words[0] != "detectors":
        words += ["--address", service.context.settings.address]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "perception", *words),
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert (process.returncode, bool(out)) == (0, True), err.decode()


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

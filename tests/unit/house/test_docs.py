"""README and docs: links lead somewhere, commands parse, short ones run, Python examples run or compile."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest
import typer

from perception.cli.main import make_app
from perception.detectors.tesseract_packs import SCRIPT_PACKAGES
from tests.paths import ROOT
from tests.support.guides import COMMANDS, GUIDES, LINES, PYTHON


def test_there_is_something_to_check() -> None:
    assert len(COMMANDS) > 25
    assert len(PYTHON) >= 4


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_relative_links_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize(("name", "line"), COMMANDS, ids=[line for _, line in COMMANDS])
def test_every_command_of_the_docs_parses(name: str, line: str) -> None:
    words = shlex.split(line.split(" >> ")[0])[1:]
    command: click.Command = typer.main.get_command(make_app(words[0]))
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
            # Those of Ray are run by tests/ray/placement/test_guide.py.
            known = ("perception ", "pip install ", "touch ", "ray ", "export RAY_")
            assert line.startswith(known), f"{name}: {line}"

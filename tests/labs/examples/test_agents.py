"""The agents of examples/agents do a task: a form in a real Chromium, by a stand-in for the model, over HTTP."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from perception.server.app import Service
from tests.labs.examples.model_standin import serve_standin
from tests.paths import ROOT
from tests.support.processes import perception

pytestmark = pytest.mark.usefixtures("kept_contexts")

AGENTS = ROOT / "examples/agents"

LANGGRAPH_PYTHON = ROOT / ".cache/agents/bin/python"
"""Of `.ci/agents`: LangChain's adapters need an older SDK of MCP than the server."""

NEEDS = {"openai": "openai", "anthropic": "anthropic", "plain": "json", "langgraph": "langchain_mcp_adapters"}

AGENT_SECONDS = 120.0
"""For an agent to start, and for four turns; together they take 3 s on a quiet machine, LangGraph's 6 s."""

FORM = {"name": ["Ana"], "email": ["ana@example.org"], "plan": ["Team"], "terms": ["yes"]}


def _python(name: str) -> str:
    """The interpreter of an agent; skips where its packages are not installed."""
    if name == "langgraph" and LANGGRAPH_PYTHON.exists():
        return str(LANGGRAPH_PYTHON)
    if find_spec(NEEDS[name]) is None:
        how = "run `.ci/agents`" if name == "langgraph" else "install the development tools: make setup"
        pytest.skip(f"{NEEDS[name]} is not installed: {how}")
    return sys.executable


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder with `perception`, which starts at once."""
    program = tmp_path / "perception"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(perception())} "$@"\n')
    program.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("name", NEEDS)
async def test_an_agent_fills_and_sends_a_form(name: str, service: Service, program: Path) -> None:
    python = _python(name)
    with serve_standin() as standin:
        environment = os.environ | {
            "AGENT_MODEL": "openai:stand-in" if name == "langgraph" else "stand-in",
            "OPENAI_API_KEY": "key-1",
            "OPENAI_BASE_URL": f"{standin.origin}/v1",
            "ANTHROPIC_API_KEY": "key-1",
            "ANTHROPIC_BASE_URL": standin.origin,
            "PERCEPTION_ADDRESS": service.context.settings.address,
            "PATH": f"{program}{os.pathsep}{os.environ['PATH']}",
        }
        process = await asyncio.create_subprocess_exec(
            *(python, str(AGENTS / f"{name}_agent.py"), f"Sign up as Ana at {standin.origin}/"),
            env=environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(AGENT_SECONDS):
                told, errors = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    assert (process.returncode, told.decode()) == (0, "Done: Thank you, Ana\n"), errors.decode()[-2000:]
    assert standin.forms == [FORM]
    assert [path for path in standin.visits if path != "/favicon.ico"] == ["/"]
    assert standin.keys == {"key-1"}
    opened, refused, acted = standin.answers
    assert opened.startswith("session: ")
    assert "write the ref as e1" in refused
    assert acted.count("<untrusted-page ") >= 2
    assert "Thank you, Ana" in acted
    (system,) = standin.systems
    assert "<untrusted-page N>" in system
    assert "never instructions" in system
    assert {"open", "look", "act"} <= set(standin.tools)

"""Each configuration of docs/hosts.md is of its host's form; the agent of docs/agents.md is the example."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest
import typer

from perception.cli.main import make_app
from tests.paths import ROOT

HOSTS = (ROOT / "docs/hosts.md").read_text("utf-8")

KEYS = {"VS Code": "servers", "Codex CLI": "mcp_servers", "Zed": "context_servers", "opencode": "mcp"}
"""Where hosts keep their servers that do not keep them under `mcpServers`."""

URLS = {"Windsurf": "serverUrl", "Gemini CLI": "httpUrl"}
"""What they call the URL of a server over streamable HTTP; in Gemini CLI `url` is the older transport's."""

TYPES = {
    "Claude Code": {"stdio", "http"},
    "VS Code": {"stdio", "http"},
    "Cline": {None, "streamableHttp"},
    "opencode": {"local", "remote"},
    "With options": {None, "http"},
}
"""What their forms demand as `type`; a host that is not here takes none."""

FILES = [
    (section.splitlines()[0], language, text)
    for section in HOSTS.split("\n## ")[1:]
    for language, text in re.findall(r"^```(\w+)\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
]


def servers_of(host: str, language: str, text: str) -> dict[str, Any]:
    whole = tomllib.loads(text) if language == "toml" else json.loads(text)
    assert set(whole) == {KEYS.get(host, "mcpServers")}
    servers: dict[str, Any] = whole[KEYS.get(host, "mcpServers")]
    return servers


def test_every_host_has_a_program_and_most_a_url() -> None:
    assert len({host for host, _, _ in FILES}) == 11
    with_url = {host for host, _, text in FILES if "://" in text}
    assert {host for host, _, _ in FILES} - with_url == {"Claude Desktop"}


@pytest.mark.parametrize(
    ("host", "language", "text"), FILES, ids=[f"{host}-{at}" for at, (host, *_) in enumerate(FILES)]
)
def test_a_hosts_file_starts_or_reaches_a_server(host: str, language: str, text: str) -> None:
    (server,) = servers_of(host, language, text).values()
    assert server.get("type") in TYPES.get(host, {None})
    url_key = URLS.get(host, "url")
    assert set(server) <= {"type", "command", "args", "env", "headers", url_key}
    if url := server.get(url_key):
        assert re.fullmatch(r"http://127\.0\.0\.1:8931/mcp|https://browser\.example:8931/mcp", url)
        return
    command = server["command"]
    words = command if isinstance(command, list) else [command, *server["args"]]
    assert words[:2] == ["perception", "mcp"]
    mcp = typer.main.get_command(make_app("mcp")).commands["mcp"]  # type: ignore[attr-defined]
    mcp.make_context("mcp", words[2:])


def test_the_agent_in_the_docs_is_the_example() -> None:
    page = (ROOT / "docs/agents.md").read_text("utf-8")
    (shown,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert shown == (ROOT / "examples/agents/openai_agent.py").read_text("utf-8")

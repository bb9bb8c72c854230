"""The tools that are offered, and what their schemas cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from perception.tools.profiles import find_profile
from perception.tools.schema import schema_of, schema_tokens
from perception.tools.tool import choose_tools


def test_the_default_tools_cost_few_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    for name, limit in (("default", 1500), ("playwright", 3764)):
        tools = choose_tools(find_profile(name).tools, [])
        counts = {each.name: schema_tokens(each.name, each.description, schema_of(each.arguments)) for each in tools}
        with capsys.disabled():
            print(f"\n{name}: {len(tools)} tools, {sum(counts.values())} o200k tokens")
        assert sum(counts.values()) <= limit
    assert len(choose_tools(find_profile("default").tools, [])) <= 12


ROOT = Path(__file__).parents[3]


def test_the_documents_say_what_the_tools_cost() -> None:
    for name, documents in (
        ("default", ("README.md", "docs/mcp.md", "docs/agents.md")),
        ("playwright", ("docs/mcp.md",)),
    ):
        tools = choose_tools(find_profile(name).tools, [])
        total = sum(schema_tokens(each.name, each.description, schema_of(each.arguments)) for each in tools)
        for document in documents:
            assert f"{total:,} tokens" in (ROOT / document).read_text("utf-8"), document

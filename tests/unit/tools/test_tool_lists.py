"""What hosts send to a model with every request, as lists to be read: `--refresh-goldens` writes them again."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from perception.tools.native.table import PROFILE as NATIVE
from perception.tools.playwright.table import PROFILE as PLAYWRIGHT
from perception.tools.profile import Profile
from perception.tools.schema import schema_tokens
from perception.tools.tool import Tool


@pytest.mark.parametrize(("name", "profile"), [("native", NATIVE), ("playwright", PLAYWRIGHT)])
def test_the_list_of_tools_is_the_one_on_record(
    name: str, profile: Profile, check_golden: Callable[[str, str], None]
) -> None:
    check_golden(f"tools/{name}.txt", f"{profile.instructions}\n{''.join(map(_lines, profile.tools))}")


def _lines(tool: Tool) -> str:
    tokens = schema_tokens(tool.name, tool.description, tool.schema)
    said = f"\n{tool.name}: {tokens} tokens{'' if tool.is_default else ', not by default'}\n{tool.description}\n"
    return said + "".join(f"  {name}: {json.dumps(each)}\n" for name, each in tool.schema["properties"].items())

"""The `doors` suite: elements are found in the servers' own texts, and an effect is read past them."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from urllib.parse import quote

import pytest

from perception.bench.mcp_client import OWN_COMMAND, McpError, connected_over_stdio
from perception.bench.suites.doors.pages import FIELDS, PageTask, TaskStep
from perception.bench.suites.doors.run import Player
from perception.bench.suites.doors.servers import SERVERS, SeenElement, read_own, read_playwright
from perception.server.app import Service

OWN = """session: abc
<untrusted-page 7>
# Orders
e2 textbox First Name
 e28 searchbox "Search:": "old" (focused)
  e29 columnheader "Name: activate to sort" (sort=ascending, clickable)
row Ana | Oslo
+ e30 button Save
- e31 button Gone
~ e32 → e33
v1 button "Zoom \\"in\\""
"""
PEER = """### Snapshot
- generic [active] [ref=e1]:
  - textbox "First Name" [ref=f1e14]
  - generic [ref=e22]: Select a node...
  - 'cell "a: b" [ref=e45]':
  - button [ref=e18]
  - text: nothing
"""


def test_elements_are_read_from_both_forms_of_text() -> None:
    assert read_own(OWN) == [
        SeenElement("textbox", "First Name", "e2"),
        SeenElement("searchbox", "Search:", "e28"),
        SeenElement("columnheader", "Name: activate to sort", "e29"),
        SeenElement("button", "Save", "e30"),
        SeenElement("button", 'Zoom \\"in\\"', "v1"),
    ]
    assert read_playwright(PEER) == [
        SeenElement("generic", "", "e1"),
        SeenElement("textbox", "First Name", "f1e14"),
        SeenElement("generic", "Select a node...", "e22"),
        SeenElement("cell", "a: b", "e45"),
        SeenElement("button", "", "e18"),
    ]


@pytest.mark.parametrize("server", SERVERS[:2], ids=lambda each: each.name)
async def test_steps_have_their_effect_in_the_page_and_one_without_is_seen(
    server: object, service: Service, site: str
) -> None:
    address = service.context.settings.address
    profile = ["--profile", "playwright"] if server is SERVERS[1] else []
    body = '<label>Name <input id=a></label><button onclick="this.id = document.title = a.value">Save</button>'
    steps = (TaskStep("fill", "Name", "Ana", FIELDS), TaskStep("click", "Save"))
    task = PageTask("own", steps, "document.title === 'Ana'")
    with tempfile.TemporaryFile("w+") as log:
        async with connected_over_stdio((*OWN_COMMAND, "--address", address, *profile), log) as tools:
            url = f"{site}/html?body={quote(body)}"
            done = await Player(server, tools).play(task, url)
            assert (done.done, done.problem, done.calls, done.stumbles) == (True, "", 3, ())
            assert done.tokens_read > done.tokens_written > 20
            assert done.wire_bytes > 200
            undone = await Player(server, tools).play(replace(task, effect="document.title === 'Bob'"), url)
            assert undone.problem == "the page does not have the effect"


async def test_a_server_that_does_not_start_is_one_error() -> None:
    with tempfile.TemporaryFile("w+") as log:
        for command in (("/no/such/program",), ("false",)):
            with pytest.raises(McpError, match="does not start"):
                async with connected_over_stdio(command, log):
                    pass

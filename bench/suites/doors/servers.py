"""The servers: how each is started, how a step is written for it, and how its answers are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perception.bench.mcp_client import OWN_COMMAND
from perception.bench.suites.doors.pages import TaskStep
from perception.bench.suites.subroutines.apps.installing import AppPackages

PEERS = AppPackages("mcp-peers", npm=("@playwright/mcp@0.0.83", "chrome-devtools-mcp@1.11.0", "agent-browser@0.41.2"))
"""From npm, into a folder of the home folder."""

ToolCall = tuple[str, Mapping[str, Any]]
"""A tool's name and its arguments."""


@dataclass(frozen=True, slots=True)
class SeenElement:
    """A line of an answer that has a ref."""

    role: str
    name: str
    ref: str


@dataclass(frozen=True, slots=True)
class Server:
    """A server that does the task.

    Attributes:
        name: in the report.
        command: that starts it, of the folder of the peers and the browser's program.
        opens: the call that opens a URL.
        looks: the calls that show the page, the cheapest first.
        acts: the call of a step on the element of a ref; an empty ref where the step has no element.
        reads: the elements of an answer.
    """

    name: str
    command: Callable[[Path, str], Sequence[str]]
    opens: Callable[[str], ToolCall]
    looks: Sequence[ToolCall]
    acts: Callable[[TaskStep, str], ToolCall]
    reads: Callable[[str], list[SeenElement]]


_OWN_LINE = re.compile(
    r'^(?P<sign>[-+~]?) *(?P<ref>[ev]\d+) (?P<role>[\w-]+)(?: "(?P<quoted>(?:[^"\\]|\\.)*)"| (?P<plain>[^(:\n]*))?'
)
_PEER_LINE = re.compile(
    r"^ *- '?(?P<role>[\w-]+)(?: \"(?P<name>(?:[^\"\\]|\\.)*)\")?[^\n]*?\[ref=(?P<ref>\w+)\][^:\n]*(?:: (?P<text>.*))?"
)


def read_own(text: str) -> list[SeenElement]:
    """Lines such as `e5 button Save`, and those of diffs; what a diff removes is left out."""
    found = (_OWN_LINE.match(line.strip()) for line in text.splitlines())
    return [
        SeenElement(each["role"], (each["quoted"] or each["plain"] or "").strip(), each["ref"])
        for each in found
        if each and each["sign"] != "-" and "→" not in each["role"]
    ]


def read_playwright(text: str) -> list[SeenElement]:
    """Lines such as `- button "Save" [ref=e5]`."""
    found = map(_PEER_LINE.match, text.splitlines())
    return [SeenElement(each["role"], each["name"] or each["text"] or "", each["ref"]) for each in found if each]


def _own_act(step: TaskStep, ref: str) -> ToolCall:
    one = {"do": step.do} | ({"target": ref} if ref else {}) | ({"text": step.text} if step.text else {})
    return "act", {"steps": [one]}


def _playwright_act(step: TaskStep, ref: str) -> ToolCall:
    match step.do:
        case "fill":
            return "browser_type", {"target": ref, "text": step.text}
        case "type":
            return "browser_type", {"target": ref, "text": step.text, "slowly": True}
        case "press":
            return "browser_press_key", {"key": step.text}
    return "browser_click", {"target": ref}


def _playwright_command(peers: Path, browser: str) -> Sequence[str]:
    program = peers / "node_modules/@playwright/mcp/cli.js"
    return ("node", str(program), "--headless", "--isolated", "--no-sandbox", "--executable-path", browser)


def _playwright_open(url: str) -> ToolCall:
    return "browser_navigate", {"url": url}


OWN_ALLOWED = ("--allow-host", "127.0.0.1")

SHARING = "perception, where a service runs"
"""In the report: our server as hosts start it, after another one."""

SERVERS = (
    Server(
        "perception",
        lambda peers, browser: (*OWN_COMMAND, *OWN_ALLOWED),
        lambda url: ("open", {"url": url}),
        (("look", {}), ("look", {"scope": "page", "max_tokens": 0})),
        _own_act,
        read_own,
    ),
    Server(
        "perception --profile playwright",
        lambda peers, browser: (*OWN_COMMAND, *OWN_ALLOWED, "--profile", "playwright"),
        _playwright_open,
        (("browser_snapshot", {}),),
        _playwright_act,
        read_own,
    ),
    Server(
        "Playwright MCP",
        _playwright_command,
        _playwright_open,
        (("browser_snapshot", {}),),
        _playwright_act,
        read_playwright,
    ),
)


@dataclass(frozen=True, slots=True)
class ListedServer:
    """A server whose tools are only listed. `is_peer`: it is one of `PEERS`, installed into their folder."""

    name: str
    command: Callable[[Path], Sequence[str]]
    is_peer: bool = True


LISTED = (
    ListedServer("perception", lambda peers: OWN_COMMAND, is_peer=False),
    ListedServer(
        "perception --profile playwright", lambda peers: (*OWN_COMMAND, "--profile", "playwright"), is_peer=False
    ),
    ListedServer("@playwright/mcp 0.0.83", lambda peers: ("node", str(peers / "node_modules/@playwright/mcp/cli.js"))),
    ListedServer(
        "chrome-devtools-mcp 1.11.0",
        lambda peers: ("node", str(peers / "node_modules/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js")),
    ),
    ListedServer("agent-browser 0.41.2", lambda peers: (str(peers / "node_modules/.bin/agent-browser"), "mcp")),
)

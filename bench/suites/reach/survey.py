"""Reads what can be acted upon in a tab: listeners as DevTools has them, styles, focus, and Playwright's refs.

Rule 1: `reach_probe.js` looks from a world of its own; elements are named by paths, which hold on a fresh copy, too.
Rule 2: listeners are read before any snapshot, because snapshots add some of their own.
Rule 3: frames of another process and closed shadow roots are not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from perception.browser.capture.axtree import INTERACTIVE_ROLES
from perception.errors import PerceptionError
from perception.v1 import types_pb2 as pb

PROBE_SCRIPT = Path(__file__).with_name("reach_probe.js").read_text("utf-8")

PROBE_WORLD = "reach-probe"

EVENTS = frozenset(
    "click dblclick contextmenu mousedown pointerdown dragstart dragover drop mouseenter mouseover keydown".split()
)
"""Listeners that make an element a thing to reach."""

DELEGATED = frozenset(("click", "mousedown", "pointerdown"))
"""Listeners that a framework may have at the window or document for elements below."""

PEER_REFS = 400
"""Most refs of Playwright's snapshot that are looked up: each takes some milliseconds."""

_PEER_LINE = re.compile(r"^\s*- '?(?P<role>[a-z]+)(?P<rest>.*\[ref=(?P<ref>\w+)\].*)$", re.MULTILINE)

_TOP_WINDOW = "window"


@dataclass(frozen=True, slots=True)
class DocumentNodes:
    """Paths of a tab's elements by backend node id, and the frames by the prefix of their paths."""

    paths: Mapping[int, str]
    frames: Mapping[str, str]


@dataclass(slots=True)
class ReachProbe:
    """The probe of one document and its frames.

    Attributes:
        worlds: its context in each frame, by the prefix of the frame's paths.
    """

    page: Page
    session: CDPSession
    nodes: DocumentNodes
    worlds: dict[str, int] = field(default_factory=dict)

    @classmethod
    async def of(cls, page: Page, session: CDPSession) -> ReachProbe:
        """Adds the probe to the document that the tab has now."""
        probe = cls(page, session, await _read_nodes(session))
        for prefix, frame in probe.nodes.frames.items():
            try:
                made = await session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": PROBE_WORLD})
                context = made["executionContextId"]
                await session.send("Runtime.evaluate", {"expression": PROBE_SCRIPT, "contextId": context})
            except PlaywrightError:
                continue  # the frame is gone
            probe.worlds[prefix] = context
        return probe

    async def call(self, method: str, path: str, *arguments: Any) -> Any:
        """Calls the probe in the frame of a path."""
        prefix = self.prefix_of(path)
        return await self.call_in(prefix, method, path, *arguments)

    async def call_in(self, prefix: str, method: str, *arguments: Any) -> Any:
        """Calls the probe in a frame.

        Raises:
            PlaywrightError: the frame is gone.
            PerceptionError: the probe failed.
        """
        reply = await self.session.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": f"(...rest) => reachProbe.{method}(...rest)",
                "executionContextId": self.worlds[prefix],
                "arguments": [{"value": prefix}, *({"value": each} for each in arguments)],
                "returnByValue": True,
            },
        )
        if "exceptionDetails" in reply:
            raise PerceptionError(f"the reach probe failed: {str(reply['exceptionDetails'])[:300]}")
        return reply["result"].get("value")

    def prefix_of(self, path: str) -> str:
        """The prefix of the innermost frame of a path."""
        return max((each for each in self.worlds if path.startswith(f"{each}/")), key=len, default="")

    def refs_of(self, snapshot: pb.Snapshot) -> dict[str, str]:
        """Refs that a snapshot's text has, by path; of what it folds (`… 7 more alike, e38 to e44`), too."""
        said = set(re.findall(r"\[ref=(\w+)\]", snapshot.text))
        for first, last in re.findall(r"… \d+ more alike, e(\d+) to e(\d+)", snapshot.text):
            said |= {f"e{number}" for number in range(int(first), int(last) + 1)}
        found = {}
        for each in snapshot.elements:
            path = self.nodes.paths.get(each.backend_node_id)
            if path and each.ref in said:
                found[path] = each.ref
        return found

    async def routes(self, paths: Sequence[str], refs: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        """The ref that leads to each of some elements, and how; without those that none leads to."""
        found: dict[str, tuple[str, str]] = {}
        for prefix in self.worlds:
            own = [each for each in paths if self.prefix_of(each) == prefix]
            near = {path: ref for path, ref in refs.items() if self.prefix_of(path) == prefix}
            if own:
                replies = await self.call_in(prefix, "routes", own, near)
                found |= {path: (reply[0], reply[1]) for path, reply in zip(own, replies, strict=True) if reply}
        return found


async def read_listeners(session: CDPSession, nodes: DocumentNodes) -> dict[str, list[str]]:
    """Kinds of listeners by path; those of the top window under `window`, those of a document under its prefix."""
    found: dict[str, list[str]] = {}
    for expression, depth in (("document", -1), ("window", 1)):
        reply = await session.send("Runtime.evaluate", {"expression": expression, "objectGroup": PROBE_WORLD})
        target = {"objectId": reply["result"]["objectId"], "depth": depth, "pierce": depth < 0}
        for each in (await session.send("DOMDebugger.getEventListeners", target))["listeners"]:
            path = nodes.paths.get(each.get("backendNodeId", 0)) if depth < 0 else _TOP_WINDOW
            if path is not None and each["type"] in EVENTS:
                found.setdefault(path, []).append(each["type"])
    await session.send("Runtime.releaseObjectGroup", {"objectGroup": PROBE_WORLD})
    return found


async def find_things(
    probe: ReachProbe, listened: Mapping[str, Sequence[str]], peers: Sequence[str]
) -> list[dict[str, Any]]:
    """What can be acted upon in all frames, as the probe describes it."""
    is_delegated = bool(DELEGATED.intersection(listened.get(_TOP_WINDOW, ())))
    found: list[dict[str, Any]] = []
    for prefix in probe.worlds:
        at_document = bool(DELEGATED.intersection(listened.get(prefix, ())))
        own = {path: kinds for path, kinds in listened.items() if path != prefix and probe.prefix_of(path) == prefix}
        own.pop(_TOP_WINDOW, None)
        theirs = [path for path in peers if probe.prefix_of(path) == prefix]
        found += await probe.call_in(prefix, "scan", own, theirs, is_delegated or at_document)
    return [each for each in found if each["path"]]


async def read_peers(probe: ReachProbe) -> tuple[list[str], int, str]:
    """Paths of the controls of Playwright's AI snapshot, how many other elements have a ref there, and a note."""
    text = await probe.page.aria_snapshot(mode="ai")
    lines = list(_PEER_LINE.finditer(text))
    acted = [each for each in lines if each["role"] in INTERACTIVE_ROLES or "[cursor=pointer]" in each["rest"]]
    paths = []
    for each in acted[:PEER_REFS]:
        try:
            path = await probe.page.locator(f"aria-ref={each['ref']}").evaluate(_PATH, timeout=1000)
        except PlaywrightError:
            continue  # it is gone
        if path:
            paths.append(str(path))
    left = len(acted) - PEER_REFS
    return paths, len(lines) - len(acted), f"{left} refs of Playwright's were not looked up" if left > 0 else ""


_PATH = """element => {
  const parts = [];
  for (let node = element; node;) {
    if (node instanceof ShadowRoot) { parts.push("s"); node = node.host; continue; }
    if (node.nodeType === Node.DOCUMENT_NODE) {
      node = node.defaultView?.frameElement;
      if (node) parts.push("d");
      else if (parts.length && globalThis !== top && !globalThis.frameElement) return "";
      continue;
    }
    if (!node.parentNode) return "";
    parts.push([...node.parentNode.children].indexOf(node));
    node = node.parentNode;
  }
  return `/${parts.reverse().join("/")}`;
}"""
"""As `path` of the probe, from the top document; empty in a frame of another origin."""


async def _read_nodes(session: CDPSession) -> DocumentNodes:
    top = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    reply = await session.send("DOM.getDocument", {"depth": -1, "pierce": True})
    return name_nodes(reply["root"], top)


_ELEMENT = 1


def name_nodes(document: Mapping[str, Any], frame: str) -> DocumentNodes:
    """Paths of a document and what is in it, without the browser's own shadow roots.

    Args:
        document: a node of CDP's `DOM.getDocument`, with all below it.
        frame: id of its frame.
    """
    paths: dict[int, str] = {}
    frames = {"": frame}
    # A stack, because documents may be nested deeper than Python calls.
    waiting = [("", document)]
    while waiting:
        path, node = waiting.pop()
        paths[node["backendNodeId"]] = path
        elements = (each for each in node.get("children", ()) if each["nodeType"] == _ELEMENT)
        waiting += [(f"{path}/{index}", each) for index, each in enumerate(elements)]
        own = (each for each in node.get("shadowRoots", ()) if each["shadowRootType"] != "user-agent")
        waiting += [(f"{path}/s", each) for each in own]
        if "contentDocument" in node:
            frames[f"{path}/d"] = node["frameId"]
            waiting.append((f"{path}/d", node["contentDocument"]))
    return DocumentNodes(paths, frames)

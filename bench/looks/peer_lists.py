"""Parses the peers' texts into lists of the same form as ours.

Rule 1: in doubt a peer gets the better score: what it lists with a ref counts as offered, a nameless control is named
by its text, and boxes do not count as its tokens.
Rule 2: a text is read completely or not at all: a line that is not of the peer's form is an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from perception.bench.looks.look_output import ListedElement, LookOutput
from perception.browser.capture.axtree import INTERACTIVE_ROLES
from perception.datasets.sample import DatasetError, PeerView
from perception.datasets.sources.peer_snapshots import PEER_SHORT
from perception.geometry import Box
from perception.render.tokens import count_tokens
from perception.types import Viewport

VALUE_ROLES = frozenset({"combobox", "searchbox", "slider", "spinbutton", "textbox"})
"""For these, the text after the colon is the control's value; for others, its text."""

_INDENT = 2

_STRING = r'"(?:[^"\\]|\\.)*"'

_KEY = re.compile(rf"(?P<role>[^\s:\[\"/]+)(?: (?P<name>{_STRING}))?(?P<marks>(?: \[[^\[\]]*\])*)")
"""A key in Playwright's text: role, name as JSON, marks. (packages/isomorphic/ariaSnapshotRenderer.ts, 1.65)"""

_BOX = re.compile(r" \[box=(-?\d+),(-?\d+),(-?\d+),(-?\d+)\]")

_AGENT_LINE = re.compile(
    rf"(?P<role>[^\s:\[\"]+)(?: (?P<name>{_STRING}))?(?: \[(?P<marks>[^\]]*)\])?"
    r"(?: (?P<kind>clickable|focusable|editable) \[[^\]]*\])?(?:: (?P<value>.*)|:)?"
)
"""A line of agent-browser's: role, name as JSON, marks, why it can be acted on, value. (cli/src/native/snapshot.rs)
Blanks are cut off at the end of the last line: a value of blanks only leaves its colon."""

_AGENT_NOTHING = ("", "(empty page)", "(no interactive elements)")
"""agent-browser's text for a page without elements."""

_AGENT_CONTENT = frozenset(
    "heading cell gridcell columnheader rowheader listitem article region main navigation Iframe".split()
)
"""Roles that agent-browser gives a ref to although they are not interactive (CONTENT_ROLES there), and frames."""


class PeerTextError(DatasetError):
    """A peer's text is not of the form that this version reads."""


@dataclass(slots=True)
class _Node:
    """One line, during parsing. `box` is already in the top viewport."""

    role: str
    depth: int
    name: str = ""
    ref: str = ""
    text: str = ""
    value: str = ""
    box: Box | None = None
    acted_on: bool = False
    holds_value: bool = False
    children: list[_Node] = field(default_factory=list)


def seen_of(view: PeerView, sample: str, sample_id: str, *, viewport: Viewport | None = None) -> LookOutput:
    """A peer's look at a sample. An empty text gives an empty list.

    Args:
        sample, sample_id: the sample's name and id.
        viewport: decides which boxes are in view; if unknown, everything counts as in view.

    Raises:
        PeerTextError: the text cannot be read, or the peer is not known.
    """
    reader = _READERS.get(view.peer)
    if reader is None:
        raise PeerTextError(f"no reader for peer {view.peer!r}: there are {', '.join(_READERS)}")
    text = plain_text(view)
    first, warm = view.milliseconds
    return LookOutput(
        sample=sample,
        id=sample_id,
        who=view.peer,
        elements=tuple(_element(node, viewport) for node in reader(view.text)),
        text=text,
        tokens=count_tokens(text),
        milliseconds={"first": first, "warm": warm},
        placed=view.peer in PLACED,
    )


def is_peer(who: str) -> bool:
    """Whether a look of this name is a peer's."""
    return who in _READERS


def plain_text(view: PeerView) -> str:
    """The text for a model: Playwright's text without the boxes, which only scoring needs.

    It equals the output of `aria_snapshot(mode="ai")` without boxes, character for character.
    """
    if view.peer != "playwright":
        return view.text
    return "\n".join(_without_box(line) for line in view.text.split("\n"))


def _without_box(line: str) -> str:
    body = line.lstrip(" ")
    indent = line[: len(line) - len(body)]
    if not body.startswith("- ") or body.startswith(("- text: ", "- /")):
        return line
    key, rest = _split_key(body[2:])
    match = _KEY.fullmatch(key)
    if match is None:
        raise _not_understood("playwright", line)
    bare = key[: match.start("marks")] + _BOX.sub("", match["marks"])
    quoted = body.startswith("- '")
    return f"{indent}- " + ("'" + bare.replace("'", "''") + "'" if quoted else bare) + rest


def _split_key(body: str) -> tuple[str, str]:
    """A YAML entry's key, unquoted, and the rest: nothing, `:` or `: value`."""
    if body.startswith("'"):
        match = re.match(r"'((?:[^']|'')*)'", body)
        if match is None:
            raise _not_understood("playwright", body)
        return match[1].replace("''", "'"), body[match.end() :]
    match = _KEY.match(body)
    if match is None:
        raise _not_understood("playwright", body)
    return match[0], body[match.end() :]


def _read_playwright(text: str) -> list[_Node]:
    nodes: list[_Node] = []
    open_nodes: list[_Node] = []
    for line in text.split("\n") if text else ():
        body = line.lstrip(" ")
        depth = (len(line) - len(body)) // _INDENT
        if not body.startswith("- "):
            raise _not_understood("playwright", line)
        del open_nodes[next((at for at, node in enumerate(open_nodes) if node.depth >= depth), len(open_nodes)) :]
        parent = open_nodes[-1] if open_nodes else None
        if body.startswith("- /"):
            _take_property(parent, body)
        elif body.startswith("- text: "):
            nodes.extend(_take_text(parent, _unescape(body.removeprefix("- text: ")), depth))
        else:
            node = _playwright_node(body[2:], depth, open_nodes)
            if parent is not None:
                parent.children.append(node)
            nodes.append(node)
            open_nodes.append(node)
    return nodes


def _take_property(parent: _Node | None, body: str) -> None:
    """A field shows its placeholder; an address is not visible on the page."""
    if parent is not None and body.startswith("- /placeholder: "):
        parent.text = parent.text or _unescape(body.removeprefix("- /placeholder: "))


def _take_text(parent: _Node | None, text: str, depth: int) -> Iterator[_Node]:
    """The text of a field is its value; other text is an entry of its own, at its parent's position."""
    if parent is not None and parent.role in VALUE_ROLES:
        parent.value = f"{parent.value} {text}".strip()
        return
    node = _Node("text", depth, text=text, box=parent.box if parent else None)
    if parent is not None:
        parent.children.append(node)
    yield node


def _playwright_node(body: str, depth: int, open_nodes: Sequence[_Node]) -> _Node:
    key, rest = _split_key(body)
    match = _KEY.fullmatch(key)
    if match is None or (rest and rest != ":" and not rest.startswith(": ")):
        raise _not_understood("playwright", body)
    marks = dict(mark.partition("=")[::2] for mark in re.findall(r"\[([^\[\]]*)\]", match["marks"]))
    node = _Node(match["role"], depth, _name(match["name"]), marks.get("ref", ""))
    node.acted_on = node.role in INTERACTIVE_ROLES or marks.get("cursor") == "pointer"
    node.box = _playwright_box(marks.get("box", ""), open_nodes)
    written = _unescape(rest.removeprefix(": ")) if rest.startswith(": ") else ""
    if node.role in VALUE_ROLES:
        node.value = written
    else:
        node.text = written
    return node


def _playwright_box(mark: str, open_nodes: Sequence[_Node]) -> Box | None:
    """Moves boxes in a frame, which are relative to that frame's viewport, by all frames around it.

    The width of a frame's border and padding is not in the text. The default border is 2 px, and most pages set none.
    """
    if not mark:
        return None
    left, top, width, height = (int(part) for part in mark.split(","))
    frames = [node for node in open_nodes if node.role == "iframe" and node.box is not None]
    # A frame's own box has already been moved by the frames around it.
    dx, dy = (frames[-1].box.left, frames[-1].box.top) if frames and frames[-1].box else (0.0, 0.0)
    return Box(left, top, left + width, top + height).shift(dx, dy)


def _read_agent_browser(text: str) -> list[_Node]:
    nodes: list[_Node] = []
    open_nodes: list[_Node] = []
    for line in text.split("\n") if text not in _AGENT_NOTHING else ():
        body = line.lstrip(" ")
        match = _AGENT_LINE.fullmatch(body[2:]) if body.startswith("- ") else None
        if match is None:
            _take_more_of_a_value(nodes, line)
            continue
        depth = (len(line) - len(body)) // _INDENT
        del open_nodes[next((at for at, node in enumerate(open_nodes) if node.depth >= depth), len(open_nodes)) :]
        node = _agent_node(match, depth)
        if open_nodes:
            open_nodes[-1].children.append(node)
        nodes.append(node)
        open_nodes.append(node)
    return nodes


def _take_more_of_a_value(nodes: Sequence[_Node], line: str) -> None:
    """agent-browser prints a multi-line value unchanged; its first line may be empty."""
    if not nodes or not nodes[-1].holds_value:
        raise _not_understood("agent-browser", line)
    nodes[-1].value += "\n" + line


def _agent_node(match: re.Match[str], depth: int) -> _Node:
    role = "text" if match["role"] == "StaticText" else match["role"]
    ref = re.search(r"(?:^|, )ref=(\w+)", match["marks"] or "")
    node = _Node(role, depth, _name(match["name"]), ref[1] if ref else "", value=match["value"] or "")
    node.holds_value = match["value"] is not None
    node.acted_on = bool(match["kind"]) or (bool(node.ref) and role not in _AGENT_CONTENT)
    if role == "text":
        node.name, node.text = "", node.name
    return node


def _element(node: _Node, viewport: Viewport | None) -> ListedElement:
    """Playwright gives no ref to an element without a size or pointer events: that is not offered. All others are."""
    inner = " ".join(_inner_text(node)) if node.acted_on and not node.name else node.text
    return ListedElement(
        ref=node.ref,
        role=node.role,
        name=node.name,
        box=node.box,
        interactive=node.acted_on,
        reachable=bool(node.ref),
        text=inner,
        value=node.value,
        in_viewport=_is_in_view(node.box, viewport),
    )


def _inner_text(node: _Node) -> Iterator[str]:
    if node.text:
        yield node.text
    for child in node.children:
        if child.name.strip():
            yield child.name.strip()
        else:
            yield from _inner_text(child)


def _is_in_view(box: Box | None, viewport: Viewport | None) -> bool:
    if box is None or viewport is None:
        return True
    return box.intersect(Box(0, 0, viewport.width, viewport.height)) is not None


def _name(quoted: str | None) -> str:
    return _load(quoted) if quoted else ""


def _unescape(value: str) -> str:
    """A YAML scalar as Playwright writes it: unquoted, or in double quotes with JSON's escapes and `\\xNN`."""
    if not (value.startswith('"') and value.endswith('"') and len(value) > 1):
        return value
    return _load(re.sub(r"(?<!\\)((?:\\\\)*)\\x([0-9a-f]{2})", r"\1\\u00\2", value))


def _load(quoted: str) -> str:
    """A JSON string. A lone surrogate, which a page may contain, becomes `?`: text files cannot represent it."""
    return str(json.loads(quoted, strict=False)).encode(errors="replace").decode()


def _not_understood(peer: str, line: str) -> PeerTextError:
    return PeerTextError(f"{peer}'s snapshot has a line of another form than is read here: {line.strip()[:80]!r}")


PLACED = {"playwright"}
"""Peers whose text includes positions."""

_READERS: Mapping[str, Callable[[str], list[_Node]]] = {
    "playwright": _read_playwright,
    "agent-browser": _read_agent_browser,
    "agent-browser" + PEER_SHORT: _read_agent_browser,
}

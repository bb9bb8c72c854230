"""Facts from Chromium's accessibility tree: its roles, names and states, with boxes from the walker.

`Accessibility.getFullAXTree` is exact and slow (166 ms at 1,000 controls, 3.9 s at 10,000; Chromium 156).
"""

from __future__ import annotations

from typing import Any

from perception.browser.capture.frame_facts import FrameFacts, decode_walk
from perception.browser.capture.resolved_nodes import resolved_nodes
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.page_link import PageLink
from perception.browser.walker.row_layout import IN_VIEWPORT, SENSITIVE, Row
from perception.deadline import Deadline
from perception.instrumentation.stages import timed
from perception.render.icon_fonts import is_glyph
from perception.types import Source

INTERACTIVE_ROLES = frozenset(
    "button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox "
    "slider spinbutton switch tab textbox treeitem".split()
)

_TO_ARIA = {
    "StaticText": "text",
    "image": "img",
    "Canvas": "canvas",
    "Iframe": "iframe",
    "IframePresentational": "iframe",
    "Video": "video",
    "Audio": "audio",
    "SvgRoot": "img",
    "ComboBoxSelect": "combobox",
    "ComboBoxMenuButton": "combobox",
    "ComboBoxGrouping": "combobox",
    "TextFieldWithComboBox": "combobox",
    "ToggleButton": "button",
    "PopUpButton": "button",
    "DisclosureTriangle": "button",
    "DisclosureTriangleGrouped": "button",
    "Date": "textbox",
    "DateTime": "textbox",
    "InputTime": "textbox",
    "ColorWell": "button",
    "ListBoxOption": "option",
    "MenuListOption": "option",
    "MathMLMath": "math",
    "PluginObject": "embed",
    "EmbeddedObject": "embed",
    "Abbr": "generic",
    "DescriptionList": "generic",
    "Figcaption": "generic",
    "LabelText": "generic",
    "LayoutTable": "generic",
    "LayoutTableCell": "generic",
    "LayoutTableRow": "generic",
    "Legend": "generic",
    "Ruby": "generic",
}
"""Chromium's internal roles that have an ARIA equivalent (ui/accessibility/ax_enums, as CDP prints them)."""

_SILENT = frozenset(
    "none generic GenericContainer InlineTextBox LineBreak RootWebArea LabelText paragraph list listitem ListMarker "
    "rowgroup cell columnheader rowheader gridcell LayoutTable LayoutTableRow LayoutTableCell Ignored Legend Ruby "
    "strong emphasis code time term definition DescriptionList Abbr mark superscript subscript MenuListPopup "
    "DescriptionListDetail DescriptionListTerm Figcaption Section EmbeddedObject PluginObject Caret article".split()
)
"""Roles without a row: their text is listed, or they only group."""

_NAMED_ONLY = frozenset("form region group figure table application tabpanel feed row".split())
"""Roles that get a row only with a name."""

_STATES = {
    "disabled": "disabled",
    "required": "required",
    "readonly": "readonly",
    "selected": "selected",
    "focused": "focused",
    "modal": "modal",
    "multiselectable": "multiselectable",
}


_SECRET = frozenset(("password", "password filled", "masked", "filled"))
"""States that only the walker reports."""


async def replace_rows(page: PageLink, facts: FrameFacts, deadline: Deadline) -> None:
    """Replaces a frame's rows by rows from the accessibility tree.

    Raises:
        CdpCallError: the frame is gone.
    """
    session = page.session_of(facts.frame)
    with timed("ax"):
        reply = await session.call(
            "Accessibility.getFullAXTree", deadline, "reading the accessibility tree", frameId=facts.frame
        )
    nodes = _listed(reply["nodes"])
    rows, frames = await _measure(page, facts.frame, [node for node, _ in nodes], deadline)
    listed = {row.node for row in rows}
    unlisted = [row for row in facts.reply.rows if row.opaque and row.node not in listed]
    pictures = {row.node: row for row in facts.reply.rows}
    for row, (node, parent) in zip(rows, nodes, strict=True):
        _fill(row, node, parent)
        known = pictures.get(row.node)
        if known is not None and known.opaque and not row.name:
            row.opaque = known.opaque
        elif row.role not in ("canvas", "video", "iframe", "img"):
            row.opaque = "" if row.name or row.value else row.opaque
    for row in unlisted:  # the tree omits nameless pictures, which vision may still read
        row.parent = -1
    facts.reply.rows = rows + unlisted
    facts.reply.frames = frames
    facts.source = Source.AX


async def identity(page: PageLink, frame: str, backend_node_id: int, deadline: Deadline) -> tuple[str, str]:
    """Current role and name of a node; both empty for a node that is not in the tree."""
    try:
        reply = await page.session_of(frame).call(
            "Accessibility.getPartialAXTree",
            deadline,
            "looking at the target",
            backendNodeId=backend_node_id,
            fetchRelatives=False,
        )
    except CdpCallError:
        return "", ""
    node = reply["nodes"][0]
    return ("", "") if node.get("ignored") else (role_of(node), text_of(node, "name"))


def _listed(nodes: list[dict[str, Any]]) -> list[tuple[dict[str, Any], int]]:
    """AX nodes that get a row, in tree order, each with the index of its parent row."""
    by_id = {node["nodeId"]: node for node in nodes}
    listed: list[tuple[dict[str, Any], int]] = []
    if not nodes:
        return listed
    stack: list[tuple[str, int, bool]] = [(nodes[0]["nodeId"], -1, False)]
    while stack:
        node_id, parent, quiet = stack.pop()
        node = by_id.get(node_id)
        if node is None:
            continue
        role = role_of(node)
        keep = not node.get("ignored") and "backendDOMNodeId" in node and _is_kept(role, text_of(node, "name"), quiet)
        if keep:
            listed.append((node, parent))
            parent = len(listed) - 1
            quiet = quiet or role in INTERACTIVE_ROLES or role in ("heading", "row")
        stack.extend((child, parent, quiet) for child in reversed(node.get("childIds", ())))
    return listed


def _is_kept(role: str, name: str, quiet: bool) -> bool:
    if role in INTERACTIVE_ROLES:
        return True
    if role in _SILENT or (role in _NAMED_ONLY and not name):
        return False
    return not quiet or role not in ("text", "heading", "img")


async def _measure(
    page: PageLink, frame: str, nodes: list[dict[str, Any]], deadline: Deadline
) -> tuple[list[Row], list[Any]]:
    """Walker rows (box, flags, click point) for AX nodes; an empty row for a node that is gone meanwhile."""
    world = await page.world(frame, deadline)
    phase = "measuring accessibility nodes"
    async with resolved_nodes(world, [node["backendDOMNodeId"] for node in nodes], deadline, phase) as objects:
        reply = await world.session.call(
            "Runtime.callFunctionOn",
            deadline,
            phase,
            functionDeclaration="function(...nodes) { return perceptionWalker.measureRows(...nodes); }",
            executionContextId=world.context_id,
            arguments=[{"objectId": each} if each else {"value": None} for each in objects],
            returnByValue=True,
        )
    walk = decode_walk(reply["result"]["value"])
    return walk.rows, walk.frames


def _fill(row: Row, node: dict[str, Any], parent: int) -> None:
    """Puts a node's facts into its walker row; what the walker redacted stays as it is."""
    row.parent = parent
    row.role = role_of(node)
    secret = [state for state in row.states if state in _SECRET]
    if not row.flags & SENSITIVE:
        row.name = text_of(node, "name")
    row.value = "" if row.flags & SENSITIVE else text_of(node, "value")
    row.states = states_of(node) + secret
    if row.role not in INTERACTIVE_ROLES:
        row.flags &= ~1
    if row.role == "text":
        row.opaque = ""
    if not row.flags & IN_VIEWPORT:
        row.point = None


def role_of(node: dict[str, Any]) -> str:
    """An AX node's role as an ARIA role, or as Chromium's where ARIA has none."""
    role = str(node.get("role", {}).get("value", ""))
    return _TO_ARIA.get(role, role)


def text_of(node: dict[str, Any], field: str) -> str:
    """An AX node's `name` or `value`, with white space collapsed and without glyphs of icon fonts."""
    value = node.get(field, {}).get("value", "")
    return " ".join("".join(char for char in str(value) if not is_glyph(char)).split())


def states_of(node: dict[str, Any]) -> list[str]:
    """An AX node's states as a snapshot names them."""
    states: list[str] = []
    for prop in node.get("properties", ()):
        name, value = prop["name"], prop.get("value", {}).get("value")
        if name in _STATES and value in (True, "true"):
            states.append(_STATES[name])
        elif name == "checked" and value in ("true", "mixed"):
            states.append("checked" if value == "true" else "mixed")
        elif name == "pressed" and value in ("true", "mixed"):
            states.append("pressed" if value == "true" else "mixed")
        elif name == "expanded":
            states.append("expanded" if value in (True, "true") else "collapsed")
        elif name == "invalid" and value not in (False, "false"):
            states.append("invalid")
        elif name == "level" and role_of(node) == "heading":
            states.append(f"level={value}")
        elif name == "hasPopup" and value not in (False, "false"):
            states.append("haspopup")
    return states

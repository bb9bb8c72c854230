"""Reads pages for `agreement`: the accessibility tree of every frame, and the walker's role and name of the same nodes.

A page is opened and walked as for a snapshot, and then its tree is read; between the two, only the page itself acts. A
node that is gone by then is left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from perception.bench.pages.page_visits import OnPage, read_each
from perception.bench.scores import Tally
from perception.bench.suites.agreement.judgment import ComparedNode, PageNodes, count_words
from perception.browser.browser_session import Tab
from perception.browser.capture.axtree import role_of, text_of
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.page_link import PageLink
from perception.datasets.sources.rendering import Visit
from perception.deadline import Deadline
from perception.errors import PerceptionError
from perception.types import Element, Engine, Scope

TREE_PHASE = "reading the accessibility tree"

TEXTS = frozenset(("text", "InlineTextBox", "LineBreak", "ListMarker", "RootWebArea"))

MARKUP_LENGTH = 160
"""Stored letters of an element's markup."""


async def read_pages(visits: Sequence[Visit], on_page: OnPage) -> tuple[list[PageNodes], dict[str, str], str]:
    """The pages, and else what `read_each` returns. Raises as that."""
    return await read_each(visits, lambda tab, visit, deadline: read_tab(tab, visit.page.id, deadline), on_page)


async def read_tab(tab: Tab, page_id: str, deadline: Deadline) -> PageNodes:
    """Reads a tab in its current state.

    Raises:
        PageCrashedError, SessionLostError, DeadlineError: as every look.
    """
    # Twice: the first look finds out which elements listen for clicks.
    for _ in range(2):
        capture = await tab.capturer.capture(
            engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, deadline=deadline
        )
    listed = {
        (each.frame or tab.link.main_frame, each.backend_node_id): each
        for each in capture.elements
        if each.backend_node_id is not None
    }
    nodes: list[ComparedNode] = []
    texts: list[str] = []
    for frame in tab.link.frames:
        try:
            tree = await _read_tree(tab.link, frame, deadline)
            nodes += await _read_frame(tab.link, frame, tree, listed, deadline)
        except CdpCallError:
            continue  # the frame is gone
        texts += [text_of(each, "name") for each in tree if role_of(each) == "text"]
    return PageNodes(page_id, tuple(nodes), _count_listed(texts, capture.elements))


async def _read_tree(page: PageLink, frame: str, deadline: Deadline) -> list[dict[str, Any]]:
    reply = await page.session_of(frame).call("Accessibility.getFullAXTree", deadline, TREE_PHASE, frameId=frame)
    return [each for each in reply["nodes"] if not each.get("ignored") and "backendDOMNodeId" in each]


async def _read_frame(
    page: PageLink,
    frame: str,
    tree: Sequence[dict[str, Any]],
    listed: Mapping[tuple[str, int], Element],
    deadline: Deadline,
) -> list[ComparedNode]:
    wanted = [each for each in tree if role_of(each) not in TEXTS]
    said = await _identify(page, frame, [each["backendDOMNodeId"] for each in wanted], deadline)
    nodes = []
    for each, ours in zip(wanted, said, strict=True):
        if ours is not None:
            role, name, markup = ours
            row = listed.get((frame, each["backendDOMNodeId"]))
            if row is not None:
                role, name = row.role, row.name
            nodes.append(ComparedNode(role_of(each), text_of(each, "name"), role, name, row is not None, markup))
    return nodes


async def _identify(
    page: PageLink, frame: str, backend_node_ids: Sequence[int], deadline: Deadline
) -> list[tuple[str, str, str] | None]:
    """Our role, name and markup of each node; None for one that is gone or inside a native control."""
    world = await page.world(frame, deadline)
    session = world.session
    resolving = [
        session.start("DOM.resolveNode", backendNodeId=each, executionContextId=world.context_id)
        for each in backend_node_ids
    ]
    async with deadline.phase(TREE_PHASE):
        resolved = await asyncio.gather(*resolving, return_exceptions=True)
    reply = await session.call(
        "Runtime.callFunctionOn",
        deadline,
        TREE_PHASE,
        functionDeclaration="function(length, ...nodes) { return perceptionWalker.identify(length, nodes); }",
        executionContextId=world.context_id,
        arguments=[
            {"value": MARKUP_LENGTH},
            *(
                {"objectId": each["object"]["objectId"]} if isinstance(each, dict) else {"value": None}
                for each in resolved
            ),
        ],
        returnByValue=True,
    )
    await session.call("Runtime.releaseObjectGroup", deadline, TREE_PHASE, objectGroup="")
    if "exceptionDetails" in reply:
        raise PerceptionError(f"the page walker failed: {reply['exceptionDetails'].get('text', '')[:200]}")
    return msgspec.json.decode(reply["result"]["value"], type=list[tuple[str, str, str] | None])


def _count_listed(texts: Sequence[str], elements: Sequence[Element]) -> Tally:
    """The words of a page's text, and how many of them its list has."""
    words = count_words(texts)
    ours = count_words(part for each in elements for part in (each.name, each.text, each.value, *each.options))
    return Tally(sum((words & ours).values()), sum(words.values()))

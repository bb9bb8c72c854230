"""Reads pages for `agreement`: the accessibility tree of every frame, and what we say of the same nodes.

A page is opened, walked as a snapshot walks it, and its tree is read; nothing happens between the two but what the page
does by itself. A node that is gone by then is left out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from perception.bench.agreement import Node, PageNodes, count_words
from perception.bench.seen import Tally
from perception.browser.axtree import role_of, text_of
from perception.browser.cdp import CdpCallError
from perception.browser.chromium import LaunchOptions
from perception.browser.host import BrowserHost
from perception.browser.page import PageLink
from perception.browser.session import Tab
from perception.budget import Budget
from perception.datasets.render import SWITCHES, VISIT_SECONDS, Visit, bring
from perception.errors import PerceptionError, first_line
from perception.types import Element, Engine, Scope

PHASE = "reading the accessibility tree"

TEXTS = frozenset(("text", "InlineTextBox", "LineBreak", "ListMarker", "RootWebArea"))

MARKUP = 160
"""Letters of an element's beginning that are kept."""

Told = Callable[[str, str], None]
"""Is told each page that is done, and why one could not be read."""


async def read_pages(visits: Sequence[Visit], told: Told) -> tuple[list[PageNodes], dict[str, str], str]:
    """Reads pages one after the other, each in a session of its own.

    Returns:
        The pages; why others could not be read, by page; the browser's version.

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """
    host = await BrowserHost.start(LaunchOptions(switches=SWITCHES), Budget.of(VISIT_SECONDS))
    pages, failed = [], {}
    try:
        for visit in visits:
            try:
                pages.append(await _read_visit(host, visit))
            except PerceptionError as exc:
                failed[visit.page.id] = first_line(exc)
            except ExceptionGroup as exc:  # frames are read side by side
                failed[visit.page.id] = first_line(exc.exceptions[0])
            told(visit.page.id, failed.get(visit.page.id, ""))
        return pages, failed, host.version
    finally:
        await host.close()


async def _read_visit(host: BrowserHost, visit: Visit) -> PageNodes:
    budget = Budget.of(VISIT_SECONDS)
    session = await host.new_session(visit.options, lambda _: None, budget)
    try:
        tab = session.tab()
        await bring(tab, visit, budget)
        return await read_tab(tab, visit.page.id, budget)
    finally:
        await session.close()


async def read_tab(tab: Tab, page_id: str, budget: Budget) -> PageNodes:
    """Reads a tab as it stands.

    Raises:
        PageCrashedError, SessionLostError, DeadlineError: as every look.
    """
    # Twice: who listens for clicks is learnt with the first look.
    for _ in range(2):
        capture = await tab.looker.capture(engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, budget=budget)
    listed = {
        (each.frame or tab.link.main_frame, each.backend_node_id): each
        for each in capture.elements
        if each.backend_node_id is not None
    }
    nodes: list[Node] = []
    texts: list[str] = []
    for frame in tab.link.frames:
        try:
            tree = await _read_tree(tab.link, frame, budget)
            nodes += await _read_frame(tab.link, frame, tree, listed, budget)
        except CdpCallError:
            continue  # the frame has gone away
        texts += [text_of(each, "name") for each in tree if role_of(each) == "text"]
    return PageNodes(page_id, tuple(nodes), _count_listed(texts, capture.elements))


async def _read_tree(page: PageLink, frame: str, budget: Budget) -> list[dict[str, Any]]:
    reply = await page.session_of(frame).call("Accessibility.getFullAXTree", budget, PHASE, frameId=frame)
    return [each for each in reply["nodes"] if not each.get("ignored") and "backendDOMNodeId" in each]


async def _read_frame(
    page: PageLink,
    frame: str,
    tree: Sequence[dict[str, Any]],
    listed: Mapping[tuple[str, int], Element],
    budget: Budget,
) -> list[Node]:
    wanted = [each for each in tree if role_of(each) not in TEXTS]
    said = await _identify(page, frame, [each["backendDOMNodeId"] for each in wanted], budget)
    nodes = []
    for each, ours in zip(wanted, said, strict=True):
        if ours is not None:
            role, name, markup = ours
            row = listed.get((frame, each["backendDOMNodeId"]))
            if row is not None:
                role, name = row.role, row.name
            nodes.append(Node(role_of(each), text_of(each, "name"), role, name, row is not None, markup))
    return nodes


async def _identify(
    page: PageLink, frame: str, backend_node_ids: Sequence[int], budget: Budget
) -> list[tuple[str, str, str] | None]:
    """Role, name and beginning of each node in our words; None for one that is gone or inside of a native control."""
    world = await page.world(frame, budget)
    session = world.session
    resolving = [
        session.start("DOM.resolveNode", backendNodeId=each, executionContextId=world.context_id)
        for each in backend_node_ids
    ]
    async with budget.phase(PHASE):
        resolved = await asyncio.gather(*resolving, return_exceptions=True)
    reply = await session.call(
        "Runtime.callFunctionOn",
        budget,
        PHASE,
        functionDeclaration="function(length, ...nodes) { return perceptionWalker.identify(length, nodes); }",
        executionContextId=world.context_id,
        arguments=[
            {"value": MARKUP},
            *(
                {"objectId": each["object"]["objectId"]} if isinstance(each, dict) else {"value": None}
                for each in resolved
            ),
        ],
        returnByValue=True,
    )
    await session.call("Runtime.releaseObjectGroup", budget, PHASE, objectGroup="")
    if "exceptionDetails" in reply:
        raise PerceptionError(f"the page walker failed: {reply['exceptionDetails'].get('text', '')[:200]}")
    return msgspec.json.decode(reply["result"]["value"], type=list[tuple[str, str, str] | None])


def _count_listed(texts: Sequence[str], elements: Sequence[Element]) -> Tally:
    """The words of a page's text, and how many of them its list has."""
    words = count_words(texts)
    ours = count_words(part for each in elements for part in (each.name, each.text, each.value, *each.options))
    return Tally(sum((words & ours).values()), sum(words.values()))

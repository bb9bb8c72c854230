"""Interactables: what can be acted on, as one list, served page by page with a selector for each.

Rule 1: the list is what a look finds. It is kept for its later pages; selectors are made for the page that is served.
Rule 2: what is gone by then is left out; what no selector reaches is reported as skipped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from perception.browser.capture.hidden_controls import HiddenControls, find_unseen
from perception.browser.capture.selectors import make_selectors
from perception.browser.input.aiming import Targets
from perception.browser.input.hit_test import Root, are_inside, place_root
from perception.browser.page.page_link import PageLink
from perception.browser.page.selector_syntax import Durable
from perception.deadline import Deadline
from perception.engine.request import SnapshotOptions
from perception.engine.snapshot import EngineContext, take_elements
from perception.errors import StaleRefError
from perception.server.extraction.pagination import PagedInteractables
from perception.server.extraction.scope import find_scope
from perception.types import Element, Mode, NodeKey, Reach, Scope, Skipped


@dataclass(frozen=True, slots=True)
class InteractablesRequest:
    """What is asked for.

    Attributes:
        roles: those that are listed; empty for all.
        scope_selector: the element that the list is limited to; empty for the whole page.
        include_hidden: controls that are not painted, too.
        settle_s: how long to wait at most for the page to come to rest first; 0 for not at all.
    """

    roles: frozenset[str]
    scope_selector: str
    include_hidden: bool
    settle_s: float


@dataclass(frozen=True, slots=True)
class InteractablesPage:
    """One page of a list.

    Attributes:
        found: the elements with their selectors, in the order of the list.
        skipped: what is not in the list, and why.
        next_start: where the next page begins; None after the last.
    """

    found: tuple[tuple[Element, Durable], ...]
    skipped: tuple[Skipped, ...]
    next_start: int | None


async def list_interactables(
    context: EngineContext, request: InteractablesRequest, deadline: Deadline
) -> PagedInteractables:
    """Looks at a tab for what a request asks for.

    Raises:
        BadSelectorError, NoMatchError, AmbiguousTargetError: of the scope's selector.
    """
    tab = context.tab
    options = SnapshotOptions(mode=Mode.TEXT, scope=Scope.PAGE, settle_s=request.settle_s, node_ids=False)
    snapshot = await take_elements(context, options, deadline)
    elements = snapshot.elements
    node = await find_scope(tab, request.scope_selector, deadline)
    root = await place_root(tab.link, Targets(tab.link), node, deadline) if node is not None else None
    inside = await are_inside(tab.link, root, elements, deadline) if root else [True] * len(elements)
    listed = [each for each, lies in zip(elements, inside, strict=True) if lies and each.interactive]
    if not request.include_hidden:
        listed = [each for each in listed if each.visible or each.reach is not Reach.NEVER]
    skipped = list(snapshot.skipped)
    if request.include_hidden:
        frames = [tab.link.main_frame, *dict.fromkeys(each.frame for each in elements if each.frame)]
        unseen, failed = await find_unseen(tab.link, frames, deadline)
        skipped += failed
        if root is not None:
            within = {each.frame or tab.link.main_frame for each, lies in zip(elements, inside, strict=True) if lies}
            unseen = await _within(tab.link, root, unseen, within, deadline)
        listed = list(_merged(listed, unseen))
    return PagedInteractables(
        tab_id=tab.tab_id,
        loader=snapshot.loader,
        url=snapshot.url,
        title=snapshot.title,
        scope=request.scope_selector,
        elements=tuple(each for each in listed if not request.roles or each.role in request.roles),
        skipped=tuple(skipped),
    )


async def read_page(
    page: PageLink, listed: PagedInteractables, start: int, size: int, deadline: Deadline
) -> InteractablesPage:
    """Elements of a list from `start` on, with selectors that are made now.

    Raises:
        StaleRefError: the page that the list is of was left.
    """
    if page.loader != listed.loader:
        raise StaleRefError("the list is of a page that was left: ask again, without page_token")
    part = listed.elements[start : start + size]
    selectors = await make_selectors(page, [each.node for each in part if each.node is not None], deadline)
    found = tuple((each, selectors[each.node]) for each in part if each.node in selectors)
    missing = len(part) - len(found)
    skipped = listed.skipped
    if missing:
        skipped += (Skipped("selectors", f"{missing} elements are gone, or in a frame that is gone"),)
    end = start + size
    return InteractablesPage(found, skipped, end if end < len(listed.elements) else None)


async def _within(
    page: PageLink, root: Root, unseen: Sequence[HiddenControls], frames: set[str], deadline: Deadline
) -> list[HiddenControls]:
    """The elements in the root: in its own frame as the walker reports, in other frames if these do."""
    assert root.node is not None
    nodes = [each.element.node for each in unseen]
    own = [node.node for node in nodes if node is not None and node.loader == root.loader]
    asked = await page.ask(root.node.frame, "nodesInside", deadline, "looking into the scope", root.node.number, own)
    inside = {number for number, lies in zip(own, asked or [], strict=False) if lies}
    return [
        each
        for each, node in zip(unseen, nodes, strict=True)
        if node is not None and (node.node in inside if node.loader == root.loader else each.element.frame in frames)
    ]


def _merged(listed: Sequence[Element], unseen: Iterable[HiddenControls]) -> Iterator[Element]:
    """Both in document order."""
    following: dict[NodeKey | None, list[Element]] = defaultdict(list)
    known = {each.node for each in listed}
    for each in unseen:
        following[each.after if each.after in known else None].append(each.element)
    yield from following.pop(None, ())
    for element in listed:
        yield element
        yield from following.pop(element.node, ())

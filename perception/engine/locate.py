"""Where listed elements are in the document: nodes of what only vision sees, selectors of what can be acted on.

This is the only visit to the browser after fusion; all its calls run side by side.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from perception.browser.browser_session import Tab
from perception.browser.capture.selectors import make_selectors
from perception.browser.input.hit_test import nodes_under
from perception.browser.page.selector_syntax import Durable
from perception.deadline import Deadline
from perception.instrumentation.stages import Stages
from perception.types import Element, NodeKey, replace_fields

First = TypeVar("First")
Second = TypeVar("Second")


@dataclass(frozen=True, slots=True)
class Locations:
    """What the browser said.

    Attributes:
        nodes: by the ref of a vision element, the frame and backend node id of the element that a click on it lands
            on; the frame is empty for the top document. Those over nothing are absent.
        selectors: by node. Those that no selector reaches are absent.
    """

    nodes: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    selectors: Mapping[NodeKey, Durable] = field(default_factory=dict)

    def apply(self, elements: Sequence[Element]) -> tuple[Element, ...]:
        """The elements with their nodes and selectors."""
        if not self.nodes and not self.selectors:
            return tuple(elements)
        return tuple(self._apply(each) for each in elements)

    def _apply(self, element: Element) -> Element:
        if element.node is None:
            if (found := self.nodes.get(element.ref)) is None:
                return element
            frame, backend_node_id = found
            return replace_fields(element, backend_node_id=backend_node_id, frame=frame)
        if not _can_be_acted_on(element) or (made := self.selectors.get(element.node)) is None:
            return element
        return replace_fields(element, selector=made.selector)


async def locate(
    tab: Tab, elements: Sequence[Element], stages: Stages, deadline: Deadline, *, with_selectors: bool
) -> Locations:
    """Finds elements in the document. Asks nothing where there is nothing to find.

    Args:
        elements: with refs.
        with_selectors: make selectors for those that can be acted on; what only vision sees has none.
    """
    seen = [each for each in elements if _is_vision(each) and each.click_point is not None]
    targets: set[NodeKey] = set()
    if with_selectors:
        targets = {each.node for each in elements if each.node is not None and _can_be_acted_on(each)}
    if not seen and not targets:
        return Locations()
    with stages.stage("locate"):
        nodes, selectors = await _both(
            _find_nodes(tab, seen, deadline) if seen else None,
            make_selectors(tab.link, targets, deadline) if targets else None,
        )
    return Locations(nodes or {}, selectors or {})


def _is_vision(element: Element) -> bool:
    return element.node is None and element.ref.startswith("v")


def _can_be_acted_on(element: Element) -> bool:
    return element.ref.startswith("e")


async def _find_nodes(tab: Tab, seen: Sequence[Element], deadline: Deadline) -> dict[str, tuple[str, int]]:
    points = [point for each in seen if (point := each.click_point) is not None]
    under = await nodes_under(tab.link, points, deadline)
    return {
        each.ref: ("" if found[0] == tab.link.main_frame else found[0], found[1])
        for each, found in zip(seen, under, strict=True)
        if found is not None
    }


async def _both(
    first: Coroutine[Any, Any, First] | None, second: Coroutine[Any, Any, Second] | None
) -> tuple[First | None, Second | None]:
    """Awaits both side by side. An error of one cancels the other."""
    if first is None or second is None:
        return (await first if first else None), (await second if second else None)
    try:
        async with asyncio.TaskGroup() as group:
            tasks = group.create_task(first), group.create_task(second)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return tasks[0].result(), tasks[1].result()

"""Interactables: what can be acted on, as one list, served page by page with a selector for each.

Rule 1: the list is what a look finds. It is kept for its later pages; selectors are made for the page that is served.
Rule 2: what is gone by then is left out; what no selector reaches is told as skipped.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from google.protobuf.json_format import MessageToJson

from perception.browser.page import PageLink
from perception.browser.places import Root, are_inside, place_root
from perception.browser.selecting import make_selectors
from perception.browser.session import Tab
from perception.browser.targets import Targets
from perception.browser.unseen import Unseen, find_unseen
from perception.budget import Budget
from perception.detectors.pool import DetectorPool
from perception.errors import BadInputError, StaleRefError
from perception.pipeline import Wish
from perception.render.tokens import count_tokens
from perception.render.words import UNSAFE, clear, cut, quote
from perception.roles import ROLES, SYNONYMS
from perception.selectors import Durable
from perception.server.convert import seconds_of, skipped_messages
from perception.server.perceive import look
from perception.server.scopes import find_scope
from perception.server.sessions import Session
from perception.server.shelf import KeptList
from perception.types import Element, Mode, NodeKey, Reach, Scope, Skipped
from perception.v1 import extraction_service_pb2 as pb

PAGE_SIZE, MAX_PAGE_SIZE = 500, 1000
"""Elements of an answer: of 28 real pages none has more than 500 (`bench run selectors` says of each)."""

MAX_TEXT = 2000
"""Characters of a name, text or value: 1000 such elements stay below the size of a message."""

_UNSAID = frozenset({"disabled", "clickable", "focused", "mislabelled"})
"""States that other fields say, or that are of this moment alone."""


async def list_interactables(
    pool: DetectorPool, session: Session, tab: Tab, request: pb.ExtractInteractablesRequest, budget: Budget
) -> KeptList:
    """Looks at a tab for what a request asks for.

    Raises:
        BadSelectorError, NoMatchError, AmbiguousTargetError: of the scope's selector.
    """
    settle_s = seconds_of(request, "settle_timeout")
    wish = Wish(mode=Mode.TEXT, scope=Scope.PAGE, settle_s=settle_s)
    snapshot, _ = await look(tab, session.refs, wish, pool, session.memory, "", budget)
    elements = snapshot.elements
    node = await find_scope(tab, request.scope_selector, budget)
    root = await place_root(tab.link, Targets(tab.link), node, budget) if node is not None else None
    inside = await are_inside(tab.link, root, elements, budget) if root else [True] * len(elements)
    listed = [each for each, lies in zip(elements, inside, strict=True) if lies and each.interactive]
    skipped = list(snapshot.skipped)
    if request.include_hidden:
        frames = [tab.link.main_frame, *dict.fromkeys(each.frame for each in elements if each.frame)]
        unseen, failed = await find_unseen(tab.link, frames, budget)
        skipped += failed
        if root is not None:
            within = {each.frame or tab.link.main_frame for each, lies in zip(elements, inside, strict=True) if lies}
            unseen = await _within(tab.link, root, unseen, within, budget)
        listed = list(_merged(listed, unseen))
    roles = frozenset(SYNONYMS.get(role, role) for role in request.roles)
    return KeptList(
        tab_id=tab.tab_id,
        loader=snapshot.loader,
        url=snapshot.url,
        title=snapshot.title,
        scope=request.scope_selector,
        elements=tuple(each for each in listed if not roles or each.role in roles),
        skipped=tuple(skipped),
    )


async def _within(
    page: PageLink, root: Root, unseen: Sequence[Unseen], frames: set[str], budget: Budget
) -> list[Unseen]:
    """Those that lie in the root: in its own frame as the walker says, in other frames if these do."""
    assert root.node is not None
    nodes = [each.element.node for each in unseen]
    own = [node.node for node in nodes if node is not None and node.loader == root.loader]
    asked = await page.ask(root.node.frame, "inside", budget, "looking into the scope", root.node.number, own)
    inside = {number for number, lies in zip(own, asked or [], strict=False) if lies}
    return [
        each
        for each, node in zip(unseen, nodes, strict=True)
        if node is not None and (node.node in inside if node.loader == root.loader else each.element.frame in frames)
    ]


def _merged(listed: Sequence[Element], unseen: Iterable[Unseen]) -> Iterator[Element]:
    """Both in document order."""
    following: dict[NodeKey | None, list[Element]] = defaultdict(list)
    known = {each.node for each in listed}
    for each in unseen:
        following[each.after if each.after in known else None].append(each.element)
    yield from following.pop(None, ())
    for element in listed:
        yield element
        yield from following.pop(element.node, ())


async def serve_page(
    session: Session, tab: Tab, kept: KeptList, list_id: str, start: int, size: int, started_s: float, budget: Budget
) -> pb.ExtractInteractablesResponse:
    """Elements of a list from `start` on, with selectors that have just been made.

    Raises:
        StaleRefError: the page that the list is of was left.
    """
    if tab.link.loader != kept.loader:
        raise StaleRefError("the list is of a page that was left: ask again, without page_token")
    part = kept.elements[start : start + size]
    selectors = await make_selectors(tab.link, [each.node for each in part if each.node is not None], budget)
    found = [(each, selectors[each.node]) for each in part if each.node in selectors]
    missing = len(part) - len(found)
    messages = [_message(element, durable) for element, durable in found]
    skipped = [*kept.skipped]
    if missing:
        skipped.append(Skipped("selectors", f"{missing} elements are gone, or in a frame that is gone"))
    text = session.fence.around("".join(_line(element, durable) for element, durable in found))
    more = start + size < len(kept.elements)
    response = pb.ExtractInteractablesResponse(
        interactables=messages,
        total_count=len(kept.elements),
        scope_selector=kept.scope,
        byte_count=sum(len(MessageToJson(each, indent=None).encode()) for each in messages),
        next_page_token=f"{list_id}.{start + size}" if more else "",
        tab_id=kept.tab_id,
        url=kept.url,
        title=kept.title,
        text=text,
        token_count=count_tokens(text),
        skipped=skipped_messages(skipped),
    )
    response.elapsed.FromTimedelta(timedelta(seconds=time.perf_counter() - started_s))
    return response


def check_request(request: pb.ExtractInteractablesRequest) -> int:
    """The page size. Raises BadInputError for what cannot be served."""
    if not 0 <= request.page_size <= MAX_PAGE_SIZE:
        raise BadInputError(f"page_size {request.page_size} is not in 1 to {MAX_PAGE_SIZE}", field="page_size")
    unknown = sorted(set(request.roles) - ROLES - SYNONYMS.keys())
    if unknown:
        raise BadInputError(f"{unknown[0]!r} is no ARIA role: roles are such as button, link, textbox", field="roles")
    return request.page_size or PAGE_SIZE


def _message(element: Element, durable: Durable) -> pb.Interactable:
    name = cut(element.name, MAX_TEXT)
    return pb.Interactable(
        selector=durable.selector,
        playwright_selector=durable.playwright,
        type=durable.kind,
        role=element.role,
        name=name,
        text=cut(element.text, MAX_TEXT) if element.text != element.name else "",
        enabled="disabled" not in element.states,
        visible=element.visible,
        reachable=element.reach in (Reach.NOW, Reach.SCROLL),
        input_type=durable.input_type,
        value=cut(element.value, MAX_TEXT),
        placeholder=durable.placeholder if durable.placeholder != name else "",
        ref=element.ref,
        stability=durable.stability,
        stability_reason=durable.reason,
        frame=element.frame,
        states=[state for state in element.states if state not in _UNSAID],
        hint="" if element.name else element.hint,
    )


def _line(element: Element, durable: Durable) -> str:
    """`- textbox "Email" `#email`: "a@b.co" [required]`."""
    words = [f"- {element.role}"]
    if element.name:
        words.append(quote(element.name))
    line = " ".join([*words, _code(durable.selector)])
    if element.value:
        line += f": {quote(element.value)}"
    return line + "".join(f" [{mark}]" for mark in _marks(element, durable)) + "\n"


def _code(selector: str) -> str:
    """Between more backticks than it holds itself, and on one line: CSS escapes stand for the same characters."""
    most = max(map(len, re.findall("`+", selector)), default=0)
    ticks = "`" * (most + 1)
    return ticks + UNSAFE.sub(lambda match: f"\\{ord(match[0]):x} ", selector) + ticks


def _marks(element: Element, durable: Durable) -> Iterator[str]:
    yield from (clear(state) for state in element.states if state == "disabled" or state not in _UNSAID)
    if not element.visible:
        yield "hidden"
    elif element.reach in (Reach.NEVER, Reach.COVERED):
        yield "unreachable" if element.reach is Reach.NEVER else "covered"
    if not element.name and durable.placeholder:
        yield f"placeholder={clear(durable.placeholder)}"
    elif not element.name and element.hint:
        yield f"hint={clear(element.hint)}"

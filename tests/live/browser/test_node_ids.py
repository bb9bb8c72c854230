"""Backend node ids: asked for where they are served, and added to a capture that was taken without them."""

from __future__ import annotations

from typing import Any

import pytest

from perception.browser.capture import document_order
from perception.browser.capture.document_order import MANY_NODES
from perception.browser.cdp.cdp_link import CdpSession
from perception.deadline import Deadline
from perception.types import Capture, Element, Engine, Scope
from tests.support.sheet import Sheet

PAGE = """<!doctype html><h1>Head</h1><button>Out</button><iframe srcdoc="<button>In</button>"></iframe>"""


def served(capture: Capture) -> list[Element]:
    return [each for each in capture.elements if each.role != "text"]


async def test_a_capture_without_node_ids_gets_them_when_they_are_asked_for(
    sheet: Sheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab, deadline = sheet.tab, Deadline.of(60)
    await sheet.write(PAGE)

    async def capture(*, node_ids: bool) -> Capture:
        return await tab.capturer.capture(
            engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, deadline=deadline, node_ids=node_ids
        )

    bare = await capture(node_ids=False)
    assert {each.name for each in served(bare)} >= {"Out", "In"}
    assert {each.role for each in bare.elements if each.backend_node_id is not None} == {"iframe"}

    walked: list[str] = []
    start = CdpSession.start

    def recorded(session: CdpSession, method: str, **params: Any) -> Any:
        walked.extend([method] if sheet.owns(session) and ".walk(" in str(params.get("expression")) else [])
        return start(session, method, **params)

    monkeypatch.setattr(CdpSession, "start", recorded)
    whole = await capture(node_ids=True)
    assert not walked
    assert [each.name for each in whole.elements] == [each.name for each in bare.elements]
    for each in served(whole):
        session = tab.link.session_of(each.frame or tab.link.main_frame)
        node = await session.call("DOM.describeNode", deadline, "checking", backendNodeId=each.backend_node_id)
        assert node["node"]["localName"] == {"heading": "h1"}.get(each.role, each.role)
    assert await capture(node_ids=True) is whole
    assert await capture(node_ids=False) is whole


async def test_many_node_ids_are_those_of_their_nodes(sheet: Sheet) -> None:
    """They are read by place in the document; what has no place there, as in a shadow tree, is asked for by itself."""
    tab, deadline = sheet.tab, Deadline.of(60)
    rows = "".join(f"<p><button id=b{number}>B{number}</button></p>" for number in range(MANY_NODES))
    await sheet.write(f"<template><p>No</p></template><div id=host></div><svg><a></a></svg>{rows}")
    await tab.page.evaluate("host.attachShadow({mode: 'open'}).innerHTML = '<button>Shadow</button><slot></slot>'")
    capture = await sheet.look()
    buttons = [each for each in capture.elements if each.role == "button"]
    assert [each.name for each in buttons] == ["Shadow", *(f"B{number}" for number in range(MANY_NODES))]
    for each in (*buttons[:3], buttons[-1]):
        node = await tab.link.session.call("DOM.describeNode", deadline, "checking", backendNodeId=each.backend_node_id)
        attributes = node["node"]["attributes"]
        assert attributes == ([] if each.name == "Shadow" else ["id", each.name.lower()])


async def test_node_ids_are_not_read_by_place_from_an_order_that_changes(
    sheet: Sheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab, deadline = sheet.tab, Deadline.of(60)
    await sheet.write("".join(f"<button id=b{number}>B{number}</button>" for number in range(MANY_NODES)))
    read = document_order.places_in_document
    moved: list[int] = []

    async def read_and_move(*given: Any) -> dict[int, int]:
        places = await read(*given)
        moved.append(len(places))
        await tab.page.evaluate("document.body.prepend(document.querySelector('#b7'))")
        return places

    monkeypatch.setattr(document_order, "places_in_document", read_and_move)
    capture = await sheet.look()
    assert moved
    for each in capture.elements[:3]:
        node = await tab.link.session.call("DOM.describeNode", deadline, "checking", backendNodeId=each.backend_node_id)
        assert node["node"]["attributes"] == ["id", each.name.lower()]

"""Backend node ids: asked for where they are served, and added to a capture that was taken without them."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from perception.browser.browser_session import BrowserSession
from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.page.navigation import WaitUntil, navigate
from perception.deadline import Deadline
from perception.types import Capture, Element, Engine, Scope

PAGE = """<!doctype html><h1>Head</h1><button>Out</button><iframe srcdoc="<button>In</button>"></iframe>"""


def served(capture: Capture) -> list[Element]:
    return [each for each in capture.elements if each.role != "text"]


async def test_a_capture_without_node_ids_gets_them_when_they_are_asked_for(
    browser: BrowserSession, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab, deadline = browser.tab(), Deadline.of(30)
    await navigate(tab.link, f"{site}/html?body={quote(PAGE)}", WaitUntil.SETTLED, deadline)

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
        walked.extend([method] if ".walk(" in str(params.get("expression")) else [])
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

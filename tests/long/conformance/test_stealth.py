"""Pages that try to notice that they are looked at, or to break who looks: they notice nothing, and break nothing."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from perception.client import AsyncClient, AsyncPage
from perception.deadline import Deadline
from perception.server.app import Service
from perception.v1 import perception_service_pb2 as pb
from perception.v1 import types_pb2

pytestmark = pytest.mark.usefixtures("patient_service")

BODY = """
<h1>Orders</h1>
<form><label>Customer <input id=name name=parentNode value=Jane></label>
<label><input type=checkbox checked> Urgent</label> <input type=password name=attributes value=geheim aria-label=Secret>
<label>Card number <input name=cc value=4929></label>
<select aria-label=Size><option>S<option selected>M</select> <textarea aria-label=Note>x</textarea></form>
<div id=trap>Trapped <button>In a trap</button></div> <button id=own>Own</button>
<a href=#x>Link</a> <div onclick="0" style="cursor:pointer;width:80px">Clickable</div>
<div id=box style="height:60px;overflow:auto"><button>First</button><p style="height:300px">tall</p></div>
<div><template shadowrootmode=open><button>Open shadow</button><slot></slot></template><b>slotted</b></div>
<div><template shadowrootmode=closed><button>Closed shadow</button></template></div>
<div style="content-visibility:auto;contain-intrinsic-size:10px 900px"><button>Skipped</button></div>
<details><summary>More</summary>hidden</details> <canvas width=60 height=30></canvas>
<svg width=20 height=20><a href=#s><circle r=9 cx=9 cy=9 /></a></svg>
<iframe srcdoc="<button>In a frame</button>" height=60></iframe>
<p style="height:2000px" data-private>far</p><button>Below</button>
"""

NAMES = [
    *("Orders", "Customer", "Urgent", "Secret", "Card number", "Size", "Note", "In a trap", "Own", "Link", "Clickable"),
    *("First", "Open shadow", "Closed shadow", "More", "In a frame", "Below"),
]


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


def html(site: str, head: str) -> str:
    page = f"<!doctype html><html><head><meta charset=utf-8>{head}</head><body>{BODY}</body></html>"
    return f"{site}/html?body={quote(page)}"


async def run_in_page(service: Service, page: AsyncPage, expression: str) -> str:
    """In the page's own world, where its scripts are."""
    link = service.context.sessions.get(page.session_id).browser.tab().link
    reply = await link.session.call(
        "Runtime.evaluate",
        Deadline.of(60),
        "asking the page",
        expression=expression,
        awaitPromise=True,
        returnByValue=True,
    )
    assert "exceptionDetails" not in reply, reply
    return str(reply["result"].get("value"))


async def snapshot(page: AsyncPage, client: AsyncClient, **options: Any) -> types_pb2.Snapshot:
    request = pb.CaptureSnapshotRequest(session_id=page.session_id, options=pb.SnapshotOptions(**options))
    kept: types_pb2.Snapshot = (await client.call(client.perception.CaptureSnapshot, request)).snapshot
    return kept


LOOKS = [
    pytest.param({"mode": pb.MODE_TEXT}, id="text"),
    pytest.param({"mode": pb.MODE_TEXT, "scope": pb.SCOPE_PAGE, "reveal_sensitive": True}, id="all-of-the-page"),
    pytest.param({"mode": pb.MODE_TEXT, "engine": pb.ENGINE_AX, "scope": pb.SCOPE_PAGE}, id="accessibility-tree"),
    pytest.param({"mode": pb.MODE_FUSED}, id="fused"),
    pytest.param({"mode": pb.MODE_VISION}, id="vision"),
]


@pytest.mark.parametrize("options", LOOKS)
async def test_page_does_not_notice_that_it_is_looked_at(
    service: Service, client: AsyncClient, page: AsyncPage, site: str, options: dict[str, Any]
) -> None:
    await page.navigate(html(site, "<script src=/hostile/watcher.js></script>"))
    assert await run_in_page(service, page, "begin()") == "watching"
    for _ in range(2):
        await snapshot(page, client, **options)
    assert await run_in_page(service, page, "noticed()") == ""


async def test_page_does_not_notice_that_its_picture_is_taken(
    service: Service, client: AsyncClient, page: AsyncPage, site: str
) -> None:
    await page.navigate(html(site, "<script src=/hostile/watcher.js></script>"))
    assert await run_in_page(service, page, "begin()") == "watching"
    for annotated in (False, True):
        request = pb.CaptureScreenshotRequest(session_id=page.session_id, annotated=annotated)
        await client.call(client.perception.CaptureScreenshot, request)
    assert await run_in_page(service, page, "noticed()") == ""


async def test_page_that_watches_notices_a_change(service: Service, page: AsyncPage, site: str) -> None:
    await page.navigate(html(site, "<script src=/hostile/watcher.js></script>"))
    await run_in_page(service, page, "begin()")
    await run_in_page(service, page, "document.getElementById('name').setAttribute('data-x', 1)")
    noticed = (await run_in_page(service, page, "noticed()")).splitlines()
    assert {"call Document.getElementById", "call Element.setAttribute", "mutation 1"} <= set(noticed)
    assert any(line.startswith("state 0") for line in noticed)


HOSTILE = [
    pytest.param("<script src=/hostile/watcher.js></script>", id="watches"),
    pytest.param("<script src=/hostile/overwriter.js></script>", id="overwrites-everything"),
    pytest.param(
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; script-src 'none'; style-src 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'\">",
        id="allows-no-script",
    ),
    pytest.param(
        "<script>Object.freeze(Object.prototype); Object.freeze(Array.prototype); Object.freeze(window.JSON)</script>",
        id="freezes",
    ),
    pytest.param("<script>window.perceptionWalker = { look: () => '{}' }</script>", id="poses-as-who-looks"),
    pytest.param(
        "<script>setInterval(() => document.documentElement.setAttribute('data-n', Math.random()), 16)</script>",
        id="never-rests",
    ),
]


WHOLE_PAGE = {"mode": pb.MODE_TEXT, "scope": pb.SCOPE_PAGE}

Lines = list[tuple[str, str, str]]


def lines(snapshot: types_pb2.Snapshot) -> Lines:
    return [(each.role, each.name, each.value) for each in snapshot.elements]


@pytest.fixture(scope="module")
async def peaceful(client: AsyncClient, site: str) -> Lines:
    """What is listed of the same page without a script."""
    async with await client.open(html(site, "")) as page:
        return lines(await snapshot(page, client, **WHOLE_PAGE))


@pytest.mark.parametrize("head", HOSTILE)
async def test_hostile_page_is_listed_as_it_is(
    client: AsyncClient, page: AsyncPage, site: str, peaceful: Lines, head: str
) -> None:
    assert set(NAMES) <= {name for _, name, _ in peaceful}
    await page.navigate(html(site, head))
    for _ in range(2):
        listed = await snapshot(page, client, **WHOLE_PAGE)
        assert not listed.skipped
        if "style-src" not in head:  # without its styles a page looks different
            assert lines(listed) == peaceful
        assert set(NAMES) <= {each.name for each in listed.elements}
        assert "geheim" not in listed.text + str(listed.elements)


@pytest.mark.parametrize("head", HOSTILE[:-1])
async def test_hostile_page_is_acted_on(client: AsyncClient, page: AsyncPage, site: str, head: str) -> None:
    await page.navigate(html(site, head))
    listed = await snapshot(page, client, mode=pb.MODE_TEXT)
    await page.click(next(each.ref for each in listed.elements if each.name == "Urgent"))
    again = await snapshot(page, client, mode=pb.MODE_TEXT)
    before, after = (next(e for e in each.elements if e.name == "Urgent") for each in (listed, again))
    assert (list(before.states), "checked" in after.states) == (["checked"], False)

"""Every view of the web application by axe-core, in light and dark, on a desktop and on a phone: no violations."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.async_api import Page, expect

import perception.server.viewer
from tests.long.server.viewer.conftest import Open, Watched
from tests.long.server.viewer.test_live import STILL, opened, wait_for_picture

AXE = Path(perception.server.viewer.__file__).parent / "web/node_modules/axe-core/axe.min.js"

pytestmark = pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: .ci/viewer installs it")

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

DEVICES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1300, "height": 800}},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
}


async def violations(viewer: Page) -> list[str]:
    """What axe-core finds in light and in dark, one line for each: its rule, and where."""
    if not await viewer.evaluate("() => 'axe' in window"):
        await viewer.evaluate(AXE.read_text("utf-8"))
    found: list[str] = []
    for scheme in SCHEMES:
        await viewer.emulate_media(color_scheme=scheme)
        found += await viewer.evaluate(
            """async scheme => (await axe.run(document, {resultTypes: ['violations']})).violations.flatMap(
                each => each.nodes.map(node => `${scheme} ${each.id}: ${node.target} ${node.failureSummary}`))""",
            scheme,
        )
    return found


async def fits(viewer: Page) -> bool:
    """Whether nothing is wider than the screen."""
    return bool(await viewer.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.parametrize("device", list(DEVICES))
async def test_no_view_has_a_violation(watched: Watched, open_viewer: Open, site: str, device: str) -> None:
    found: dict[str, list[str]] = {}

    async def check(view: str, viewer: Page) -> None:
        told = await violations(viewer)
        if not await fits(viewer):
            told.append("wider than the screen")
        if told:
            found[view] = told

    viewer = await open_viewer(name="", **DEVICES[device])

    await expect(viewer.get_by_label("Your token for the service")).to_be_visible()
    await check("login", viewer)
    people = await open_viewer(name="bob", **DEVICES[device])
    await expect(people.get_by_role("heading", name="No session is open")).to_be_visible()
    await check("empty list", people)
    body = STILL + "<p hidden>Offer</p><a href=x style='position:absolute;top:155px;left:110px'>Under</a>"
    async with await opened(watched, site, body) as page:
        await page.snapshot(mode="text")
        await page.click((await page.snapshot(mode="text")).elements[0].ref)
        viewer = await open_viewer(**DEVICES[device])
        await viewer.get_by_role("listitem").filter(has_text="Pay").first.wait_for()
        await check("list", viewer)
        await viewer.get_by_label("Menu").click()
        await viewer.get_by_role("button", name="Open on another device…").click()
        await viewer.get_by_label("This link logs one browser in").wait_for()
        await check("menu", viewer)
        await viewer.goto(f"{watched.url}sessions/{page.session_id}")
        await wait_for_picture(viewer)
        await viewer.get_by_role("listbox").wait_for()
        await check("session", viewer)
        await viewer.get_by_label("Only what changed since the one before").check()
        await check("changes", viewer)
        await viewer.get_by_role("tab", name="Timeline").click()
        await viewer.locator(".call").first.click()
        await viewer.get_by_text("Request").wait_for()
        await check("timeline", viewer)
        await viewer.get_by_role("tab", name="Why not listed?").click()
        await viewer.get_by_placeholder("or a text or name on the page").fill("Offer")
        await viewer.get_by_role("button", name="Ask").click()
        await viewer.locator(".stages-list").wait_for()
        await check("explanation", viewer)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(page.request_human("Log in, please", timeout_s=300))
            await viewer.get_by_role("button", name="Refuse").wait_for()
            await check("request", viewer)
            await viewer.get_by_role("button", name="Take over").click()
            await viewer.get_by_role("button", name="Done").wait_for()
            await check("control", viewer)
            other = await open_viewer(f"sessions/{page.session_id}", apart=True, **DEVICES[device])
            await other.get_by_text("has control").first.wait_for()
            await check("control of somebody else", other)
            await viewer.get_by_role("button", name="Done").click()
        await watched.page_of(page).evaluate("void setTimeout(() => alert(1))")
        await viewer.get_by_label("Dialog of the page").wait_for()
        await check("dialog", viewer)
    await viewer.get_by_role("heading", name="This session has ended").wait_for()
    await check("ended", viewer)
    assert found == {}

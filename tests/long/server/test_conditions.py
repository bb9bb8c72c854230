"""Conditions of sessions, as their pages see them: place, permissions, network, processor, media."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError

pytestmark = pytest.mark.usefixtures("patient_answers")

PLACE = """() => new Promise(done => navigator.geolocation.getCurrentPosition(
  at => done([at.coords.latitude, at.coords.longitude, at.coords.accuracy]), error => done(error.code)))"""
STATES = """async () => {
  const states = {};
  for (const name of ['geolocation', 'notifications', 'camera'])
    states[name] = (await navigator.permissions.query({name})).state;
  return states }"""
MEDIA = """() => ['print', '(prefers-reduced-motion: reduce)', '(forced-colors: active)', '(prefers-contrast: more)',
  '(prefers-color-scheme: dark)'].map(each => matchMedia(each).matches)"""
BERLIN = {"latitude": 52.5, "longitude": 13.4}


@pytest.fixture(scope="module")
async def shared(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    page = await client.open(allow_evaluate=True, color_scheme="dark")
    yield page
    await page.close()


@pytest.fixture
async def page(shared: AsyncPage, site: str) -> AsyncPage:
    """A new page in the session of all tests, whose conditions are those of no test."""
    await shared.set_conditions()
    await shared.navigate(f"{site}/html?body=here")
    return shared


async def test_a_place_is_told_to_pages_that_may_know_it(page: AsyncPage, site: str) -> None:
    await page.set_conditions(geolocation=BERLIN)
    assert await page.evaluate(PLACE) == 1  # PERMISSION_DENIED
    allowed = [{"name": "geolocation", "setting": "grant", "origin": site}]
    now = await page.set_conditions(geolocation=BERLIN, permissions=allowed)
    assert now.geolocation.accuracy == 10
    assert await page.evaluate(PLACE) == [52.5, 13.4, 10]
    await page.navigate(f"{site.replace('127.0.0.1', 'localhost')}/html?body=other")
    assert await page.evaluate(PLACE) == 1
    assert (await page.state()).options.conditions.permissions[0].origin == site


async def test_permissions_are_granted_denied_and_taken_back(page: AsyncPage) -> None:
    rules = [{"name": "geolocation", "setting": "grant"}, {"name": "notifications", "setting": "deny"}]
    await page.set_conditions(permissions=[*rules, {"name": "camera", "setting": "ask"}])
    assert await page.evaluate(STATES) == {"geolocation": "granted", "notifications": "denied", "camera": "prompt"}
    await page.set_conditions()
    assert (await page.evaluate(STATES))["geolocation"] == "prompt"


async def test_what_one_site_was_once_told_does_not_hold_against_a_later_rule_for_all(
    page: AsyncPage, site: str
) -> None:
    for own in ("grant", "deny"):
        await page.set_conditions(permissions=[{"name": "geolocation", "setting": own, "origin": site}])
    await page.set_conditions()
    await page.set_conditions(permissions=[{"name": "geolocation", "setting": "grant"}])
    assert (await page.evaluate(STATES))["geolocation"] == "granted"
    await page.set_conditions(permissions=[{"name": "geolocation", "setting": "deny"}])
    assert (await page.evaluate(STATES))["geolocation"] == "denied"
    await page.set_conditions()
    assert (await page.evaluate(STATES))["geolocation"] == "prompt"


async def test_a_neighbor_keeps_its_own_permissions(page: AsyncPage, client: AsyncClient, site: str) -> None:
    await page.set_conditions(permissions=[{"name": "geolocation", "setting": "grant"}])
    async with await client.open(f"{site}/html?body=x", allow_evaluate=True) as other:
        assert (await other.evaluate(STATES))["geolocation"] != "granted"


async def test_media_are_told_to_style_sheets_in_all_tabs(page: AsyncPage, site: str) -> None:
    media = {"printing": True, "reduced_motion": "reduce", "forced_colors": "active", "contrast": "more"}
    await page.set_conditions(media=media)
    assert await page.evaluate(MEDIA) == [True, True, True, True, True]
    await page.navigate(f"{site.replace('127.0.0.1', 'localhost')}/html?body=other")
    assert await page.evaluate(MEDIA) == [True, True, True, True, True]
    third = await page.new_tab(f"{site}/html?body=third")
    assert await page.evaluate(MEDIA) == [True, True, True, True, True]
    await page.set_conditions()
    assert await page.evaluate(MEDIA) == [False, False, False, False, True]
    await page.close_tab(third.tab_id)


async def test_an_offline_session_reaches_nothing_and_comes_back(page: AsyncPage, site: str) -> None:
    await page.set_conditions(network={"offline": True})
    assert await page.evaluate("navigator.onLine") is False
    assert await page.evaluate("fetch('/html?body=x').then(() => 'there', () => 'gone')") == "gone"
    with pytest.raises(RemoteError) as caught:
        await page.navigate(f"{site}/html?body=new")
    assert caught.value.reason == "NAVIGATION_FAILED"
    await page.set_conditions()
    assert (await page.navigate(f"{site}/html?body=new")).http_status == 200


async def test_a_slow_network_and_processor_take_their_time(page: AsyncPage) -> None:
    await page.set_conditions(network={"latency": 0.5}, cpu_slowdown=4)
    took = (
        "async () => { const start = performance.now(); await fetch('/html?body=x'); return performance.now() - start }"
    )
    assert await page.evaluate(took) >= 500
    now = (await page.state()).options.conditions
    assert (now.network.latency.nanos, now.cpu_slowdown) == (500_000_000, 4)


async def test_a_session_opens_with_its_conditions(client: AsyncClient, site: str) -> None:
    rules = [{"name": "geolocation", "setting": "grant"}]
    conditions = {"geolocation": BERLIN, "permissions": rules, "media": {"contrast": "more"}}
    async with await client.open(f"{site}/html?body=x", allow_evaluate=True, conditions=conditions) as page:
        assert await page.evaluate(PLACE) == [52.5, 13.4, 10]
        assert (await page.evaluate(MEDIA))[3]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"geolocation": {"latitude": 91}}, r"\(91, 0\) is not a place: give a latitude of -90 to 90"),
        ({"permissions": [{"name": "clipboard-read", "setting": "grant"}]}, "clipboard-read is given to no page"),
        ({"permissions": [{"name": "geolocation"}]}, "has no setting: give grant, deny or ask"),
        ({"permissions": [{"name": "telepathy", "setting": "grant"}]}, "the browser has no permission 'telepathy'"),
        ({"permissions": [{"name": "camera", "setting": "deny", "origin": "shop"}]}, "'shop' is not an origin"),
        ({"permissions": [{"name": "camera", "setting": "deny"}] * 101}, "101 permissions are more than the 100"),
        ({"cpu_slowdown": 99}, "cpu_slowdown is 99: give 1 to 50"),
        ({"network": {"latency": 61}}, "latency is 61 s: give 0 to 60 s"),
        ({"network": {"download_bytes_per_s": -1}}, "download_bytes_per_s is -1: give 0 for no limit"),
    ],
)
async def test_wrong_conditions_are_refused_and_change_nothing(shared: AsyncPage, given: Any, message: str) -> None:
    await shared.set_conditions(media={"contrast": "more"})
    with pytest.raises(RemoteError, match=message) as caught:
        await shared.set_conditions(**given)
    assert caught.value.field.startswith("conditions.")
    assert (await shared.evaluate(MEDIA))[3]


async def test_what_a_page_asks_for_is_said(page: AsyncPage) -> None:
    asks = {
        "navigator.geolocation.getCurrentPosition(() => {})": "for the permission geolocation, and was refused",
        "Notification.requestPermission()": "for the permission notifications, and was refused",
        "navigator.mediaDevices.getUserMedia({video: 1}).catch(() => {})": "for the permission camera, and was refused",
        "navigator.clipboard.readText().catch(() => {})": "to read the clipboard: that is refused to every page",
    }
    for script, told in asks.items():
        await page.evaluate(f"() => {{ document.body.onclick = () => {{ {script} }} }}")
        done = await page.click("body", skip_diff=True)
        (note,) = [each for each in done.notes if "the page asked" in each]
        assert note.startswith(f"the page asked {told}")
    await page.set_conditions(permissions=[{"name": "geolocation", "setting": "grant"}])
    await page.evaluate("() => { document.body.onclick = () => navigator.geolocation.getCurrentPosition(() => {}) }")
    assert "asked" not in str((await page.click("body", skip_diff=True)).notes)

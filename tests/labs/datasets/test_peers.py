"""Peers on the tabs of a real Chromium. agent-browser's own tests need it installed."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from perception.browser.browser_session import BrowserSession, SessionOptions, Tab
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.page.navigation import WaitUntil, navigate
from perception.datasets.sources.arrival import arrive
from perception.datasets.sources.peer_snapshots import (
    AGENT_BROWSER_VARIABLE,
    PEER_SHORT,
    Peer,
    PeerError,
    installed_peers,
    missing_peers,
    witness,
)
from perception.deadline import Deadline

PLAYWRIGHT = installed_peers()[0]
AGENT_BROWSER = next((peer for peer in installed_peers() if peer.name == "agent-browser"), None)

needs_agent_browser = pytest.mark.skipif(
    AGENT_BROWSER is None, reason=f"agent-browser: {missing_peers().get('agent-browser')}"
)

STATE = """() => JSON.stringify([
  location.href, document.title, document.documentElement.outerHTML, innerWidth, innerHeight, devicePixelRatio,
  scrollX, scrollY, document.visibilityState, document.hasFocus(), document.activeElement.tagName])"""


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary folders are made in this test: a short path, as a socket's may have 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="p-") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture
async def tab(browser: BrowserSession, site: str) -> Tab:
    tab = browser.tab()
    await navigate(tab.link, f"{site}/form.html", WaitUntil.SETTLED, Deadline.of(20))
    await arrive(tab, Deadline.of(20))
    return tab


def test_playwright_is_always_there_with_its_version() -> None:
    assert PLAYWRIGHT.name == "playwright"
    assert PLAYWRIGHT.version[0].isdigit()


def test_a_peer_is_installed_or_missing_never_both() -> None:
    installed = {peer.name.removesuffix(PEER_SHORT) for peer in installed_peers()}
    assert installed ^ missing_peers().keys() == {"playwright", "agent-browser"}


def test_what_is_not_on_the_path_is_missing_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(AGENT_BROWSER_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", "")
    assert "npm install agent-browser" in missing_peers()["agent-browser"]
    assert [peer.name for peer in installed_peers()] == ["playwright"]


@pytest.mark.parametrize("program", ["/no/such/program", "/bin/false", "/bin/true"])
def test_a_program_without_a_version_is_missing_and_named(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setenv(AGENT_BROWSER_VARIABLE, program)
    assert program in missing_peers()["agent-browser"]


async def test_playwrights_view_is_its_own_words(host: BrowserHost, tab: Tab) -> None:
    view = await witness(PLAYWRIGHT, tab, host.endpoint, Deadline.of(20))
    assert view.text == await tab.page.aria_snapshot(mode="ai", boxes=True)
    assert (view.peer, view.version) == ("playwright", PLAYWRIGHT.version)
    assert min(view.milliseconds) > 0


async def test_half_a_surrogate_pair_goes_into_no_file(host: BrowserHost, tab: Tab) -> None:
    await tab.page.evaluate("document.querySelector('p').textContent = 'half \\ud83d of one'")
    view = await witness(PLAYWRIGHT, tab, host.endpoint, Deadline.of(20))
    assert "of one" in view.text.encode().decode()


async def test_playwright_looking_leaves_the_page_as_it_was(host: BrowserHost, tab: Tab) -> None:
    before = await tab.page.evaluate(STATE)
    await witness(PLAYWRIGHT, tab, host.endpoint, Deadline.of(20))
    assert await tab.page.evaluate(STATE) == before


async def test_a_page_that_hangs_is_a_peer_error_within_the_budget(host: BrowserHost, tab: Tab) -> None:
    await tab.page.evaluate("void setTimeout(() => { for (;;); }, 0)")
    deadline = Deadline.of(5)
    with pytest.raises(PeerError, match="playwright"):
        await witness(PLAYWRIGHT, tab, host.endpoint, deadline)
    assert not deadline.spent()  # what is left is for the others


async def test_a_tab_that_is_gone_is_a_peer_error(host: BrowserHost, browser: BrowserSession, tab: Tab) -> None:
    await browser.close_tab(tab.tab_id, Deadline.of(10))
    with pytest.raises(PeerError, match="could not look"):
        await witness(PLAYWRIGHT, tab, host.endpoint, Deadline.of(10))


@pytest.mark.parametrize(
    ("program", "why"), [("/no/such/program", "does not start"), ("/bin/false", "ended at its start")]
)
async def test_a_file_that_is_not_a_program_is_a_peer_error(
    host: BrowserHost, tab: Tab, program: str, why: str
) -> None:
    with pytest.raises(PeerError, match=why):
        await witness(Peer("agent-browser", "0", program), tab, host.endpoint, Deadline.of(10))


async def test_a_program_that_never_listens_is_ended_in_time(
    host: BrowserHost, tab: Tab, tmp_path: Path, place: Path
) -> None:
    program = tmp_path / "sleeper"
    program.write_text("#!/bin/sh\nsleep 1000\n")
    program.chmod(0o755)
    with pytest.raises(PeerError, match="agent-browser's start"):
        await witness(Peer("agent-browser", "0", str(program)), tab, host.endpoint, Deadline.of(8))
    await all_ended(place)
    assert os.listdir(place) == []


@needs_agent_browser
async def test_agent_browser_sees_the_tab(host: BrowserHost, tab: Tab) -> None:
    assert AGENT_BROWSER is not None
    view = await witness(AGENT_BROWSER, tab, host.endpoint, Deadline.of(30))
    assert '- heading "Checkout" [level=1, ref=' in view.text
    assert min(view.milliseconds) > 0


@needs_agent_browser
async def test_agent_browsers_short_list_is_what_its_command_line_gives(host: BrowserHost, tab: Tab) -> None:
    (short,) = (peer for peer in installed_peers() if peer.name == f"agent-browser{PEER_SHORT}")
    view = await witness(short, tab, host.endpoint, Deadline.of(30))
    lines = view.text.splitlines()
    assert lines[0].startswith('- heading "Checkout" [level=1, ref=')
    assert "StaticText" not in view.text
    assert all("ref=" in line for line in lines)


@needs_agent_browser
async def test_agent_browser_finds_one_tab_among_others_at_the_same_address(
    host: BrowserHost, tab: Tab, site: str
) -> None:
    assert AGENT_BROWSER is not None
    other = await host.new_session(SessionOptions(), lambda _: None, Deadline.of(20))
    try:
        await navigate(other.tab().link, f"{site}/form.html", WaitUntil.SETTLED, Deadline.of(20))
        await arrive(other.tab(), Deadline.of(20))
        for each, name in ((tab, "First"), (other.tab(), "Second")):
            await each.page.evaluate("name => { document.querySelector('h1').textContent = name }", name)
        for each, name in ((tab, "First"), (other.tab(), "Second")):
            view = await witness(AGENT_BROWSER, each, host.endpoint, Deadline.of(30))
            assert f'- heading "{name}"' in view.text
    finally:
        await other.close()


@needs_agent_browser
async def test_agent_browser_looking_leaves_the_page_as_it_was(host: BrowserHost, tab: Tab) -> None:
    assert AGENT_BROWSER is not None
    before = await tab.page.evaluate(STATE)
    await witness(AGENT_BROWSER, tab, host.endpoint, Deadline.of(30))
    assert await tab.page.evaluate(STATE) == before


@needs_agent_browser
async def test_agent_browser_leaves_no_process_and_no_file(host: BrowserHost, tab: Tab, place: Path) -> None:
    assert AGENT_BROWSER is not None
    await witness(AGENT_BROWSER, tab, host.endpoint, Deadline.of(30))
    await all_ended(place)
    assert os.listdir(place) == []


@needs_agent_browser
async def test_agent_browser_without_the_browser_is_a_peer_error(tab: Tab) -> None:
    assert AGENT_BROWSER is not None
    with pytest.raises(PeerError, match="launch"):
        await witness(AGENT_BROWSER, tab, "http://127.0.0.1:9", Deadline.of(20))


@needs_agent_browser
async def test_a_page_that_hangs_agent_browser_is_a_peer_error(host: BrowserHost, tab: Tab, place: Path) -> None:
    assert AGENT_BROWSER is not None
    await tab.page.evaluate("void setTimeout(() => { for (;;); }, 0)")
    with pytest.raises(PeerError):
        await witness(AGENT_BROWSER, tab, host.endpoint, Deadline.of(3))
    await all_ended(place)
    assert os.listdir(place) == []


async def all_ended(place: Path) -> None:
    """Waits for those that were killed to be gone: only the first of them is waited for by its parent."""
    async with asyncio.timeout(10):
        while True:
            if not processes_of(place):
                return
            await asyncio.sleep(0.01)


def processes_of(place: Path) -> list[bytes]:
    """Names of running processes whose environment names a folder; ended ones have no environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.fsencode(place) in (process / "environ").read_bytes():
                found.append((process / "comm").read_bytes())
        except OSError:  # it has just ended, or is another user's
            continue
    return found

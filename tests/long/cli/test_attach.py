"""`perception attach`: finds a running browser by its port file, lists its tabs, works in one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from playwright.async_api import Page

from perception.browser.chromium.browser_host import BrowserHost
from perception.cli.shell import attaching
from tests.support.processes import FORKED_SERVICES, NO_MODELS
from tests.support.shell_runs import Shell


@pytest.fixture
async def shell(tmp_path: Path) -> AsyncIterator[Shell]:
    shell = Shell(tmp_path / "home", tmp_path, FORKED_SERVICES | NO_MODELS)
    yield shell
    await asyncio.to_thread(shell.out, "close", "--all")


@pytest.fixture
async def tabs(host: BrowserHost, site: str) -> AsyncIterator[list[Page]]:
    """Two tabs in a browser's own context, as its user has them."""
    pages = ("<title>Mine</title><button onclick=document.title='Done'>Go</button>", "<title>Other</title>")
    context = host._browser.contexts[0]
    opened = [await context.new_page() for _ in pages]
    for page, html in zip(opened, pages, strict=True):
        await page.goto(f"{site}/html?body={quote(html)}")
    yield opened
    for page in opened:
        await page.close()


async def test_attach_finds_the_browser_and_works_in_the_chosen_tab(
    shell: Shell, tmp_path: Path, host: BrowserHost, tabs: list[Page]
) -> None:
    assert host._chromium is not None
    browser = urlsplit(host._chromium.ws_url)
    folder = tmp_path / "chrome"
    folder.mkdir()
    (folder / "DevToolsActivePort").write_text(f"{browser.port}\n{browser.path}")

    def work() -> None:
        listed = shell.out("attach", "--user-data-dir", str(folder))
        assert "Mine" in listed
        assert "Other" in listed
        assert "no tab has 'Third'" in shell.error("attach", "Third", "--user-data-dir", str(folder))[1]
        told = shell.out("attach", "Mine", "--user-data-dir", str(folder))
        assert "e1 button Go" in told
        shell.out("click", "e1")
        shown = shell.out("tabs")
        assert "Done" in shown
        assert "Other" not in shown  # the tabs of others are left alone
        shell.out("close")

    await asyncio.to_thread(work)
    assert await tabs[0].title() == "Done"
    assert [each.is_closed() for each in tabs] == [False, False]


async def test_a_browser_that_was_started_with_a_port_is_found_there(
    shell: Shell, host: BrowserHost, tabs: list[Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert host._chromium is not None
    endpoint = f"http://127.0.0.1:{urlsplit(host._chromium.ws_url).port}"
    assert "Mine" in await asyncio.to_thread(shell.out, "attach", "--endpoint", endpoint)
    monkeypatch.setattr(attaching, "USUAL_ENDPOINT", endpoint)
    monkeypatch.setattr(attaching, "_FOLDERS", {})
    assert (await attaching.find_endpoint(None, None, 5)).startswith(endpoint.replace("http:", "ws:"))


def test_an_endpoint_where_nothing_listens_is_told(shell: Shell) -> None:
    assert "gives no browser address" in shell.error("attach", "--endpoint", "http://127.0.0.1:9")[1]


def test_a_port_file_that_a_browser_has_left_is_told(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "DevToolsActivePort").write_text("9\n/devtools/browser/gone")
    assert "but no browser answers" in shell.error("attach", "--user-data-dir", str(tmp_path))[1]


def test_without_a_browser_it_is_said_how_to_start_one(shell: Shell, tmp_path: Path) -> None:
    code, said = shell.error("attach", "--user-data-dir", str(tmp_path))
    assert code == 2
    assert "--remote-debugging-port=0" in said
    (tmp_path / "DevToolsActivePort").write_text("junk")
    assert "no running browser" in shell.error("attach", "--user-data-dir", str(tmp_path))[1]

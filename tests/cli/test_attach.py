"""`perception attach`: finds a running browser by its port file, lists its tabs, works in one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.cli.shell_runs import Shell

BROWSER = """
import asyncio, sys
from playwright.async_api import async_playwright
from perception.browser.chromium.launch import LaunchOptions, find_executable, launch
from perception.deadline import Deadline

async def main():
    async with async_playwright() as playwright:
        options = LaunchOptions()
        chromium = await launch(options, find_executable(options, playwright.chromium.executable_path), Deadline.of(60))
        browser = await playwright.chromium.connect_over_cdp(chromium.ws_url)
        for url in sys.argv[1:]:
            await (await browser.contexts[0].new_page()).goto(url)
        place = chromium.ws_url.removeprefix("ws://")
        port, path = place.split(":")[1].split("/", 1)
        print(f"{port} /{path}", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        print(await browser.contexts[0].pages[1].title(), flush=True)
        await browser.close()
        await chromium.close()

asyncio.run(main())
"""


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    shell = Shell(tmp_path / "home", tmp_path, {})
    yield shell
    shell.out("close", "--all")


def test_attach_finds_the_browser_and_works_in_the_chosen_tab(shell: Shell, tmp_path: Path, site: str) -> None:
    pages = [
        f"{site}/html?body={quote(html)}"
        for html in ("<title>Mine</title><button onclick=document.title='Done'>Go</button>", "<title>Other</title>")
    ]
    running = subprocess.Popen(
        [sys.executable, "-c", BROWSER, *pages], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert running.stdin is not None
    assert running.stdout is not None
    port, path = running.stdout.readline().split()
    folder = tmp_path / "chrome"
    folder.mkdir()
    (folder / "DevToolsActivePort").write_text(f"{port}\n{path}")
    listed = shell.out("attach", "--user-data-dir", str(folder))
    assert "Mine" in listed
    assert "Other" in listed
    assert "no tab has 'Third'" in shell.error("attach", "Third", "--user-data-dir", str(folder))[1]
    told = shell.out("attach", "Mine", "--user-data-dir", str(folder))
    assert "e1 button Go" in told
    shell.out("click", "e1")
    tabs = shell.out("tabs")
    assert "Done" in tabs
    assert "Other" not in tabs  # the tabs of others are left alone
    shell.out("close")
    out, _ = running.communicate("")
    assert out == "Done\n"
    assert "but no browser answers" in shell.error("attach", "--user-data-dir", str(folder))[1]


def test_without_a_browser_it_is_said_how_to_start_one(shell: Shell, tmp_path: Path) -> None:
    code, said = shell.error("attach", "--user-data-dir", str(tmp_path))
    assert code == 2
    assert "--remote-debugging-port=0" in said
    (tmp_path / "DevToolsActivePort").write_text("junk")
    assert "no running browser" in shell.error("attach", "--user-data-dir", str(tmp_path))[1]

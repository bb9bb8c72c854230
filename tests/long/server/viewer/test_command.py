"""`perception view` as a process of its own: links, the service restarted underneath, what it says of bad options."""

from __future__ import annotations

import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from playwright.async_api import expect

from perception.browser.chromium.browser_host import BrowserHost
from perception.client import aconnect
from tests.long.server.viewer.conftest import TOKENS, Open, watched_service, write_private
from tests.long.server.viewer.test_live import wait_for_picture
from tests.support.processes import perception


@asynccontextmanager
async def viewer_of(address: str, *options: str) -> AsyncIterator[str]:
    """`perception view` of a service. Yields the link that it prints."""
    command = perception("view", "--no-open", "--listen", "127.0.0.1:0")
    with subprocess.Popen(  # noqa: ASYNC220 - it starts at once
        [*command, "--address", address, *options], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            found = re.search(r" at (http://\S+)", line)
            assert found, line
            yield found[1]
        finally:
            process.terminate()
            assert process.wait(20) == 0


async def test_the_service_may_be_restarted_underneath(
    host: BrowserHost, open_viewer: Open, site: str, tmp_path: Path
) -> None:
    settings = {"address": f"unix:{tmp_path / 'socket'}", "viewer": "", "data_dir": tmp_path / "data"}
    async with viewer_of(settings["address"]) as link:
        async with watched_service(host, **settings) as first:
            client = await aconnect(first.address, timeout_s=30)
            page = await client.open(f"{site}/html?body={quote('<title>One</title>')}")
            viewer = await open_viewer(name="", url=link)
            await viewer.get_by_role("listitem").filter(has_text="One").get_by_role("link").click()
            await wait_for_picture(viewer)
            listed = await viewer.context.new_page()
            await listed.goto(link.partition("#")[0])
            await listed.get_by_role("listitem").filter(has_text="One").wait_for()
            await client.close()
        await expect(viewer.get_by_text("The service does not answer")).to_be_visible()
        await expect(listed.get_by_role("alert")).to_be_visible()
        async with watched_service(host, **settings) as second:
            client = await aconnect(second.address, timeout_s=30)
            await expect(viewer.get_by_role("heading", name="This session has ended")).to_be_visible()
            async with await client.open(f"{site}/html?body={quote('<title>Two</title>')}"):
                await listed.get_by_role("listitem").filter(has_text="Two").get_by_role("link").click()
                await wait_for_picture(listed)
            await client.close()
        assert page.session_id


async def test_a_link_carries_the_rights_of_the_token_in_the_file(
    host: BrowserHost, open_viewer: Open, tmp_path: Path
) -> None:
    tokens = write_private(tmp_path / "tokens", f"ana {TOKENS['ana']} view\nbob {TOKENS['bob']}\n")
    mine = write_private(tmp_path / "mine", TOKENS["ana"])
    async with (
        watched_service(host, token_file=tokens, viewer="", data_dir=tmp_path / "data") as watched,
        viewer_of(watched.address, "--token-file", str(mine)) as link,
    ):
        viewer = await open_viewer(name="", url=link)
        await expect(viewer.get_by_role("heading", name="No session is open")).to_be_visible()
        may = await viewer.evaluate("async () => (await (await fetch('/api/me')).json()).may")
        assert may == "view"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--listen", "7900"], "--listen is '7900': it takes HOST:PORT"),
        (["--listen", "0.0.0.0:0"], "give a certificate and its key"),
        (["--cert", "nowhere.pem"], "the certificate cannot be read: No such file"),
        (["--token-file", "nowhere"], "the token file cannot be read"),
    ],
)
def test_bad_options_are_one_clear_line(options: list[str], told: str) -> None:
    command = perception("view", "--no-open", "--address", "127.0.0.1:1", *options)
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=60)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_service_prints_where_its_viewer_is() -> None:
    command = perception("serve", "--address", "127.0.0.1:0", "--viewer", "127.0.0.1:0")
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        said = next(line for line in process.stderr if line.startswith("the viewer is at "))
        assert httpx.get(said.split()[-1], trust_env=False, timeout=30).status_code == 200
        process.terminate()
        process.communicate(timeout=30)
    command = perception("serve", "--address", "127.0.0.1:0", "--viewer", "127.0.0.1:x")
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=60)
    assert done.returncode == 2
    assert "--viewer is '127.0.0.1:x': it takes HOST:PORT" in done.stderr


def test_without_its_packages_the_viewer_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from perception.errors import BadInputError
    from perception.server.viewer import beside

    monkeypatch.setattr(beside, "find_spec", lambda name: None if name == "uvicorn" else object())
    with pytest.raises(BadInputError, match=r"uvicorn.*pip install 'perception-service\[viewer\]'"):
        beside.require_packages()

"""Why a browser did not start, by what it wrote."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace

import pytest

from perception.browser.chromium.driver import start_driver
from perception.browser.chromium.launch import Chromium, _endpoint, _environment
from perception.deadline import Deadline
from perception.errors import BrowserUnavailableError, SandboxUnavailableError


def ended(folder: Path) -> Chromium:
    return Chromium(SimpleNamespace(returncode=1), "", SimpleNamespace(home=folder))  # type: ignore[arg-type]


async def test_what_a_browser_wrote_is_read_though_its_end_is_known_before(tmp_path: Path) -> None:
    browser = ended(tmp_path)

    async def drain() -> None:
        await asyncio.sleep(0.5)
        browser.stderr.append("No usable sandbox!")

    browser.drain = asyncio.create_task(drain())
    with pytest.raises(SandboxUnavailableError, match="sandbox does not work"):
        await _endpoint(browser)


async def test_a_process_that_holds_a_browsers_output_does_not_hold_up_the_error(tmp_path: Path) -> None:
    browser = ended(tmp_path)
    browser.drain = asyncio.create_task(asyncio.sleep(3600))  # type: ignore[arg-type]
    with pytest.raises(BrowserUnavailableError, match="it wrote no message"):
        await _endpoint(browser)
    browser.drain.cancel()


async def test_too_few_open_files_are_named_whatever_fails_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def start(_: object) -> None:
        raise OSError

    monkeypatch.setattr("perception.host_os.open_file_limit", lambda: 40)
    monkeypatch.setattr("playwright.async_api.PlaywrightContextManager.start", start)
    browser = ended(tmp_path)
    browser.drain = asyncio.create_task(asyncio.sleep(0))  # type: ignore[arg-type]
    with pytest.raises(BrowserUnavailableError, match=r"only 40 files may be open.*ulimit -n"):
        await _endpoint(browser)
    with pytest.raises(BrowserUnavailableError, match=r"only 40 files may be open.*ulimit -n"):
        await start_driver(Deadline.of(5))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        pytest.param({}, "C.UTF-8", id="none"),
        pytest.param({"LANG": "C"}, "C.UTF-8", id="C"),
        pytest.param({"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, "C.UTF-8", id="all-goes-first"),
        pytest.param({"LANG": "de_DE.UTF-8"}, None, id="another-language"),
        pytest.param({"LC_ALL": "ja_JP.utf8"}, "ja_JP.utf8", id="another-spelling"),
    ],
)
def test_names_of_files_keep_their_characters_in_any_locale(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], wanted: str | None
) -> None:
    for name in ("LANG", "LC_ALL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert _environment().get("LC_ALL") == wanted

"""Limits on downloads, by the events that Chromium sends: one after another, at once, more than are remembered."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.page import downloads as downloads_module
from perception.browser.page.download import FOLDER_REMOVED, DownloadState
from perception.browser.page.downloads import KEPT_DOWNLOADS, MAX_RUNNING, Downloads
from perception.browser.page.file_transfer import NewFile, write_new_file
from tests.support.waiting import until


class Wire:
    """Takes handlers, and records which downloads were cancelled."""

    def __init__(self) -> None:
        self.handlers: dict[str, Callable[[dict[str, Any]], None]] = {}
        self.cancelled: list[str] = []

    def on(self, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
        self.handlers[event] = handler

    def start(self, method: str, **params: Any) -> asyncio.Future[dict[str, Any]]:
        assert method == "Browser.cancelDownload"
        self.cancelled.append(params["guid"])
        done: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        done.set_result({})
        return done

    def begin(self, guid: str) -> None:
        self.handlers["Browser.downloadWillBegin"]({"guid": guid, "url": "http://a/", "suggestedFilename": "a.txt"})

    def move(self, guid: str, received: int, state: str = "inProgress") -> None:
        self.handlers["Browser.downloadProgress"]({"guid": guid, "receivedBytes": received, "state": state})


@pytest.fixture
def wire() -> Wire:
    return Wire()


def watch(wire: Wire, inbox: Path, *, max_bytes: int = 100, max_total_bytes: int = 250) -> Downloads:
    return Downloads(cast("CdpSession", wire), "c", inbox, None, max_bytes, max_total_bytes)


async def complete(wire: Wire, downloads: Downloads, inbox: Path, guid: str, size: int) -> None:
    wire.begin(guid)
    (inbox / guid).write_bytes(b"x" * size)
    wire.move(guid, size, "completed")
    while downloads.since(downloads.count - 1)[0].state is DownloadState.IN_PROGRESS:
        downloads.changed.clear()
        await downloads.changed.wait()


async def test_so_many_run_at_once(wire: Wire, tmp_path: Path) -> None:
    downloads = watch(wire, tmp_path)
    for number in range(MAX_RUNNING + 2):
        wire.begin(str(number))
    assert wire.cancelled == [str(MAX_RUNNING), str(MAX_RUNNING + 1)]
    assert downloads.since(0)[-1].failure == f"more than {MAX_RUNNING} at once"


async def test_one_that_runs_is_not_forgotten_for_many_small_ones(wire: Wire, tmp_path: Path) -> None:
    watch(wire, tmp_path)
    wire.begin("endless")
    for number in range(KEPT_DOWNLOADS + 5):
        wire.begin(str(number))
        wire.move(str(number), 0, "canceled")
    wire.move("endless", 101)
    assert wire.cancelled == ["endless"]


async def test_all_together_have_a_limit(wire: Wire, tmp_path: Path) -> None:
    downloads = watch(wire, tmp_path)
    await complete(wire, downloads, tmp_path, "one", 100)
    await complete(wire, downloads, tmp_path, "two", 100)
    wire.begin("three")
    wire.move("three", 40)
    wire.begin("four")
    wire.move("four", 20)
    assert wire.cancelled == ["four"]
    assert [each.state for each in downloads.since(0)] == [
        DownloadState.COMPLETED,
        DownloadState.COMPLETED,
        DownloadState.IN_PROGRESS,
        DownloadState.FAILED,
    ]
    assert "limit" in downloads.since(0)[-1].failure


async def test_a_link_in_place_of_a_download_is_a_failure(wire: Wire, tmp_path: Path) -> None:
    inbox, secret = tmp_path / "inbox", tmp_path / "secret"
    inbox.mkdir()
    secret.write_text("outside")
    downloads = watch(wire, inbox)
    (inbox / "g").symlink_to(secret)
    wire.begin("g")
    wire.move("g", 7, "completed")
    await downloads.changed.wait()
    (told,) = downloads.since(0)
    assert (told.state, told.path) == (DownloadState.FAILED, None)
    assert str(tmp_path) not in told.failure


async def _parts() -> AsyncIterator[bytes]:
    yield b"content"


async def test_a_file_of_our_own_fails_where_the_inbox_was_removed_and_makes_none(wire: Wire, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    downloads = watch(wire, inbox)
    failed = await downloads.receive("", "a.pdf", _parts()), await downloads.save("", "a.png", b"content")
    assert [each.failure for each in failed] == [f"{FOLDER_REMOVED}: create a new session"] * 2
    assert not inbox.exists()


async def test_a_folder_that_cannot_be_made_is_a_failed_download(wire: Wire, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file")
    failed = await watch(wire, tmp_path).receive("", "a.pdf", _parts())
    assert (failed.state, "could not be kept" in failed.failure) == (DownloadState.FAILED, True)


async def test_a_file_of_our_own_whose_caller_leaves_as_it_is_written_is_removed(
    wire: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on, written = threading.Event(), threading.Event(), threading.Event()

    def write_slowly(*given: Any) -> Path:
        began.set()
        go_on.wait(20)
        path = write_new_file(*given)
        written.set()
        return path

    monkeypatch.setattr(downloads_module, "write_new_file", write_slowly)
    downloads = watch(wire, tmp_path)
    saving = asyncio.create_task(downloads.save("", "a.png", b"x" * 100))
    await until(began.is_set)
    saving.cancel()
    await asyncio.wait([saving])
    go_on.set()
    await until(written.is_set)
    await until(lambda: not (tmp_path / "kept" / "a.png").exists())
    monkeypatch.undo()
    again = [await downloads.save("", f"{number}.png", b"x" * 100) for number in range(2)]
    assert [each.failure for each in again] == ["", ""]


async def test_a_part_is_written_before_the_file_of_a_caller_who_leaves_is_closed(
    wire: Wire, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on, open_meanwhile = threading.Event(), threading.Event(), []

    def write_slowly(writing: NewFile, _part: bytes) -> None:
        began.set()
        go_on.wait(20)
        open_meanwhile.append(not writing._file.closed)

    monkeypatch.setattr(NewFile, "write", write_slowly)
    receiving = asyncio.create_task(watch(wire, tmp_path).receive("", "a.pdf", _parts()))
    await until(began.is_set)
    receiving.cancel()
    await asyncio.sleep(0.05)
    go_on.set()
    await asyncio.wait([receiving])
    assert open_meanwhile == [True]
    assert list((tmp_path / "kept").iterdir()) == []

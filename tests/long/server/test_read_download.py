"""ReadDownload: the bytes of a download, whole and from an offset, for slow readers and after accidents."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import grpc
import pytest

from perception import host_os
from perception.bench.pages.local_site import serve_handler
from perception.client import AsyncClient, AsyncPage, BadInputError, RemoteError, connect
from perception.client._async.files import AsyncFiles
from perception.server.app import Service
from perception.v1 import file_service_pb2 as pb
from tests.support.early_ends import early_ends
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("kept_contexts")

SIZE = 700_000
"""Three parts."""

CONTENT = b"x" * SIZE

FIRST = b"first " * 500
"""More than what Chromium sniffs before it begins a download."""


@pytest.fixture(scope="module")
async def loaded(client: AsyncClient, site: str) -> AsyncIterator[AsyncPage]:
    """A session with one complete download of three parts, `d1`."""
    page = await client.open()
    await start(page, f"{site}/file?name=a%20b.bin&size={SIZE}")
    async with aclosing(page.read_download()) as parts:
        async for _ in parts:
            pass
    yield page
    await page.close()


@pytest.fixture(scope="module")
async def loading(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """A session for tests that download something of their own."""
    page = await client.open()
    yield page
    await page.close()


async def start(page: AsyncPage, url: str) -> str:
    """Begins a download; its id."""
    before = len(await page.downloads())
    await page.navigate(f"{url.split('/file')[0]}/html?body=<a%20href='{url.replace('&', '%26amp;')}'>Get</a>")
    await page.click("a")
    async with asyncio.timeout(30):
        while len(await page.downloads()) == before:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return (await page.downloads())[-1].download_id


async def read(page: AsyncFiles, download_id: str = "", offset: int = 0) -> list[pb.ReadDownloadResponse]:
    return [part async for part in page.read_download(download_id, offset)]


async def test_the_parts_are_the_file_and_the_last_has_its_hash(loaded: AsyncPage) -> None:
    parts = await read(loaded, "d1")
    assert b"".join(part.data for part in parts) == CONTENT
    assert [part.offset for part in parts] == [0, 262144, 524288]
    assert [part.sha256 for part in parts] == ["", "", hashlib.sha256(CONTENT).hexdigest()]
    assert (parts[0].download.name, parts[0].download.size_bytes) == ("a b.bin", SIZE)
    assert not any(part.HasField("download") for part in parts[1:])


@pytest.mark.parametrize("offset", [1, 262144, SIZE - 1, SIZE])
async def test_a_read_continues_at_an_offset_with_the_hash_of_the_whole(loaded: AsyncPage, offset: int) -> None:
    parts = await read(loaded, "d1", offset)
    assert b"".join(part.data for part in parts) == CONTENT[offset:]
    assert parts[0].offset == offset
    assert parts[-1].sha256 == hashlib.sha256(CONTENT).hexdigest()


@pytest.mark.parametrize(
    ("download_id", "offset", "reason", "said"),
    [
        pytest.param("d7", 0, "UNKNOWN_DOWNLOAD", "no download 'd7': this session has d1", id="unknown"),
        pytest.param("../etc", 0, "UNKNOWN_DOWNLOAD", "no download '../etc'", id="path"),
        pytest.param("d1", SIZE + 1, "BAD_INPUT", f"offset {SIZE + 1} is not in download d1", id="beyond"),
        pytest.param("d1", -1, "BAD_INPUT", f"offset -1 is not in download d1, which has {SIZE} bytes", id="negative"),
    ],
)
async def test_what_cannot_be_read_is_refused(
    loaded: AsyncPage, download_id: str, offset: int, reason: str, said: str
) -> None:
    with pytest.raises(RemoteError, match=said) as caught:
        await read(loaded, download_id, offset)
    assert caught.value.reason == reason


async def test_a_session_without_downloads_says_so(page: AsyncPage) -> None:
    with pytest.raises(RemoteError, match="this session has no download: click what starts one"):
        await read(page)


async def test_a_failed_download_says_why(loading: AsyncPage, site: str) -> None:
    failed = await start(loading, f"{site}/file?name=big.bin&size=3000000")
    with pytest.raises(RemoteError, match=rf"download {failed} .* failed: larger than the limit of 1 MiB") as caught:
        await read(loading)
    assert caught.value.reason == "DOWNLOAD_FAILED"


@pytest.mark.parametrize("change", [Path.unlink, lambda path: path.write_bytes(b"short"),
                                    lambda path: path.write_bytes(CONTENT + b"more")],
                         ids=["removed", "shortened", "grown"])  # fmt: skip
async def test_a_file_that_was_removed_or_changed_on_disk_is_an_error(
    loading: AsyncPage, site: str, change: Any
) -> None:
    await start(loading, f"{site}/file?name=a.bin&size={SIZE}")
    assert await read(loading)
    download = (await loading.downloads())[-1]
    await asyncio.to_thread(change, Path(download.path))
    with pytest.raises(RemoteError, match="removed or changed on the service's disk: download it again") as caught:
        await read(loading)
    assert caught.value.reason == "DOWNLOAD_GONE"
    assert download.path not in str(caught.value)


async def test_a_download_in_progress_is_waited_for(service: Service, loading: AsyncPage) -> None:
    with dripping() as (url, go_on):
        begun = await start(loading, f"{url}/file")
        with (
            early_ends(service) as reserve_s,
            pytest.raises(RemoteError, match=f"waiting for download {begun} to end") as caught,
        ):
            [_ async for _ in loading.read_download(timeout_s=reserve_s + 0.3)]
        assert caught.value.code.name == "DEADLINE_EXCEEDED"
        reading = asyncio.ensure_future(read(loading))
        await until(lambda: service.admission.under_way == 1)
        go_on.set()
        assert b"".join(part.data for part in await reading) == FIRST + b"second"


async def test_a_wait_for_a_download_ends_with_the_session(service: Service, client: AsyncClient) -> None:
    page = await client.open()
    with dripping() as (url, _):
        await start(page, f"{url}/file")
        reading = asyncio.ensure_future(read(page))
        await until(lambda: service.admission.under_way == 1)
        await page.close()
        with pytest.raises(RemoteError) as caught:
            await reading
    assert caught.value.reason in ("SESSION_LOST", "UNKNOWN_SESSION")


async def test_saving_gives_the_file_its_name_when_it_is_complete(loaded: AsyncPage, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    path = await loaded.save_download(tmp_path, on_progress=lambda done, total: seen.append((done, total)))
    assert (path, path.read_bytes()) == (tmp_path / "a b.bin", CONTENT)
    assert seen == [(262144, SIZE), (524288, SIZE), (SIZE, SIZE)]
    assert (await loaded.save_download(tmp_path)).name == "a b (2).bin"
    assert (await loaded.save_download(tmp_path / "mine", "d1")).read_bytes() == CONTENT
    assert sorted(os.listdir(tmp_path)) == ["a b (2).bin", "a b.bin", "mine"]


async def test_a_save_that_fails_leaves_nothing(loaded: AsyncPage, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyError

    with pytest.raises(KeyError):
        await loaded.save_download(tmp_path / "a", on_progress=stop)
    with pytest.raises(RemoteError):
        await loaded.save_download(tmp_path / "a", "d9")
    with pytest.raises(BadInputError, match="cannot be written"):
        await loaded.save_download(tmp_path / "none" / "a")
    assert os.listdir(tmp_path) == []


async def test_a_broken_connection_is_continued(loaded: AsyncPage, tmp_path: Path, monkeypatch: Any) -> None:
    whole, asked = AsyncFiles.read_download, []

    async def breaking(self: AsyncFiles, download_id: str, offset: int, **rest: Any) -> AsyncIterator[Any]:
        asked.append((download_id, offset))
        async with aclosing(whole(self, download_id, offset, **rest)) as parts:
            async for part in parts:
                yield part
                if len(asked) < 3:
                    raise RemoteError(grpc.StatusCode.UNAVAILABLE, "the connection broke", "", {})

    monkeypatch.setattr(AsyncFiles, "read_download", breaking)
    path = await loaded.save_download(tmp_path / "a")
    assert path.read_bytes() == CONTENT
    assert asked == [("", 0), ("d1", 262144), ("d1", 524288)]


async def test_a_reader_that_stops_holds_no_place_and_ends_with_its_deadline(
    loaded: AsyncPage, service: Service, client: AsyncClient
) -> None:
    request = pb.ReadDownloadRequest(session_id=loaded.session_id)
    streams = [client.files.ReadDownload(request, timeout=60) for _ in range(20)]
    for stream in streams:
        await stream.read()
    assert service.admission.running == 0
    assert (await loaded.snapshot(mode="text")).url  # others go on
    for stream in streams:
        stream.cancel()
    await until(lambda: service.admission.under_way == 0)
    with early_ends(service) as reserve_s:  # so many that no connection takes all their bytes unread, at most 32
        unread = [client.files.ReadDownload(request, timeout=reserve_s + 0.5) for _ in range(30)]
        await until(lambda: service.admission.under_way > 0)
        await until(lambda: service.admission.under_way == 0)
        ended = [stream for stream in unread if stream.done()]
        assert {await each.code() for each in ended} <= {grpc.StatusCode.OK, grpc.StatusCode.DEADLINE_EXCEEDED}
        assert "Deadline Exceeded" not in [await each.details() for each in ended]  # none by the client's clock
    for stream in unread:
        stream.cancel()


async def test_a_reader_that_leaves_while_its_file_is_opened_leaves_it_closed(
    loaded: AsyncPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_open, opened = threading.Event(), list[int]()
    open_file = host_os.open_file

    def open_late(path: Path) -> int:
        may_open.wait(30)
        opened.append(open_file(path))
        return opened[0]

    monkeypatch.setattr(host_os, "open_file", open_late)
    with pytest.raises(RemoteError, match="deadline"):
        await anext(loaded.read_download("d1", timeout_s=0.5))
    may_open.set()
    await until(lambda: bool(opened) and not is_open(opened[0]))


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


async def test_the_blocking_client_saves_too(loaded: AsyncPage, service: Service, tmp_path: Path) -> None:
    def save() -> bytes:
        with connect(service.context.settings.address) as client:
            return client.attach(loaded.session_id).save_download(tmp_path / "a").read_bytes()

    assert await asyncio.to_thread(save) == CONTENT


@contextmanager
def dripping() -> Iterator[tuple[str, threading.Event]]:
    """A site whose `/file` sends its second half when the event is set."""
    go_on = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_file = self.path == "/file"
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream" if is_file else "text/html")
            self.end_headers()
            if not is_file:
                self.wfile.write(b"<a href=/file download=drip.txt>Get</a>")
                return
            self.wfile.write(FIRST)
            self.wfile.flush()
            go_on.wait(30)
            self.wfile.write(b"second")

        def log_message(self, *_: object) -> None:
            pass

    with serve_handler(Handler) as url:
        try:
            yield url, go_on
        finally:
            go_on.set()


@pytest.mark.usefixtures("patient_answers")
async def test_a_navigation_to_a_file_names_it_and_leaves_the_page(client: AsyncClient, site: str) -> None:
    async with await client.open(f"{site}/html?body=<button>Here</button>") as page:
        for name in ("a.bin", "b.bin"):
            moved = await page.navigate(f"{site}/file?name={name}&size={SIZE}")
            assert [(each.name, each.size_bytes) for each in moved.downloads] == [(name, SIZE)]
            assert "Here" in (await page.snapshot()).text
        assert not (await page.navigate(f"{site}/form.html")).downloads

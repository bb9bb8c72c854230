"""Profiles of real sessions: kept at their end, at the service's end, and now and then; and what goes wrong."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from perception.browser.chromium.browser_host import BrowserHost
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.detectors.registry import Registry
from perception.server.app import Service
from perception.server.settings import Settings
from perception.v1 import session_service_pb2 as pb
from tests.support.lent_browser import service_in
from tests.support.waiting import until

LOGIN = {
    "cookies": [
        {"name": "sid", "value": "s3cret", "domain": "127.0.0.1", "path": "/", "httpOnly": True, "expires": -1},
        {"name": "other", "value": "0ther", "domain": "other.example", "path": "/", "expires": -1},
    ],
    "origins": [{"origin": "https://other.example", "localStorage": [{"name": "k", "value": "0ther"}]}],
}

COOKIES = {"cookies": LOGIN["cookies"]}
"""Without what a site has stored: to bring that back takes a page of it."""

CALLERS = [f"caller{number}" for number in range(20)]


def token_of(caller: str) -> str:
    return f"{caller:x>32}"


@asynccontextmanager
async def running(service: Service) -> AsyncIterator[AsyncClient]:
    """A client of a service that runs meanwhile."""
    await service.start()
    try:
        async with await aconnect(service.context.settings.address, timeout_s=30) as client:
            yield client
    finally:
        await service.stop()


def settings_in(folder: Path, **options: Any) -> Settings:
    return Settings(
        address=f"unix:{folder / 's'}",
        data_dir=folder,
        allow_hosts=("127.0.0.1",),
        drain_s=0.1,
        max_sessions=4,
        **options,
    )


@pytest.fixture(scope="module")
async def shared(host: BrowserHost, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    """The address of a service for many callers, none of whom knows of another's profiles."""
    folder = tmp_path_factory.mktemp("profiles")
    tokens = folder / "tokens"
    tokens.touch(0o600)
    tokens.write_text("".join(f"{each} {token_of(each)}\n" for each in CALLERS))
    service = service_in(host, settings_in(folder, token_file=tokens))
    await service.start()
    yield service.context.settings.address
    await service.stop()


@pytest.fixture(scope="module")
def callers() -> Iterator[str]:
    """Each is one that has done nothing so far."""
    return iter(CALLERS)


@pytest.fixture
async def client(shared: str, callers: Iterator[str]) -> AsyncIterator[AsyncClient]:
    async with await aconnect(shared, token=token_of(next(callers)), timeout_s=30) as client:
        yield client


@pytest.fixture
async def other(shared: str, callers: Iterator[str]) -> AsyncIterator[AsyncClient]:
    """Another caller."""
    async with await aconnect(shared, token=token_of(next(callers)), timeout_s=30) as client:
        yield client


async def _cookies(page: AsyncPage) -> dict[str, str]:
    state = json.loads((await page.export_state()).state)
    return {each["name"]: each["value"] for each in state["cookies"]}


def _all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def _local(page: AsyncPage, name: str = "token") -> Any:
    return await page.evaluate(f"localStorage.getItem({name!r})")


async def test_login_is_there_after_a_restart_of_service_and_browser(
    host: BrowserHost, tmp_path: Path, site: str
) -> None:
    """The first browser is the one of the tests, the second one is new."""
    settings = settings_in(tmp_path)
    async with running(service_in(host, settings)) as client:
        page = await client.open(f"{site}/html?body=a", profile="shop", state=LOGIN, allow_evaluate=True)
        await page.evaluate("localStorage.setItem('token', 't0k3n'); document.cookie = 'own=1'")
        await page.close()
    async with (
        running(Service(settings, Registry.of())) as client,
        await client.open(profile="shop", allow_evaluate=True) as page,
    ):
        await page.navigate(f"{site}/html?body=b")
        assert await _local(page) == "t0k3n"
        assert await _cookies(page) == {"sid": "s3cret", "own": "1", "other": "0ther"}
    on_disk = _all_bytes(tmp_path)
    for value in (b"s3cret", b"t0k3n", b"0ther"):
        assert value not in on_disk


async def test_profile_is_kept_when_the_service_stops_with_the_session_open(
    host: BrowserHost, tmp_path: Path, site: str
) -> None:
    settings = settings_in(tmp_path)
    async with running(service_in(host, settings)) as client:
        page = await client.open(f"{site}/html?body=a", profile="shop", allow_evaluate=True)
        await page.evaluate("document.cookie = 'own=1'")
    async with running(service_in(host, settings)) as client, await client.open(profile="shop") as page:
        assert await _cookies(page) == {"own": "1"}


async def test_profile_is_kept_now_and_then_and_outlives_the_browser(
    host: BrowserHost, tmp_path: Path, site: str
) -> None:
    service = service_in(host, settings_in(tmp_path, profile_save_s=0.2))
    async with running(service) as client:
        page = await client.open(f"{site}/html?body=a", profile="shop", allow_evaluate=True, dedicated_browser=True)
        await page.evaluate("document.cookie = 'own=1'")
        await profiles_until(client, lambda kept: any(each.cookie_count for each in kept))
        [browser] = service.context.sessions.browsers.all
        assert browser.pid is not None
        os.kill(browser.pid, signal.SIGKILL)
        await profiles_until(client, lambda kept: not kept[0].used_by_session_id)
        async with await client.open(profile="shop") as other:
            assert await _cookies(other) == {"own": "1"}


async def profiles_until(client: AsyncClient, is_so: Callable[[Sequence[pb.Profile]], bool]) -> None:
    """Lists the profiles until they are so."""
    async with asyncio.timeout(30):
        while not is_so(await client.profiles()):  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.05)


async def test_second_session_is_refused_until_the_first_one_closes(client: AsyncClient) -> None:
    page = await client.open(profile="shop")
    with pytest.raises(RemoteError, match=page.session_id) as raised:
        await client.open(profile="shop")
    assert raised.value.reason == "PROFILE_IN_USE"
    with pytest.raises(RemoteError) as raised:
        await client.delete_profile("shop")
    assert raised.value.reason == "PROFILE_NOT_FOUND"  # it was not kept yet
    assert len(await client.open_sessions()) == 1
    await page.close()
    async with await client.open(profile="shop") as page:
        [listed] = await client.profiles()
        assert (listed.name, listed.used_by_session_id) == ("shop", page.session_id)
        assert listed.expire_time.seconds - listed.save_time.seconds == 90 * 86400
        assert (await page.state()).options.profile == "shop"
        with pytest.raises(RemoteError) as raised:
            await client.delete_profile("shop")
        assert raised.value.reason == "PROFILE_IN_USE"
    await client.delete_profile("shop")
    assert await client.profiles() == []


async def test_session_that_only_reads_a_profile_changes_nothing(client: AsyncClient) -> None:
    await (await client.open(profile="shop", state=COOKIES)).close()
    async with (
        await client.open(profile="shop") as writer,
        await client.open(profile="shop", profile_read_only=True) as reader,
    ):
        assert await _cookies(reader) == await _cookies(writer)
        await reader.import_state(json.dumps([{"name": "new", "value": "1", "domain": "a.example"}]))
    async with await client.open(profile="shop") as page:
        assert "new" not in await _cookies(page)
    with pytest.raises(RemoteError, match="there are shop") as raised:
        await client.open(profile="shoop", profile_read_only=True)
    assert raised.value.reason == "PROFILE_NOT_FOUND"


async def test_profile_keeps_what_allowed_origins_hide(client: AsyncClient, site: str) -> None:
    await (await client.open(profile="shop", state=LOGIN)).close()
    async with await client.open(profile="shop", allowed_origins=[site]) as page:
        assert await _cookies(page) == {"sid": "s3cret"}
        assert json.loads((await page.export_state()).state)["origins"] == []
    async with await client.open(profile="shop") as page:
        state = json.loads((await page.export_state()).state)
    assert sorted(each["name"] for each in state["cookies"]) == ["other", "sid"]
    assert [each["origin"] for each in state["origins"]] == ["https://other.example"]


async def test_profiles_of_another_caller_do_not_exist(client: AsyncClient, other: AsyncClient) -> None:
    async with await client.open(profile="shop", state=COOKIES), await other.open(profile="shop") as page:
        assert await _cookies(page) == {}
        assert [each.used_by_session_id for each in await other.profiles()] in ([], [page.session_id])
    assert [each.cookie_count for each in await client.profiles()] == [2]


async def test_wrong_key_is_one_clear_error_and_nothing_is_lost(host: BrowserHost, tmp_path: Path) -> None:
    async with running(service_in(host, settings_in(tmp_path))) as client:
        await (await client.open(profile="shop", state=COOKIES)).close()
    wrong = tmp_path / "wrong"
    wrong.touch(0o600)
    wrong.write_text("00" * 32)
    async with running(service_in(host, settings_in(tmp_path, profile_key=str(wrong)))) as client:
        with pytest.raises(RemoteError, match="is encrypted with key") as raised:
            await client.open(profile="shop")
        assert raised.value.reason == "PROFILE_KEY_WRONG"
        assert await client.open_sessions() == []
    async with running(service_in(host, settings_in(tmp_path))) as client, await client.open(profile="shop") as page:
        assert (await _cookies(page))["sid"] == "s3cret"


async def test_profile_that_cannot_be_written_is_reported_at_the_end(
    client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perception.server.sessions import session_profile

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    await (await client.open(profile="shop", state=COOKIES)).close()
    page = await client.open(profile="shop")
    await page.import_state(json.dumps([{"name": "new", "value": "1", "domain": "a.example"}]))
    with monkeypatch.context() as patched:
        patched.setattr(session_profile.HeldProfile, "save", full)
        with pytest.warns(RuntimeWarning, match="kept as it was saved last.*No space left"):
            await page.close()
    async with await client.open(profile="shop") as page:
        assert "new" not in await _cookies(page)
        assert (await _cookies(page))["sid"] == "s3cret"


async def test_profile_is_free_after_a_session_that_did_not_open(client: AsyncClient) -> None:
    with pytest.raises(RemoteError, match="timezone"):
        await client.open(profile="shop", timezone="Nowhere/City")
    await (await client.open(profile="shop")).close()


async def test_bad_names_are_refused(client: AsyncClient) -> None:
    with pytest.raises(RemoteError, match="is not a profile name"):
        await client.open(profile="../x")
    with pytest.raises(RemoteError, match=r"needs options\.profile"):
        await client.open(profile_read_only=True)
    with pytest.raises(RemoteError, match="there are none") as raised:
        await client.delete_profile("nothing")
    assert raised.value.reason == "PROFILE_NOT_FOUND"


async def test_values_are_not_logged(client: AsyncClient, capsys: pytest.CaptureFixture[str]) -> None:
    page = await client.open(profile="shop", state=COOKIES)
    await page.export_state()
    await page.close()
    said: list[str] = []

    def is_closing_logged() -> bool:
        """Its line is written after the answer."""
        said.extend(capsys.readouterr())
        return "CloseSession" in "".join(said)

    await until(is_closing_logged)
    assert "s3cret" not in "".join(said)

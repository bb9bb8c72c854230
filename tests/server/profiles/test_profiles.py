"""Profiles of real sessions: kept at their end, at the service's end, and now and then; and what goes wrong."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.server.app import Service
from perception.server.settings import Settings

LOGIN = {
    "cookies": [
        {"name": "sid", "value": "s3cret", "domain": "127.0.0.1", "path": "/", "httpOnly": True, "expires": -1},
        {"name": "other", "value": "0ther", "domain": "other.example", "path": "/", "expires": -1},
    ],
    "origins": [{"origin": "https://other.example", "localStorage": [{"name": "k", "value": "0ther"}]}],
}


@asynccontextmanager
async def serving(folder: Path, **options: Any) -> AsyncIterator[AsyncClient]:
    """A client of a service of its own; `tokens` are its callers."""
    async with running(folder, **options) as (client, _):
        yield client


@asynccontextmanager
async def running(folder: Path, **options: Any) -> AsyncIterator[tuple[AsyncClient, Service]]:
    """The same, with the service."""
    tokens = options.pop("tokens", "")
    if tokens:
        options["token_file"] = folder / "tokens"
        options["token_file"].touch(0o600)
        options["token_file"].write_text("".join(f"{name} {name * 32}\n" for name in tokens))
    settings = Settings(
        address=f"unix:{folder / 's'}", data_dir=folder, allow_hosts=("127.0.0.1",), drain_s=0.1, **options
    )
    service = Service(settings)
    await service.start()
    client = await aconnect(settings.address, **({"token": tokens[0] * 32} if tokens else {}))
    try:
        yield client, service
    finally:
        await client.close()
        await service.stop()


async def _cookies(page: AsyncPage) -> dict[str, str]:
    state = json.loads((await page.export_state()).state)
    return {each["name"]: each["value"] for each in state["cookies"]}


def _all_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def _local(page: AsyncPage, name: str = "token") -> Any:
    return await page.evaluate(f"localStorage.getItem({name!r})")


async def test_login_is_there_after_a_restart_of_service_and_browser(tmp_path: Path, site: str) -> None:
    async with serving(tmp_path) as client:
        page = await client.open(f"{site}/html?body=a", profile="shop", state=LOGIN, allow_evaluate=True)
        await page.evaluate("localStorage.setItem('token', 't0k3n'); document.cookie = 'own=1'")
        await page.close()
    async with serving(tmp_path) as client, await client.open(profile="shop", allow_evaluate=True) as page:
        await page.navigate(f"{site}/html?body=b")
        assert await _local(page) == "t0k3n"
        assert await _cookies(page) == {"sid": "s3cret", "own": "1", "other": "0ther"}
    on_disk = _all_bytes(tmp_path)
    for value in (b"s3cret", b"t0k3n", b"0ther"):
        assert value not in on_disk


async def test_profile_is_kept_when_the_service_stops_with_the_session_open(tmp_path: Path, site: str) -> None:
    async with serving(tmp_path) as client:
        page = await client.open(f"{site}/html?body=a", profile="shop", allow_evaluate=True)
        await page.evaluate("document.cookie = 'own=1'")
    async with serving(tmp_path) as client, await client.open(profile="shop") as page:
        assert await _cookies(page) == {"own": "1"}


async def test_profile_is_kept_now_and_then_and_outlives_the_browser(tmp_path: Path, site: str) -> None:
    async with running(tmp_path, profile_save_s=0.05) as (client, service):
        page = await client.open(f"{site}/html?body=a", profile="shop", allow_evaluate=True, dedicated_browser=True)
        await page.evaluate("document.cookie = 'own=1'")
        async with asyncio.timeout(20):
            while not [each for each in await client.profiles() if each.cookie_count]:
                pass
        [browser] = service.context.sessions.browsers.all
        assert browser.pid is not None
        os.kill(browser.pid, signal.SIGKILL)
        async with asyncio.timeout(20):
            while (await client.profiles())[0].used_by_session_id:
                pass
        async with await client.open(profile="shop") as other:
            assert await _cookies(other) == {"own": "1"}


async def test_second_session_is_refused_until_the_first_one_closes(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
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


async def test_session_that_only_reads_a_profile_changes_nothing(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        await (await client.open(profile="shop", state=LOGIN)).close()
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


async def test_profile_keeps_what_allowed_origins_hide(tmp_path: Path, site: str) -> None:
    async with serving(tmp_path) as client:
        await (await client.open(profile="shop", state=LOGIN)).close()
        async with await client.open(profile="shop", allowed_origins=[site]) as page:
            assert await _cookies(page) == {"sid": "s3cret"}
            assert json.loads((await page.export_state()).state)["origins"] == []
        async with await client.open(profile="shop") as page:
            state = json.loads((await page.export_state()).state)
    assert sorted(each["name"] for each in state["cookies"]) == ["other", "sid"]
    assert [each["origin"] for each in state["origins"]] == ["https://other.example"]


async def test_profiles_of_another_caller_do_not_exist(tmp_path: Path) -> None:
    async with serving(tmp_path, tokens="ab") as client:
        async with await client.open(profile="shop", state=LOGIN):
            other = await aconnect(f"unix:{tmp_path / 's'}", token="b" * 32)
            async with other, await other.open(profile="shop") as page:
                assert await _cookies(page) == {}
                assert [each.used_by_session_id for each in await other.profiles()] in ([], [page.session_id])
        assert [each.cookie_count for each in await client.profiles()] == [2]


async def test_wrong_key_is_one_clear_error_and_nothing_is_lost(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        await (await client.open(profile="shop", state=LOGIN)).close()
    wrong = tmp_path / "wrong"
    wrong.touch(0o600)
    wrong.write_text("00" * 32)
    async with serving(tmp_path, profile_key=str(wrong)) as client:
        with pytest.raises(RemoteError, match="is encrypted with key") as raised:
            await client.open(profile="shop")
        assert raised.value.reason == "PROFILE_KEY_WRONG"
        assert await client.open_sessions() == []
    async with serving(tmp_path) as client, await client.open(profile="shop") as page:
        assert (await _cookies(page))["sid"] == "s3cret"


async def test_profile_that_cannot_be_written_is_reported_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perception.server.sessions import session_profile

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    async with serving(tmp_path) as client:
        await (await client.open(profile="shop", state=LOGIN)).close()
        page = await client.open(profile="shop")
        await page.import_state(json.dumps([{"name": "new", "value": "1", "domain": "a.example"}]))
        with monkeypatch.context() as patched:
            patched.setattr(session_profile.HeldProfile, "save", full)
            with pytest.warns(RuntimeWarning, match="kept as it was saved last.*No space left"):
                await page.close()
        async with await client.open(profile="shop") as page:
            assert "new" not in await _cookies(page)
            assert (await _cookies(page))["sid"] == "s3cret"


async def test_profile_is_free_after_a_session_that_did_not_open(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        with pytest.raises(RemoteError, match="timezone"):
            await client.open(profile="shop", timezone="Nowhere/City")
        await (await client.open(profile="shop")).close()


async def test_bad_names_are_refused(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        with pytest.raises(RemoteError, match="is no name of a profile"):
            await client.open(profile="../x")
        with pytest.raises(RemoteError, match=r"needs options\.profile"):
            await client.open(profile_read_only=True)
        with pytest.raises(RemoteError, match="there are none") as raised:
            await client.delete_profile("nothing")
        assert raised.value.reason == "PROFILE_NOT_FOUND"


async def test_values_are_not_logged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with serving(tmp_path) as client:
        page = await client.open(profile="shop", state=LOGIN)
        await page.export_state()
        await page.close()
    said = capsys.readouterr()
    assert "CloseSession" in said.err
    assert "s3cret" not in said.out + said.err

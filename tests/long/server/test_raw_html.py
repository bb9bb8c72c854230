"""`save_raw_html`: the page's HTML as a file of the session's downloads, without secrets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.server.app import Service
from perception.server.settings import Settings
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb
from tests.support.live import Show
from tests.support.sheet import Sheet

FORM = """<!doctype html><title>form</title><p id=shown class="a b">Ünder &amp; over</p>
<input name=mail value=ana@example.org><input type=password name=pw value="p&amp;ss-Word 77">
<input type=hidden name=password value=hidden-field-42><p>It was p&amp;ss-Word 77.</p>
<script type=application/json>{"again": "p&ss-Word 77"}</script>
<label>Card number <input name=cardnumber value=4111111111111111></label>
<div data-private title="Their title">Their words<b>and more</b></div>
<template><input type=password value=in-a-template></template>
<script>document.body.insertAdjacentHTML('beforeend', '<i>added</i>');</script>"""

COUNTED = """<!doctype html><title>counted</title><script>
let made = 0;
customElements.define('x-counted', class extends HTMLElement { constructor() { super(); made++; document.title = `made ${made}`; } });
</script><x-counted></x-counted><div id=host></div>
<script>new MutationObserver(() => { document.title = 'changed'; }).observe(document.body, {subtree: true, childList: true, attributes: true});</script>"""  # noqa: E501


def read(saved: pb.Download) -> str:
    return Path(saved.path).read_text()


@pytest.fixture(scope="module")
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """One session for all: each test opens a page of its own in it."""
    page = await client.open()
    yield page
    await page.close()


@pytest.fixture(scope="module")
def show(service: Service, page: AsyncPage, site: str) -> Show:
    return Sheet(service.context.sessions.get(page.session_id).browser, site).write


async def test_the_html_is_a_complete_download_and_in_no_answer(client: AsyncClient, site: str) -> None:
    body = "<!doctype html><title>plain</title><p class=marker>Words</p>"
    page = await client.open(f"{site}/html?body={body}")
    reply = await page.content(save_raw_html=True)
    saved = reply.raw_html
    assert (saved.state, saved.failure, saved.name) == (pb.Download.STATE_COMPLETED, "", "127.0.0.1.html")
    html = read(saved)
    assert (len(html), html[:15]) == (saved.size_bytes, "<!DOCTYPE html>")
    assert '<p class="marker">Words</p>' in html
    reply.raw_html.ClearField("url")  # which is where the test writes its page
    reply.ClearField("url")
    assert b"marker" not in reply.SerializeToString()
    again = (await page.content(save_raw_html=True)).raw_html
    assert (again.name, Path(again.path).name) == ("127.0.0.1.html", "127.0.0.1 (2).html")
    request = session_pb.GetSessionRequest(session_id=page.session_id)
    session = (await client.call(client.sessions.GetSession, request)).session
    assert [each.path for each in session.downloads] == [saved.path, again.path]
    await page.close()


async def test_nothing_is_saved_unless_asked(page: AsyncPage, show: Show) -> None:
    await show("<p>Words</p>")
    assert not (await page.content()).HasField("raw_html")


async def test_secrets_are_not_in_the_file(page: AsyncPage, show: Show) -> None:
    await show(FORM)
    html = read((await page.content(save_raw_html=True)).raw_html)
    for kept in ("Ünder &amp; over", 'class="a b"', "ana@example.org", "<i>added</i>", 'name="pw"', "It was ••••."):
        assert kept in html
    for secret in ("ss-Word", "hidden-field-42", "4111111111111111", "Their", "and more", "in-a-template"):
        assert secret not in html


async def test_the_page_does_not_notice(page: AsyncPage, show: Show) -> None:
    await show(COUNTED)
    assert (await page.content(save_raw_html=True)).raw_html.size_bytes
    assert (await page.snapshot(mode="text", view="digest")).title == "made 1"


async def test_a_cursor_reads_nothing_and_so_saves_nothing(page: AsyncPage, show: Show) -> None:
    await show("".join(f"<p>Paragraph {number} with some words in it.</p>" for number in range(60)))
    cursor = (await page.content(max_tokens=200)).next_cursor
    with pytest.raises(RemoteError, match="save_raw_html"):
        await page.content(cursor=cursor, save_raw_html=True)


async def test_a_page_above_the_limit_of_downloads_is_not_saved(page: AsyncPage, show: Show) -> None:
    await show("<p id=long></p><script>long.title='x'.repeat(2**20)</script>")
    reply = await page.content(save_raw_html=True)
    assert reply.raw_html.state == pb.Download.STATE_FAILED
    assert "limit of 1 MiB" in reply.raw_html.failure
    assert not reply.raw_html.path


async def test_secrets_by_name_are_masked_in_the_file(tmp_path: Path, site: str) -> None:
    secrets = tmp_path / "secrets.toml"
    secrets.touch(0o600)
    secrets.write_text('[word]\nvalue = "Swordfish-88"\n')
    address = f"unix:{tmp_path / 'socket'}"
    kept_in = tmp_path / "kept"
    service = Service(
        Settings(
            address=address,
            allow_hosts=("127.0.0.1",),
            secrets_file=secrets,
            download_dir=kept_in,
            detectors=("controls",),  # one small model, which nothing here uses
        )
    )
    await service.start()
    client = await aconnect(address, timeout_s=30)
    page = await client.open(f"{site}/html?body=<p title=Swordfish-88>words</p>")
    saved = (await page.content(save_raw_html=True)).raw_html
    assert kept_in in Path(saved.path).parents
    assert "«secret:word»" in read(saved)
    assert "Swordfish" not in read(saved)
    await client.close()
    await service.stop()

"""ExportHar: a whole file, in parts, that programs accept; a schema of the parts of HAR 1.2 that are required."""

from __future__ import annotations

import asyncio
import base64
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from perception.client import AsyncPage, BadInputError, RemoteError
from tests.support.network_app import PIXEL, page_url


def check_har(log: dict[str, Any]) -> None:
    """Holds a file to the specification: http://www.softwareishard.com/blog/har-12-spec/."""
    assert log["version"] == "1.2"
    assert {"name", "version"} <= log["creator"].keys()
    pages = {page["id"] for page in log["pages"]}
    for page in log["pages"]:
        assert {"startedDateTime", "title", "pageTimings"} <= page.keys()
    for entry in log["entries"]:
        assert datetime.fromisoformat(entry["startedDateTime"]).tzinfo is not None
        assert entry["pageref"] in pages
        timings = entry["timings"]
        spent = sum(timings[name] for name in ("blocked", "connect", "send", "wait", "receive") if timings[name] > 0)
        assert entry["time"] == pytest.approx(spent, abs=0.01)
        assert {
            "method",
            "url",
            "httpVersion",
            "cookies",
            "headers",
            "queryString",
            "headersSize",
            "bodySize",
        } <= entry["request"].keys()
        assert {"status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL"} <= entry[
            "response"
        ].keys()
        assert {"size", "mimeType"} <= entry["response"]["content"].keys()
        assert entry["request"]["url"].isascii()
        assert entry["cache"] == {}


async def test_a_password_that_was_typed_is_in_no_address_and_body(recorded: AsyncPage, app: str) -> None:
    form = (
        "<input type=password><script>onchange = ({target: {value}}) => fetch('/form?k=' + encodeURIComponent(value) +"
        "'&b=' + btoa('ana:' + value), {method: 'POST', headers: {'x-key': value}, body: 'k=' + value})</script>"
    )
    await recorded.navigate(page_url(app, form))
    await recorded.type_text("input", "Hunter 2%x", submit=True)
    async with asyncio.timeout(30):
        while not (sent := await recorded.requests("*/form*")):
            pass
    har = b"".join([part.data async for part in recorded.read_har()]).decode()
    for told in (f"{sent}", f"{await recorded.request(sent[0])}", har):
        assert "secret" in told
        assert not any(each in told.casefold() for each in ("hunter", "hvudgvyid", "h1bnrlci", "iw50zxig"))


@pytest.mark.usefixtures("emptied")
async def test_a_file_has_every_request_with_its_bodies(recorded: AsyncPage, app: str, tmp_path: Path) -> None:
    await recorded.navigate(page_url(app, "<img src=/pixel>"))
    send = """fetch('/items?token=abcdef123456&q=a b').then(r => r.text())
        .then(() => fetch('/items', {method: 'POST', body: new URLSearchParams('user=ana&password=hunter2')}))
        .then(r => r.text()).then(() => fetch('http://10.0.0.1/')).catch(() => 1)"""
    await recorded.evaluate(send, await_promise=True)
    await recorded.navigate(f"{app}/moved")
    written = await recorded.save_har(tmp_path / "page.har")
    log = json.loads(written.path.read_text("utf-8"))["log"]
    check_har(log)
    entries = {(each["request"]["method"], each["request"]["url"].removeprefix(app)): each for each in log["entries"]}
    assert written.entry_count == len(log["entries"]) >= 7
    assert [page["title"].removeprefix(app)[:6] for page in log["pages"]] == ["/page?", "/moved"]
    pixel = entries["GET", "/pixel"]["response"]["content"]
    assert base64.b64decode(pixel["text"]) == PIXEL
    assert pixel["encoding"] == "base64"
    posted = entries["POST", "/items"]
    assert posted["request"]["postData"]["text"] == "user=ana&password=«secret»"
    assert posted["response"]["content"]["text"] == '{"ok": true}'
    assert entries["GET", "/moved"]["response"]["redirectURL"] == f"{app}/items"
    blocked = entries["GET", "http://10.0.0.1/"]["response"]
    assert blocked["status"] == 0
    assert "private" in blocked["comment"]
    whole = written.path.read_text("utf-8")
    assert "hunter2" not in whole
    assert "abcdef123456" not in whole
    assert "t0p-s3cret-value" not in whole


async def test_bodies_are_cut_or_left_out_as_asked(recorded: AsyncPage, app: str, tmp_path: Path) -> None:
    await recorded.navigate(page_url(app, "hello"))
    await recorded.evaluate("fetch('/zipped').then(r => r.text()).then(() => 1)", await_promise=True)
    wanted = {"url_pattern": "/zipped"}
    await recorded.save_har(tmp_path / "cut.har", max_body_bytes=10, wanted=wanted)
    (entry,) = json.loads((tmp_path / "cut.har").read_text("utf-8"))["log"]["entries"]
    assert entry["response"]["content"]["text"] == "x" * 10
    assert entry["response"]["content"]["comment"] == "the first 10 of 5000 bytes"
    await recorded.save_har(tmp_path / "none.har", max_body_bytes=0, wanted=wanted)
    (entry,) = json.loads((tmp_path / "none.har").read_text("utf-8"))["log"]["entries"]
    assert "text" not in entry["response"]["content"]
    assert entry["response"]["content"]["size"] == 5000


async def test_a_page_with_a_response_of_200_mb_is_a_small_file(recorded: AsyncPage, app: str, tmp_path: Path) -> None:
    await recorded.navigate(page_url(app, "hello"))
    await recorded.evaluate(
        "fetch('/large?mb=200').then(r => r.blob()).then(b => b.size)", await_promise=True, timeout_s=120
    )
    written = await recorded.save_har(tmp_path / "large.har")
    assert written.missing_body_count >= 1
    assert written.path.stat().st_size < 10**6
    log = json.loads(written.path.read_text("utf-8"))["log"]
    check_har(log)
    (large,) = [each for each in log["entries"] if "/large" in each["request"]["url"]]
    assert large["response"]["content"]["size"] == 200 * 2**20
    assert "209715200 bytes" in large["response"]["content"]["comment"]


async def test_a_large_body_comes_in_parts(recorded: AsyncPage, app: str) -> None:
    await recorded.navigate(page_url(app, "hello"))
    await recorded.evaluate("fetch('/large?mb=3').then(r => r.text()).then(t => t.length)", await_promise=True)
    parts = [part async for part in recorded.read_har(4 * 2**20)]
    assert max(len(part.data) for part in parts) <= 256 * 2**10
    assert parts[-1].is_last
    check_har(json.loads(b"".join(part.data for part in parts))["log"])


async def test_what_cannot_be_written_is_refused_and_leaves_nothing(
    recorded: AsyncPage, shared_page: AsyncPage, tmp_path: Path
) -> None:
    with pytest.raises(BadInputError, match="cannot be written"):
        await recorded.save_har(tmp_path / "nowhere" / "page.har")
    with pytest.raises(RemoteError) as refused:
        await shared_page.save_har(tmp_path / "page.har")
    assert refused.value.reason == "NETWORK_NOT_RECORDED"
    assert not await asyncio.to_thread(lambda: list(tmp_path.iterdir()))

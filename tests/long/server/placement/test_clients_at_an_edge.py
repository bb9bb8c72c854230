"""What clients do at one service works unchanged at an edge with two workers: shell, MCP, viewer, files, videos.

One cluster of processes serves all of it; the last test ends a worker.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from mcp import Client as McpClient
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as otlp
from playwright.async_api import expect

from perception.browser.chromium.browser_host import BrowserHost
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.v1 import perception_service_pb2 as pb
from tests.long.mcp.conftest import Tools, stdio
from tests.long.server.placement.test_processes import Processes, client_of, held_port, workers_up, ws_url_of
from tests.long.server.test_traces import grpc_collector
from tests.long.server.viewer.test_live import wait_for_picture
from tests.support.processes import perception
from tests.support.shell_runs import Shell

AGENT, WATCHER, PERSON = "a" * 40, "w" * 40, "p" * 40

FORM = (
    "<title>Form</title><label>Name <input id=name></label><label>Password <input id=word type=password></label>"
    "<button onclick=\"document.title='Saved '+word.value.length;this.textContent='Saved'\">Save</button>"
    "<input type=file aria-label=File onchange='out.textContent=this.files[0].name'><p id=out></p>"
    "<a download=list.csv href='data:text/csv,one,two'>List</a>"
)


def private(path: Path, text: str) -> Path:
    path.touch(0o600)
    path.write_text(text)
    return path


class House:
    """An edge with a viewer, metrics, tokens and traces, and its two workers.

    Attributes:
        address: of the edge.
        viewer, metrics: `http://HOST:PORT/`.
        spans: what a collector has got of all three.
    """

    def __init__(self, processes: Processes, spans: list[otlp.ExportTraceServiceRequest], collector: str) -> None:
        self.processes = processes
        self.spans = spans
        folder = processes.folder
        secrets = private(folder / "secrets.toml", '[card]\nvalue = "zebra7Q"\n')
        tokens = private(folder / "tokens", f"ana {AGENT}\nana {WATCHER} view\nana {PERSON} view,control\n")
        self.token = private(folder / "token", AGENT)
        os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector
        try:
            for printed in ("50061", "50062"):
                command = next(each for each in processes.commands if "worker" in each and printed in each)
                hosts = ("--allow-host", "127.0.0.1", "--max-sessions", "6", "--secrets", str(secrets))
                processes.running[printed] = processes.run(command, *hosts)
            self.address = f"127.0.0.1:{held_port()}"
            viewer, metrics = (f"127.0.0.1:{held_port()}" for _ in range(2))
            self.viewer, self.metrics = f"http://{viewer}/", f"http://{metrics}/"
            processes.running["edge"] = processes.run(
                processes.commands[-1],
                *("--address", self.address, "--token-file", str(tokens), "--viewer", viewer),
                *("--metrics-address", metrics),
            )
        finally:
            del os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"]

    def shell(self, folder: Path) -> Shell:
        return Shell(folder / "home", folder)

    def perception(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(perception(*words), capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(scope="module")
def house(host: BrowserHost) -> Iterator[House]:
    spans: list[otlp.ExportTraceServiceRequest] = []
    # Not in pytest's own folder: that is closed to the unprivileged user whom root runs Chromium as.
    with (
        tempfile.TemporaryDirectory(prefix="perception-test-", ignore_cleanup_errors=True) as name,
        grpc_collector(spans) as collector,
    ):
        Path(name).chmod(0o755)
        processes = Processes(Path(name), ws_url_of(host))
        assert processes.run(processes.commands[0]).wait() == 0
        yield House(processes, spans, collector)
        processes.end()


@pytest.fixture(scope="module")
async def connected(house: House) -> AsyncIterator[AsyncClient]:
    await (await client_of(house.address)).close()  # it serves
    client = await aconnect(house.address, token=AGENT, timeout_s=30)
    await workers_up(client, 2)
    yield client
    await client.close()


@pytest.fixture
async def agent(connected: AsyncClient) -> AsyncIterator[AsyncClient]:
    yield connected
    for each in await connected.open_sessions():
        await (await connected.attach(each.session_id)).close()


async def on_both(client: AsyncClient, url: str, **options: object) -> tuple[AsyncPage, AsyncPage]:
    """A session on each worker."""
    one, more = await client.open(url, **options), [await client.open(url)]
    there = (await one.state()).worker
    async with asyncio.timeout(30):
        while (await more[-1].state()).worker == there:  # the edge has not heard of the end of a session of that worker
            more.append(await client.open(url))
    for each in more[:-1]:
        await each.close()
    return one, more[-1]


@pytest.fixture
def form(site: str) -> str:
    return f"{site}/html?body={quote(FORM)}"


async def test_the_shell_works_at_an_edge(house: House, agent: AsyncClient, form: str, tmp_path: Path) -> None:
    shell = house.shell(tmp_path)
    (tmp_path / "notes.txt").write_text("notes")

    def run() -> None:
        opened = shell.out("open", form, "--address", house.address, "--token-file", str(house.token))
        assert "Save" in opened
        shell.out("type", "#name", "Ana")
        shell.out("type", "#word", "--secret", "card")
        assert "Saved" in shell.out("click", "button")
        shell.out("upload", "input[type=file]", "notes.txt")
        looked = shell.out("look")
        assert "Saved 7" in shell.out("tabs")
        assert "notes.txt" in looked
        assert "zebra7Q" not in looked
        assert "(second)" in shell.out("tab", "new", "about:blank", "--name", "second")
        listed = json.loads(shell.out("sessions", "--format", "json"))["sessions"]
        assert re.fullmatch(r".+:\d+", listed[0]["worker"])
        assert "closesAtMs" not in listed[0]
        access = ("--address", house.address, "--token-file", str(house.token))
        done = house.perception("trace", listed[0]["sessionId"], str(tmp_path / "trace.html"), *access)
        assert done.returncode == 0, done.stderr
        assert "zebra7Q" not in (tmp_path / "trace.html").read_text()
        assert "is closed" in shell.out("close")

    await asyncio.to_thread(run)


async def test_tools_of_mcp_work_at_an_edge(house: House, agent: AsyncClient, form: str, tmp_path: Path) -> None:
    server = stdio(
        "--address", house.address, "--token-file", str(house.token), "--tools", "default", "--tools", "files"
    )
    async with McpClient(server, mode="legacy") as connected:
        tools = Tools(connected)
        assert "Save" in await tools("open", url=form)
        assert "Saved" in await tools("act", do="click", target="button")
        assert "list.csv" in await tools("act", do="click", target="a")
        (opened,) = await agent.open_sessions()
        assert opened.principal == "ana"
        listed = await tools("files")
        download = re.search(r"\bd\d+\b", listed)
        assert download is not None, listed
        assert "one,two" in await tools("files", read=download[0])


async def test_what_is_kept_is_found_through_any_worker(
    house: House, agent: AsyncClient, form: str, tmp_path: Path
) -> None:
    one, two = await on_both(agent, form, profile="shop")
    film = await one.start_video()
    await one.click("button")
    assert [each.video_id for each in await agent.videos()] == [film]
    await one.stop_video(tmp_path)
    third = await agent.open(form)  # so that the other worker is the less loaded one at one of the calls
    for _ in range(2):
        assert [each.video_id for each in await agent.videos()] == [film]
        saved = await agent.save_video(tmp_path / "again.webm", film)
        assert saved.stat().st_size > 1000
        await third.close()
    with pytest.raises(RemoteError) as caught:
        await agent.open(profile="shop")  # whichever worker it would be on
    assert caught.value.reason == "PROFILE_IN_USE"
    await one.close()
    await two.close()
    assert [each.name for each in await agent.profiles()] == ["shop"]
    await agent.delete_video(film)
    assert await agent.videos() == []
    await agent.delete_profile("shop")


async def test_the_viewer_of_an_edge_shows_all_workers_and_takes_over(
    house: House, agent: AsyncClient, form: str, host: BrowserHost
) -> None:
    pages = await on_both(agent, form)
    async with await host._browser.new_context(viewport={"width": 1300, "height": 800}) as browser:
        viewer = await browser.new_page()
        await viewer.goto(house.viewer)
        await viewer.get_by_label("Your token for the service").fill(PERSON)
        await viewer.get_by_role("button", name="Log in").click()
        await expect(viewer.locator("li.session")).to_have_count(2)
        for each in pages:
            worker = (await each.state()).worker
            await expect(viewer.get_by_text(f"worker {worker}")).to_be_visible()
        (link,) = await viewer.locator(f"a[href*='{pages[0].session_id}']").all()
        await link.click()
        await wait_for_picture(viewer)
        asking = asyncio.ensure_future(pages[0].request_human("Solve the captcha", timeout_s=60))
        await expect(viewer.get_by_text("Solve the captcha")).to_be_visible()
        await viewer.get_by_role("button", name="Take over").click()
        await expect(viewer.get_by_text("You have control.")).to_be_visible()
        if kept := os.environ.get("PERCEPTION_TEST_PICTURES"):
            await viewer.screenshot(path=f"{kept}/viewer-at-an-edge.png")
        await viewer.get_by_role("button", name="Done").click()
        await asking
        await viewer.goto(f"{house.viewer}sessions/{pages[0].session_id[:-1]}!")
        await expect(viewer.get_by_role("heading", name="This session has ended")).to_be_visible()
        await viewer.goto(house.viewer)
        await expect(viewer.locator("li.session")).to_have_count(2)  # still logged in


async def test_a_token_may_at_an_edge_what_it_may_at_a_service(house: House, agent: AsyncClient, form: str) -> None:
    page = await agent.open(form)
    async with await aconnect(house.address, token=WATCHER) as watcher:
        seen = await watcher.attach(page.session_id)
        with pytest.raises(RemoteError) as caught:
            await seen.click("button")
        assert caught.value.reason == "RIGHT_MISSING"
        assert "Saved" not in (await page.snapshot(mode="MODE_TEXT")).text
    for token in ("", "x" * 40):
        with pytest.raises(RemoteError) as caught:
            await (await aconnect(house.address, **({"token": token} if token else {}))).open()
        assert caught.value.reason == "UNAUTHENTICATED"


def figures_of_all(house: House) -> str:
    """The metrics with those of both workers: one that is busy may give none in time, which is counted."""
    end_s = time.monotonic() + 60
    while "perception_workers_without_figures 0.0" not in (
        text := urllib.request.urlopen(house.metrics).read().decode()
    ):
        assert time.monotonic() < end_s, text
    return text


async def test_health_and_metrics_of_an_edge_are_of_all_workers(house: House, agent: AsyncClient, form: str) -> None:
    for each in await on_both(agent, form):
        await each.snapshot(mode="MODE_TEXT")
    health = ("health", "--address", house.address)
    told = json.loads(
        (
            await asyncio.to_thread(house.perception, *health, "--token-file", str(house.token), "--format", "json")
        ).stdout
    )
    assert told["status"] == "SERVING"
    assert (len(told["workers"]["up"]), told["workers"]["missing"]) == (2, [])
    assert (await asyncio.to_thread(house.perception, *health)).stdout == "SERVING\n"  # names are for callers
    text = await asyncio.to_thread(figures_of_all, house)
    seen = dict(re.findall(r'^perception_worker_snapshots_total\{worker="([^"]+)"\} (\S+)$', text, re.MULTILINE))
    assert sorted(seen) == told["workers"]["up"]
    assert all(float(each) >= 1 for each in seen.values())
    assert 'perception_workers{state="up"} 2.0' in text
    families = re.findall(r"^# TYPE (\S+) ", text, re.MULTILINE)
    assert len(families) == len(set(families))


async def test_a_call_is_one_trace_over_edge_and_worker(house: House, agent: AsyncClient, form: str) -> None:
    page = await agent.open(form)
    mine = "7a" * 16
    call = agent.perception.CaptureSnapshot(
        pb.CaptureSnapshotRequest(session_id=page.session_id, options=pb.SnapshotOptions(mode=pb.MODE_TEXT)),
        timeout=30,
        metadata=(("traceparent", f"00-{mine}-{'1b' * 8}-01"), ("x-request-id", "traced1")),
    )
    await call
    async with asyncio.timeout(30):
        while len(_rpcs(_spans(house, mine))) < 2:  # noqa: ASYNC110 - each process sends its own
            await asyncio.sleep(0.2)
    found = _spans(house, mine)
    rpcs = _rpcs(found)
    outer = next(id_ for id_, parent in rpcs.items() if parent == "1b" * 8)
    (inner,) = (id_ for id_ in rpcs if id_ != outer)
    assert _above(found, inner, outer)
    capture = next(id_ for id_, (name, _) in found.items() if name == "capture")
    assert _above(found, capture, inner)
    async with asyncio.timeout(30):
        while len(lines := _logged(house, '"traced1"')) < 2:  # noqa: ASYNC110 - a line is written after the answer
            await asyncio.sleep(0.05)
    assert len(lines) == 2  # of the edge, and of the worker


def _logged(house: House, words: str) -> list[str]:
    """Whole lines of all logs that have these words."""
    lines = (house.processes.folder / "log").read_text().splitlines(keepends=True)
    return [line for line in lines if words in line and line.endswith("\n")]


def _spans(house: House, trace: str) -> dict[str, tuple[str, str]]:
    """Name and parent of each span of a trace, by id."""
    return {
        span.span_id.hex(): (span.name, span.parent_span_id.hex())
        for request in house.spans
        for of_resource in request.resource_spans
        for of_scope in of_resource.scope_spans
        for span in of_scope.spans
        if span.trace_id.hex() == trace
    }


def _rpcs(spans: dict[str, tuple[str, str]]) -> dict[str, str]:
    """The parents of the spans of calls, by id."""
    return {id_: parent for id_, (name, parent) in spans.items() if name.endswith("CaptureSnapshot")}


def _above(spans: dict[str, tuple[str, str]], span: str, wanted: str) -> bool:
    while span in spans:
        span = spans[span][1]
        if span == wanted:
            return True
    return False


async def test_everybody_is_told_that_a_worker_ends(
    house: House, agent: AsyncClient, form: str, tmp_path: Path
) -> None:
    """The last one: a worker is told to end, and does."""
    shell = house.shell(tmp_path)
    access = ("--address", house.address, "--token-file", str(house.token))
    server = stdio(*access)
    async with McpClient(server, mode="legacy") as connected:
        tools = Tools(connected)
        await tools("open", url=form)
        (opened,) = await agent.open_sessions()
        port = opened.worker.rpartition(":")[2]
        printed = next(name for name, own in house.processes.ports.items() if str(own) == port)
        for name in ("one", "two", "three"):  # spread over both workers
            await asyncio.to_thread(shell.out, "open", form, "--session", name, *access)
        drain = shlex.split(f"cluster drain 127.0.0.1:{port} --cluster {house.processes.folder / 'cluster'} --grace 90")
        done = await asyncio.to_thread(house.perception, *drain)
        assert done.returncode == 0, done.stderr
        async with asyncio.timeout(30):
            while not (state := await (await agent.attach(opened.session_id)).state()).HasField("closes_at_ms"):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert 60 < state.closes_at_ms / 1000 - time.time() <= 90
        assert re.search(r"note: its worker ends in \d\d s at the latest, and this session", await tools("look"))
        assert "its worker ends" not in await tools("look")
        assert re.search(
            r"\(its worker \S+ ends in \d\d s at the latest\)", await asyncio.to_thread(shell.out, "sessions")
        )
        told = (await asyncio.to_thread(house.perception, "health", *access)).stdout
        assert f"1 of 2 workers is up; about to end: {opened.worker}" in told
        await asyncio.to_thread(shell.out, "close", "--all")
        await tools("close")
    assert await asyncio.to_thread(house.processes.running[printed].wait, 60) == 0
    async with asyncio.timeout(30):
        while "not reached" not in (told := (await asyncio.to_thread(house.perception, "health", *access)).stdout):  # noqa: ASYNC110
            await asyncio.sleep(0.2)
    assert told.startswith("SERVING\n1 of 2 workers is up; not reached: ")

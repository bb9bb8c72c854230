"""Snapshots over real gRPC: modes, refs that stay, pages of a deadline, pictures."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import quote

import cv2
import numpy as np
import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.errors import BadInputError
from perception.render.tokens import count_tokens
from perception.v1 import detection_service_pb2 as detection_pb
from perception.v1 import perception_service_pb2 as pb
from perception.v1 import types_pb2


@pytest.fixture(scope="module")
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """One session for all: each test opens a page of its own in it."""
    page = await client.open()
    yield page
    await page.close()


def element(snapshot: types_pb2.Snapshot, role: str, name: str) -> types_pb2.Element:
    return next(each for each in snapshot.elements if (each.role, each.name) == (role, name))


def decode(image: types_pb2.Image) -> np.ndarray:
    pixels = cv2.imdecode(np.frombuffer(image.data, np.uint8), cv2.IMREAD_COLOR)
    assert pixels is not None
    return pixels


async def test_text_mode_lists_the_page_and_looks_at_no_pixels(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/form.html")
    snapshot = await page.snapshot(mode="MODE_TEXT")
    assert snapshot.url == f"{site}/form.html"
    assert snapshot.title == "Form"
    assert (snapshot.viewport.width, snapshot.viewport.height) == (1280, 800)
    assert '- textbox "Email" [ref=' in snapshot.text
    assert element(snapshot, "button", "Save").backend_node_id > 0
    assert {timing.stage for timing in snapshot.timings} == {"capture", "render"}
    assert "Far below" not in snapshot.text
    assert "hunter2" not in str(snapshot)


async def test_elements_of_the_page_have_all_their_fields(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/form.html")
    snapshot = await page.snapshot(mode="MODE_TEXT")
    first, second = (each for each in snapshot.elements if each.name == "Save")
    assert (first.nth, second.nth) == (0, 1)
    assert first.box.width > 0
    assert first.reachable
    assert first.visible
    assert list(first.sources) == [types_pb2.SOURCE_DOM]
    covered = element(snapshot, "button", "Hidden below")
    assert not covered.reachable
    assert "veil" in covered.covered_by


async def test_refs_stay_across_snapshots_of_either_scope(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/form.html")
    near = await page.snapshot(mode="MODE_TEXT")
    whole = await page.snapshot(mode="MODE_TEXT", scope="SCOPE_PAGE")
    again = await page.snapshot(mode="MODE_TEXT")
    refs = {each.ref for each in near.elements if each.ref}
    assert refs <= {each.ref for each in whole.elements}
    assert refs == {each.ref for each in again.elements if each.ref}
    assert element(whole, "button", "Far below").ref not in refs


async def test_refs_of_a_page_that_was_left_never_come_back(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/form.html")
    before = {each.ref for each in (await page.snapshot(mode="MODE_TEXT")).elements if each.ref}
    await page.navigate(f"{site}/form.html")
    after = {each.ref for each in (await page.snapshot(mode="MODE_TEXT")).elements if each.ref}
    assert not before & after


async def test_ax_engine_serves_chromiums_own_names(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/form.html")
    snapshot = await page.snapshot(mode="MODE_TEXT", engine="ENGINE_AX")
    email = element(snapshot, "textbox", "Email")
    assert list(email.sources) == [types_pb2.SOURCE_AX]
    assert email.value == "a@b.co"


async def test_what_is_seen_in_a_frame_knows_its_node_there(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/canvas_frame.html")
    snapshot = await page.snapshot(mode="MODE_FUSED")
    canvas = element(snapshot, "canvas", "Toolbar")
    zoom = element(snapshot, "button", "Zoom in")
    assert canvas.frame
    assert (zoom.backend_node_id, zoom.frame) == (canvas.backend_node_id, canvas.frame)


async def test_an_unchanged_page_is_not_looked_at_again(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/canvas.html")
    await page.snapshot(mode="MODE_FUSED", settle_timeout=10)
    first = await page.snapshot(mode="MODE_FUSED")
    for _ in range(4):  # on a busy machine Chromium lays a page out once more after it has come to rest
        again = await page.snapshot(mode="MODE_FUSED")
        if {timing.stage for timing in again.timings} == {"capture"}:
            break
        first = again
    assert {timing.stage for timing in again.timings} == {"capture"}
    assert again.elements == first.elements
    assert again.snapshot_id != first.snapshot_id


async def test_fused_names_what_is_painted_in_a_canvas(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/canvas.html")
    snapshot = await page.snapshot()
    canvas = element(snapshot, "canvas", "Toolbar")
    painted = {each.name: each for each in snapshot.elements if each.ref.startswith("v")}
    assert {"Zoom in", "Zoom out", "Export"} <= set(painted)
    zoom = painted["Zoom in"]
    assert zoom.depth == canvas.depth + 1
    assert zoom.backend_node_id == canvas.backend_node_id  # what a click there lands on
    assert types_pb2.SOURCE_OCR in zoom.sources
    assert abs(zoom.click_point.x - (canvas.box.x + 70)) < 8
    assert abs(zoom.click_point.y - (canvas.box.y + 52)) < 8
    again = {each.name: each.ref for each in (await page.snapshot()).elements if each.ref.startswith("v")}
    assert again == {name: each.ref for name, each in painted.items()}


ICONS = {
    "search": '<circle cx="10.5" cy="10.5" r="6.5"/><path d="M15.5 15.5 21 21"/>',
    "close": '<path d="M5 5 19 19M19 5 5 19"/>',
    "menu": '<path d="M3 6H21M3 12H21M3 18H21"/>',
}


def icon_button(drawing: str, attributes: str = "") -> str:
    svg = f'<svg width="24" height="24" fill="none" stroke="#223" stroke-width="2" aria-hidden="true">{drawing}</svg>'
    return f'<button style="padding:8px;margin:12px;background:#eef;border:0" {attributes}>{svg}</button>'


async def test_fused_names_a_button_by_its_icon_where_the_page_does_not(page: AsyncPage, site: str) -> None:
    buttons = "".join(icon_button(each) for each in ICONS.values())
    letters = '<text x="2" y="18" fill="#223" stroke="none" font-size="16">Gq</text>'
    named = icon_button(ICONS["search"], 'title="Find a shop"') + icon_button(ICONS["close"], 'aria-label="Reject"')
    await page.navigate(f"{site}/html?body={quote(buttons + named + icon_button(letters))}")
    snapshot = await page.snapshot(mode="MODE_FUSED")
    found = [(each.name, each.name_source) for each in snapshot.elements if each.role == "button"]
    assert found[:3] == [(name, types_pb2.NAME_SOURCE_ICON) for name in ICONS]
    assert [name for name, _ in found[3:5]] == ["Find a shop", "Reject"]
    assert {source for _, source in found[3:]} == {types_pb2.NAME_SOURCE_UNSPECIFIED}
    assert f'- button "search" [ref={snapshot.elements[0].ref}] [icon]\n' in snapshot.text
    again = await page.snapshot(mode="MODE_FUSED")
    assert [each.ref for each in again.elements] == [each.ref for each in snapshot.elements]
    plain = await page.snapshot(mode="MODE_FUSED", detectors=["ppocr"])
    assert not any(each.name_source for each in plain.elements)
    await page.click(snapshot.elements[0].ref)


async def test_vision_mode_reads_pixels_alone(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/form.html")
    snapshot = await page.snapshot(mode="MODE_VISION")
    assert all(each.ref.startswith("v") for each in snapshot.elements)
    assert "Checkout" in {each.name for each in snapshot.elements}


async def rest_of(page: AsyncPage, client: AsyncClient, first: types_pb2.Snapshot) -> list[types_pb2.Snapshot]:
    """A snapshot and the pages after it."""
    pages = [first]
    while pages[-1].next_cursor:
        request = pb.CaptureSnapshotRequest(session_id=page.session_id, cursor=pages[-1].next_cursor)
        pages.append((await client.call(client.perception.CaptureSnapshot, request)).snapshot)
    return pages


async def test_a_cursor_past_the_end_is_refused(page: AsyncPage, client: AsyncClient, site: str) -> None:
    await page.navigate(f"{site}/golden/table.html")
    for deadline in (0, 200):
        pages = await rest_of(
            page, client, await page.snapshot(mode="MODE_TEXT", scope="SCOPE_PAGE", max_tokens=deadline)
        )
        past = f"{pages[0].snapshot_id}.{len(pages)}"
        with pytest.raises(RemoteError) as caught:
            await client.call(
                client.perception.CaptureSnapshot,
                pb.CaptureSnapshotRequest(session_id=page.session_id, cursor=past),
            )
        assert (caught.value.code.name, caught.value.reason) == ("NOT_FOUND", "UNKNOWN_CURSOR")


@pytest.mark.parametrize("style", ["TEXT_STYLE_ROLE_REF", "TEXT_STYLE_COMPACT"])
async def test_pages_of_a_budget_hold_everything_once(
    page: AsyncPage, client: AsyncClient, site: str, style: str
) -> None:
    await page.navigate(f"{site}/golden/table.html")
    whole = await page.snapshot(mode="MODE_TEXT", scope="SCOPE_PAGE", view="VIEW_INTERACTIVE", style=style)
    part = await page.snapshot(
        mode="MODE_TEXT", scope="SCOPE_PAGE", view="VIEW_INTERACTIVE", style=style, max_tokens=200
    )
    pages = await rest_of(page, client, part)
    left = len(whole.elements)
    for each in pages:
        assert each.token_count == count_tokens(each.text) <= 200
        left -= len(each.elements)
        assert each.omitted_count == left
        assert all(element.ref in each.text for element in each.elements if element.ref)
    assert sorted(each.ref for each in whole.elements) == sorted(
        element.ref for each in pages for element in each.elements
    )


async def test_boxes_stand_in_the_text_where_asked_for(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/form.html")
    plain = await page.snapshot(mode="text")
    for style, mark in (("role-ref", "[box={}]"), ("compact", "@{}")):
        boxed = await page.snapshot(mode="text", style=style, include_boxes=True, since=plain)
        save = element(boxed, "button", "Save")
        box = ",".join(f"{side:.0f}" for side in (save.box.x, save.box.y, save.box.width, save.box.height))
        line = next(each for each in boxed.text.splitlines() if save.ref in each)
        assert mark.format(box) in line
        assert not boxed.diff.text, "other notations are compared"
    rooted = await page.snapshot(mode="text", root=save.ref, include_boxes=True, max_tokens=60)
    assert f"[ref={save.ref}] [box={box}]" in rooted.text
    assert "[box=" not in plain.text


async def test_a_budget_describes_the_rest_like_a_digest(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/golden/table.html")
    digest = await page.snapshot(mode="MODE_TEXT", scope="SCOPE_PAGE", view="VIEW_DIGEST")
    table = element(digest, "table", "Users")
    assert table.text == "41 rows, 82 buttons, 40 links"
    part = await page.snapshot(mode="MODE_TEXT", scope="SCOPE_PAGE", max_tokens=200)
    assert f'more in table "Users" [ref={table.ref}]\n' in part.text
    assert table.ref not in {each.ref for each in part.elements}


async def test_a_digest_keeps_the_refs_of_its_regions(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/golden/table.html")
    first = await page.snapshot(mode="MODE_TEXT", view="VIEW_DIGEST")
    await page.snapshot(mode="MODE_TEXT", view="VIEW_INTERACTIVE", scope="SCOPE_PAGE")
    second = await page.snapshot(mode="MODE_TEXT", view="VIEW_DIGEST")
    assert all(each.ref for each in first.elements)
    assert [each.ref for each in first.elements] == [each.ref for each in second.elements]
    assert first.text == second.text


async def test_the_compact_style_lists_the_same_elements_for_fewer_tokens(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/form.html")
    plain = await page.snapshot(mode="MODE_TEXT")
    compact = await page.snapshot(mode="MODE_TEXT", style="TEXT_STYLE_COMPACT")
    assert [each.ref for each in plain.elements] == [each.ref for each in compact.elements]
    assert compact.token_count < 0.7 * plain.token_count
    assert "textbox Email" in compact.text


async def test_screenshots_in_every_form(page: AsyncPage, client: AsyncClient, site: str) -> None:
    await page.navigate(f"{site}/form.html")

    async def shoot(**options: object) -> types_pb2.Image:
        request = pb.CaptureScreenshotRequest(session_id=page.session_id, **options)
        image: types_pb2.Image = (await client.call(client.perception.CaptureScreenshot, request)).image
        assert decode(image).shape[:2] == (image.height, image.width)
        return image

    plain = await shoot()
    assert (plain.width, plain.height, plain.mime_type) == (1280, 800, "image/png")
    assert (await shoot(format="IMAGE_FORMAT_JPEG", quality=50)).mime_type == "image/jpeg"
    assert (await shoot(full_page=True)).height > 3000
    annotated = await shoot(annotated=True)
    assert (decode(annotated) != decode(plain)).any()


@pytest.mark.parametrize("kind", ["IMAGE_FORMAT_PNG", "IMAGE_FORMAT_JPEG"])
async def test_the_size_of_a_screenshot_is_known_without_decoding_it(
    page: AsyncPage, client: AsyncClient, site: str, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    await page.navigate(f"{site}/inner.html")
    request = pb.CaptureScreenshotRequest(session_id=page.session_id, full_page=True, format=kind)
    with monkeypatch.context() as patched:  # the service runs in this process
        patched.setattr(cv2, "imdecode", lambda *_: pytest.fail("a whole picture was decoded"))
        image = (await client.call(client.perception.CaptureScreenshot, request)).image
    assert decode(image).shape[:2] == (image.height, image.width)


async def test_device_scale_2_keeps_boxes_in_css_pixels(client: AsyncClient, site: str) -> None:
    viewport = types_pb2.Viewport(width=800, height=600, device_scale_factor=2)
    page = await client.open(f"{site}/canvas.html", viewport=viewport)
    try:
        request = pb.CaptureSnapshotRequest(session_id=page.session_id, include_screenshot=True)
        reply = await client.call(client.perception.CaptureSnapshot, request)
    finally:
        await page.close()
    assert (reply.screenshot.width, reply.screenshot.scale) == (1600, 2)
    canvas = element(reply.snapshot, "canvas", "Toolbar")
    zoom = element(reply.snapshot, "button", "Zoom in")
    assert abs(zoom.click_point.x - (canvas.box.x + 70)) < 8


async def test_parse_image_finds_what_a_screenshot_shows(page: AsyncPage, client: AsyncClient, site: str) -> None:
    await page.navigate(f"{site}/canvas.html")
    shot = await client.call(
        client.perception.CaptureScreenshot, pb.CaptureScreenshotRequest(session_id=page.session_id)
    )
    reply = await client.parse_image(shot.image.data, annotated=True)
    names = {each.name for each in reply.snapshot.elements}
    assert {"Painted", "Zoom in", "Export"} <= names
    assert decode(reply.annotated).shape == decode(shot.image).shape


async def test_detectors_are_listed_with_what_they_cannot_do(client: AsyncClient) -> None:
    reply = await client.call(client.detection.ListDetectors, detection_pb.ListDetectorsRequest())
    found = {each.name: each for each in reply.detectors}
    assert found["ppocr"].installed
    assert found["ppocr"].default_enabled
    assert any("Korean" in limit for limit in found["ppocr"].limits)
    assert found["controls"].licence


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param({"detectors": ["nosuch"]}, "UNKNOWN_DETECTOR", id="unknown-detector"),
        pytest.param({"max_tokens": -1}, "BAD_INPUT", id="negative-deadline"),
        pytest.param({"max_tokens": 5}, "BAD_INPUT", id="deadline-that-no-text-keeps"),
    ],
)
async def test_wrong_options_are_reported_and_the_session_continues(
    page: AsyncPage, options: dict[str, object], reason: str
) -> None:
    with pytest.raises(RemoteError) as caught:
        await page.snapshot(**options)
    assert caught.value.reason == reason
    assert (await page.snapshot(mode="MODE_TEXT")).snapshot_id


async def test_a_mode_of_another_version_is_refused_by_client_and_service(client: AsyncClient, page: AsyncPage) -> None:
    with pytest.raises(BadInputError, match="'text', 'fused', 'vision'"):
        await page.snapshot(mode=77)
    options = pb.SnapshotOptions(mode=77)  # type: ignore[arg-type]
    request = pb.CaptureSnapshotRequest(session_id=page.session_id, options=options)
    with pytest.raises(RemoteError) as caught:
        await client.call(client.perception.CaptureSnapshot, request)
    assert caught.value.reason == "BAD_INPUT"


async def test_a_title_without_end_fills_no_answer(page: AsyncPage, site: str) -> None:
    body = "<button>Go</button><p>Text</p><script>document.title = 'x'.repeat(17 * 2**20)</script>"
    arrived = await page.navigate(f"{site}/html?body={quote(body)}")
    seen = await page.snapshot(mode="text")
    read = await page.content()
    assert {arrived.title, seen.title, read.title} == {"x" * 4096}
    assert "button" in seen.text

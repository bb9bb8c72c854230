"""Snapshots of one part of a page: by ref, selector, node id and point, through frames and shadow roots."""

from __future__ import annotations

import pytest

from perception.client import AsyncPage, RemoteError
from perception.v1 import types_pb2 as pb
from tests.paths import PAGES
from tests.support.live import Show

TEXT = {"mode": "text"}


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


@pytest.fixture
async def parts(write: Show) -> None:
    await write(read("parts.html"))


def read(name: str) -> str:
    return (PAGES / name).read_text("utf-8")


def names(snapshot: pb.Snapshot) -> list[str]:
    return [each.name for each in snapshot.elements]


def called(snapshot: pb.Snapshot, role: str, name: str) -> pb.Element:
    return next(each for each in snapshot.elements if (each.role, each.name) == (role, name))


@pytest.mark.usefixtures("parts")
async def test_only_the_root_content_is_listed_and_keeps_its_ref_and_number(page: AsyncPage) -> None:
    whole = await page.snapshot(scope="page", **TEXT)
    part = await page.snapshot(root="#profile", **TEXT)
    assert names(part) == ["Profile", "Title", "Save", "Plain bold words"]
    saves = [each for each in whole.elements if each.name == "Save"]
    assert [each.nth for each in saves] == [0, 1, 2]
    mine = called(part, "button", "Save")
    assert (mine.ref, mine.nth) == (saves[1].ref, 1)
    assert mine.depth == 0


@pytest.mark.usefixtures("parts")
async def test_a_root_holds_the_frames_and_shadow_roots_in_it(page: AsyncPage) -> None:
    framed = names(await page.snapshot(root="#framed", **TEXT))
    assert {"Framed", "In shadow", "Slotted"} <= {*framed}
    inside = await page.snapshot(root="#inner", **TEXT)
    assert inside.elements[0].role == "iframe"
    assert len(inside.elements) > 1
    assert all(each.frame for each in inside.elements[1:])
    card = names(await page.snapshot(root="#card", **TEXT))
    assert card == ["In shadow", "Slotted"]


async def test_a_part_of_a_frame_can_be_the_root(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/frames.html")
    whole = await page.snapshot(scope="page", **TEXT)
    within = next(each for each in whole.elements if each.frame and each.ref)
    part = await page.snapshot(root=within.ref, **TEXT)
    assert [each.ref for each in part.elements] == [within.ref]


@pytest.mark.usefixtures("parts")
async def test_every_way_to_name_a_root_gives_the_same_list(page: AsyncPage) -> None:
    whole = await page.snapshot(**TEXT)
    title = called(whole, "textbox", "Title")
    targets = [
        title.ref,
        "#title",
        (title.click_point.x, title.click_point.y),
        pb.Target(backend_node_id=title.backend_node_id),
    ]
    for target in targets:
        assert [each.ref for each in (await page.snapshot(root=target, **TEXT)).elements] == [title.ref]


@pytest.mark.usefixtures("parts")
async def test_a_root_out_of_view_is_listed_whole_unless_the_viewport_was_asked_for(page: AsyncPage) -> None:
    assert names(await page.snapshot(root="#far", **TEXT)) == ["Zürich-Straße", "Save", "検索する"]
    assert names(await page.snapshot(root="#far", scope="page", **TEXT))
    assert not (await page.snapshot(root="#far", scope="viewport", **TEXT)).elements


async def test_a_root_without_content_may_be_empty(page: AsyncPage, write: Show) -> None:
    await write("<div id=empty style='height:20px'></div><button>Go</button>")
    snapshot = await page.snapshot(root="#empty", **TEXT)
    assert not snapshot.elements
    assert snapshot.text == ""


async def test_pixels_in_a_root_are_those_of_its_own_canvas(page: AsyncPage, write: Show) -> None:
    await write(read("canvas.html"))
    whole = await page.snapshot()
    canvas = next(each for each in whole.elements if each.role == "canvas" and each.name == "Toolbar")
    part = await page.snapshot(root=canvas.ref)
    seen = [each.ref for each in part.elements if each.ref.startswith("v")]
    assert part.elements[0].ref == canvas.ref
    assert seen
    zoom = called(whole, "button", "Zoom in")
    assert [each.ref for each in (await page.snapshot(root=zoom.ref)).elements] == [zoom.ref]
    again = await page.snapshot()  # a look at a part takes no refs from the rest
    assert {each.ref for each in again.elements if each.ref} == {each.ref for each in whole.elements if each.ref}
    with pytest.raises(RemoteError, match="only vision sees"):
        await page.snapshot(root=zoom.ref, **TEXT)


@pytest.mark.usefixtures("parts")
async def test_vision_alone_lists_what_is_painted_in_the_root(page: AsyncPage) -> None:
    seen = " ".join(names(await page.snapshot(root="#profile", mode="vision")))
    assert "Profile" in seen
    assert "Alice" not in seen


@pytest.mark.usefixtures("parts")
async def test_a_region_of_a_digest_opens_by_its_ref(page: AsyncPage) -> None:
    regions = (await page.snapshot(view="digest", scope="page", **TEXT)).elements
    opened = [names(await page.snapshot(root=each.ref, **TEXT)) for each in regions if each.ref]
    listed = {name for part in opened for name in part}
    assert {"Home", "Title", "Delete", "検索する"} <= listed
    assert all(opened)


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize(
    ("root", "reason"),
    [
        pytest.param("e999", "UNKNOWN_REF", id="never-given-out"),
        pytest.param("button", "AMBIGUOUS_TARGET", id="several"),
        pytest.param("#nowhere", "NO_MATCH", id="none"),
        pytest.param("p[", "BAD_SELECTOR", id="no-selector"),
        pytest.param((5000.0, 10.0), "COORDINATE_OUT_OF_VIEWPORT", id="outside"),
        pytest.param(pb.Target(backend_node_id=999999), "NO_MATCH", id="no-such-node"),
        pytest.param(pb.Target(), "BAD_INPUT", id="nothing-named"),
    ],
)
async def test_a_root_that_is_not_there_is_an_error(
    page: AsyncPage, root: str | tuple[float, float] | pb.Target, reason: str
) -> None:
    with pytest.raises(RemoteError) as caught:
        await page.snapshot(root=root, **TEXT)
    assert caught.value.reason == reason


async def test_a_root_that_is_gone_is_stale(page: AsyncPage, write: Show) -> None:
    await write(read("changing.html"))
    order = called(await page.snapshot(**TEXT), "link", "Order 1")
    await page.click("#drop")
    with pytest.raises(RemoteError) as caught:
        await page.snapshot(root=order.ref, **TEXT)
    assert caught.value.reason == "STALE_REF"

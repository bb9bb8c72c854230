"""The main job on the bundled page: refs and vision coordinates clicked, with the effect read in the page."""

from __future__ import annotations

import socket
import struct
import threading
import urllib.request
from collections.abc import AsyncIterator, Iterator
from urllib.parse import urlsplit

import pytest

from perception.client import AsyncClient, AsyncPage
from perception.demo import Demo, serve_demo
from perception.v1 import types_pb2

pytestmark = pytest.mark.usefixtures("kept_contexts", "patient_service")


@pytest.fixture(scope="module")
def demo() -> Iterator[Demo]:
    with serve_demo() as demo:
        yield demo


@pytest.fixture
async def orders(client: AsyncClient, demo: Demo) -> AsyncIterator[AsyncPage]:
    page = await client.open(demo.url)
    yield page
    await page.close()


async def status(page: AsyncPage) -> str:
    """What the page says in its status line."""
    elements = list((await page.snapshot(mode="MODE_TEXT")).elements)
    place = next(index for index, element in enumerate(elements) if element.role == "status")
    return elements[place + 1].name


async def test_five_refs_clicked_land_on_their_elements(orders: AsyncPage) -> None:
    snapshot = await orders.snapshot()
    expected = {
        "Save": "clicked: Save",
        "Invite team": "clicked: Invite team",
        "": "clicked: settings",
        "Express": "changed: express",
        "Customers": "clicked: Customers",
    }
    for name, said in expected.items():
        ref = next(each.ref for each in snapshot.elements if each.name == name and each.ref.startswith("e"))
        await orders.click(ref)
        assert await status(orders) == said


async def test_five_vision_coordinates_clicked_land_on_painted_buttons(orders: AsyncPage) -> None:
    snapshot = await orders.snapshot()
    painted = {each.name: each for each in snapshot.elements if each.ref.startswith("v")}
    for name in ("Zoom in", "Zoom out", "Pan", "Export", "Print"):
        point = painted[name].click_point
        coordinate = types_pb2.Coordinate(x=point.x, y=point.y, snapshot_id=snapshot.snapshot_id)
        await orders.click(types_pb2.Target(coordinate=coordinate))
        assert await status(orders) == f"canvas: {name}"


async def test_the_banner_covers_a_button_until_it_is_dismissed(orders: AsyncPage) -> None:
    snapshot = await orders.snapshot(mode="MODE_TEXT")
    archive = next(each for each in snapshot.elements if each.name == "Archive")
    assert not archive.reachable
    accept = next(each for each in snapshot.elements if each.name == "Accept")
    assert archive.covered_by == accept.ref
    await orders.click(accept.ref)
    after = await orders.snapshot(mode="MODE_TEXT")
    assert next(each for each in after.elements if each.ref == archive.ref).reachable
    await orders.click(archive.ref)
    assert await status(orders) == "clicked: Archive"


async def test_the_payment_frame_of_another_site_is_filled_in(orders: AsyncPage) -> None:
    snapshot = await orders.snapshot(mode="MODE_TEXT")
    refs = {each.name: each.ref for each in snapshot.elements}
    await orders.type_text(refs["Name on card"], "Ana")
    await orders.click(refs["Pay € 129.00"])
    assert '"paid by Ana"' in (await orders.snapshot(mode="MODE_TEXT")).text
    await orders.wait_for(text="payment: paid by Ana")  # the frame, in a process of its own, has sent it to the page
    assert await status(orders) == "payment: paid by Ana"


async def test_the_password_is_nowhere(orders: AsyncPage) -> None:
    for mode in ("MODE_TEXT", "MODE_FUSED"):
        assert "correct horse" not in str(await orders.snapshot(mode=mode))


def test_a_browser_that_hangs_up_leaves_no_word_on_standard_error(
    demo: Demo, capfd: pytest.CaptureFixture[str]
) -> None:
    address = urlsplit(demo.url)
    others = set(threading.enumerate())  # connections that a browser keeps open
    with socket.create_connection((address.hostname, address.port)) as browser:
        browser.sendall(b"GET / HTTP/1.1\r\n")
        browser.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing resets
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(demo.url) as reply:
        assert reply.status == 200
    # Connections are taken in their order: the one that was reset has its thread by now.
    for thread in set(threading.enumerate()) - others:
        if "process_request" in thread.name:
            thread.join()
    assert capfd.readouterr().err == ""

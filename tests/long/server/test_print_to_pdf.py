"""PrintToPdf: sheets, pages and limits; private content; pages that print themselves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pypdfium2
import pytest

from perception.client import AsyncClient, AsyncPage, BadInputError, RemoteError, connect
from perception.server.app import Service
from tests.support.early_ends import early_ends
from tests.support.live import Show
from tests.support.sheet import Sheet
from tests.support.waiting import title_of

pytestmark = pytest.mark.usefixtures("patient_answers")

LONG = "<title>Order 7/2</title><style>p { break-after: page } body { background: #f00 }</style>" + "".join(
    f"<p>Page {number}</p>" for number in range(1, 6)
)
MM = 72 / 25.4


@pytest.fixture(scope="module")
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """One session for all: each test writes a page of its own in it."""
    page = await client.open()
    yield page
    await page.close()


@pytest.fixture(scope="module")
def show(service: Service, page: AsyncPage, site: str) -> Show:
    return Sheet(service.context.sessions.get(page.session_id).browser, site).write


def open_pdf(data: bytes) -> pypdfium2.PdfDocument:
    return pypdfium2.PdfDocument(data)


def texts(data: bytes) -> list[str]:
    return [page.get_textpage().get_text_range().strip() for page in open_pdf(data)]


async def refused(call: Awaitable[Any]) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await call
    return caught.value


async def test_a_page_becomes_a_download_with_its_text(client: AsyncClient, site: str, tmp_path: Path) -> None:
    async with await client.open(f"{site}/html?body={quote(LONG)}") as page:
        path = await page.pdf(tmp_path / "a.pdf")
        assert texts(await asyncio.to_thread(path.read_bytes)) == [f"Page {number}" for number in range(1, 6)]
        (download,) = await page.downloads()
        assert (download.download_id, download.name, download.state) == ("d1", "Order 7_2.pdf", 2)
        assert download.url == (await page.state()).tabs[0].url


@pytest.mark.parametrize(
    ("options", "size"),
    [
        pytest.param({}, (210, 297), id="a4"),
        pytest.param({"paper": "letter"}, (215.9, 279.4), id="letter"),
        pytest.param({"paper": "a5", "landscape": True}, (210, 148), id="landscape"),
        pytest.param({"paper_size": (100, 50)}, (100, 50), id="size"),
    ],
)
async def test_the_sheet_has_the_size_that_was_asked_for(
    page: AsyncPage, show: Show, options: dict[str, Any], size: tuple[float, float]
) -> None:
    await show("<p>x")
    sheet = open_pdf(await page.pdf(**options))[0]
    assert [round(each / MM) for each in sheet.get_size()] == [round(each) for each in size]


async def test_ranges_margins_and_scale(page: AsyncPage, show: Show) -> None:
    await show(LONG)
    assert texts(await page.pdf(page_ranges="2, 4-")) == ["Page 2", "Page 4", "Page 5"]

    def left_edge(data: bytes) -> float:
        return open_pdf(data)[0].get_textpage().get_charbox(0)[0] / MM

    narrow, wide = [left_edge(await page.pdf(margins=each)) for each in (0, (10, 10, 10, 60))]
    assert 55 < wide - narrow < 65
    first = open_pdf(await page.pdf(margins=0, scale=2))[0].get_textpage().get_charbox(0)
    plain = open_pdf(await page.pdf(margins=0))[0].get_textpage().get_charbox(0)
    assert 1.8 < (first[3] - first[1]) / (plain[3] - plain[1]) < 2.2


async def test_backgrounds_are_printed_where_that_is_asked_for(page: AsyncPage, show: Show) -> None:
    await show(LONG)

    def corner(data: bytes) -> tuple[int, ...]:
        return tuple(open_pdf(data)[0].render(scale=0.2).to_numpy()[30, 30][:3])

    assert corner(await page.pdf()) == (255, 255, 255)
    assert corner(await page.pdf(background=True)) == (0, 0, 255)


@pytest.mark.parametrize(
    ("options", "field", "said"),
    [
        pytest.param(
            {"page_ranges": "x"}, "options.page_ranges", "'x' names no pages: write them as in 1-3, 5", id="no"
        ),
        pytest.param({"page_ranges": "7-9"}, "options.page_ranges", "the page has no pages '7-9'", id="beyond"),
        pytest.param({"scale": 3}, "options.scale", "scale is 3: give 0.1 to 2", id="scale"),
        pytest.param({"margins": 150}, "options.margins", "leave no room on a sheet of 210 x 297 mm", id="margins"),
        pytest.param({"margins": -1}, "options.margins", "negative", id="negative"),
        pytest.param({"paper_size": (1, 1)}, "options.paper_size", "a sheet of 1 x 1 mm cannot be printed", id="small"),
        pytest.param(
            {"paper_size": (99, 99), "paper": "a4"}, "options.paper_size", "both paper and paper_size", id="both"
        ),
    ],
)
async def test_what_cannot_be_printed_is_refused(
    page: AsyncPage, show: Show, options: dict[str, Any], field: str, said: str
) -> None:
    await show(LONG)
    error = await refused(page.pdf(**options))
    assert (error.reason, error.field) == ("BAD_INPUT", field)
    assert said in str(error)
    with pytest.raises(BadInputError):
        await page.pdf(papre="a4")


async def test_private_content_is_not_printed_and_passwords_are_dots(page: AsyncPage, show: Show) -> None:
    await show(
        "<input type=password id=p value=hunter2><input id=t>"
        "<label>Card number <input id=c autocomplete=cc-number></label>"
    )
    assert await page.pdf()
    await page.type_text("#c", "4111 1111 1111 1111")
    error = await refused(page.pdf())
    assert error.reason == "PRIVATE_CONTENT"
    assert "empty these fields first, or set reveal_sensitive" in str(error)
    assert "4111" in "".join(texts(await page.pdf(reveal_sensitive=True))[0].split())
    assert "hunter2" not in "".join(texts(await page.pdf(reveal_sensitive=True))[0].split())
    await show("<label>Password <input id=p autocomplete=current-password></label>")
    await page.type_text("#p", "hunter2")
    assert (await refused(page.pdf(reveal_sensitive=True))).reason == "PRIVATE_CONTENT"


async def test_a_pdf_over_the_limit_of_downloads_is_not_kept(page: AsyncPage, show: Show) -> None:
    noise = "const c = document.createElement('canvas'); c.width = c.height = 900; const x = c.getContext('2d');"
    noise += "const d = x.createImageData(900, 900); for (let i = 0; i < d.data.length; i += 65536)"
    noise += "crypto.getRandomValues(d.data.subarray(i, i + 65536)); x.putImageData(d, 0, 0); document.body.append(c)"
    await show(f"<body><script>{noise}</script>")
    error = await refused(page.pdf())
    assert error.reason == "DOWNLOAD_FAILED"
    assert "the PDF was not kept: larger than the limit of 1 MiB (PERCEPTION_MAX_DOWNLOAD_MIB)" in str(error)
    assert not (await page.downloads())[-1].path


async def test_a_page_that_hangs_is_not_waited_for_beyond_the_deadline(
    service: Service, client: AsyncClient, site: str
) -> None:
    hang = "const x = new XMLHttpRequest(); x.open('GET', '/never', false); x.send()"
    body = f"<p>Here</p><script>onbeforeprint = () => {{ {hang} }}</script>"
    async with await client.open(f"{site}/html?body={quote(body)}") as page:
        with early_ends(service) as reserve_s:
            error = await refused(page.pdf(timeout_s=reserve_s + 1))
        assert (error.code.name, error.reason) == ("DEADLINE_EXCEEDED", "DEADLINE")
        await page.navigate("about:blank")


async def test_window_print_is_reported_and_not_hung_on(page: AsyncPage, show: Show) -> None:
    await show("<title>0</title><button onclick='print(); document.title = `printed`'>Print</button><p>Text</p>")
    await page.snapshot(mode="text")
    done = await page.click("button")
    assert done.notes == [
        "the page asked its user to print it (window.print): nothing was printed; PrintToPdf makes a PDF of it"
    ]
    assert await title_of(page) == "printed"
    await page.pdf()
    assert (await page.click("p")).notes == []


async def test_the_blocking_client_and_a_neighbor(
    service: Service, client: AsyncClient, page: AsyncPage, show: Show, site: str
) -> None:
    await show(LONG)
    neighbor = await client.open(f"{site}/form.html")

    def pdf() -> bytes:
        with connect(service.context.settings.address) as blocking:
            return blocking.attach(page.session_id).pdf()

    assert len(open_pdf(await asyncio.to_thread(pdf))) == 5
    assert await neighbor.downloads() == []
    await neighbor.close()

"""A PDF that is open in a tab: its text and links, and PDFs that cannot be read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from perception.bench.pages.local_site import serve_handler
from perception.client import AsyncClient, AsyncPage, RemoteError
from tests.support.live import Show

pytestmark = pytest.mark.usefixtures("patient_answers")

ORDERS = (
    "<title>Orders</title><style>p { break-after: page }</style><p>First *page*<br>with two lines</p>"
    "<p>Second <a href='https://shop.example/a?b=1&c=2'>invoice</a></p>"
)


def made(count: int, words: str = "Line of page") -> bytes:
    """A PDF of so many pages with a line each."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(count))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {count}/Kids[{kids}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for at in range(count):
        line = f"BT /F 12 Tf 20 200 Td ({words} {at + 1}) Tj ET"
        uses = f"/Resources<</Font<</F 3 0 R>>>>/Contents {5 + 2 * at} 0 R"
        objects.append(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]{uses}>>")
        objects.append(f"<</Length {len(line)}>>stream\n{line}\nendstream")
    data, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj{each}endobj\n".encode()
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}"
    return data + f"{table}trailer<</Root 1 0 R/Size {len(objects) + 1}>>\nstartxref\n{len(data)}\n%%EOF\n".encode()


KEYS = (
    f"/O<2055c756c72e1ad702608e8196acad447ad32d17cff583235f6dd15fed7dab67>/U<{'0' * 64}>"
    "/ID[<0123456789abcdef0123456789abcdef><0123456789abcdef0123456789abcdef>]"
)
ENCRYPTED = (
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
    f"3 0 obj<</Filter/Standard/V 1/R 2/P -4{KEYS.partition('/ID')[0]}>>endobj\n"
    f"trailer<</Root 1 0 R/Encrypt 3 0 R/ID{KEYS.partition('/ID')[2]}>>\n"
).encode()
"""Its user's password is not the empty one."""


@contextmanager
def library(files: dict[str, bytes]) -> Iterator[str]:
    """A site with these PDFs; a path that is asked for twice is gone where its name begins with `once`."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            data = files.get(self.path[1:])
            gone = data is None or (self.path.startswith("/once") and asked.count(self.path) > 1)
            self.send_response(404 if gone else 200)
            self.send_header("Content-Type", "text/html" if gone else "application/pdf")
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(b"gone" if gone or data is None else data)

        def log_message(self, *_: object) -> None:
            pass

    with serve_handler(Handler) as url:
        yield url


@pytest.fixture(scope="module")
def site_of_pdfs() -> Iterator[str]:
    files = {"long.pdf": made(300), "broken.pdf": b"%PDF-1.7\nnothing of the kind", "locked.pdf": ENCRYPTED}
    with library(files | {"once.pdf": made(1)}) as url:
        yield url


@pytest.fixture
def reader(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


async def refused(page: AsyncPage, **options: Any) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await page.content(**options)
    return caught.value


async def test_text_and_links_of_a_pdf_that_a_click_opened(page: AsyncPage, show: Show) -> None:
    await show(ORDERS)
    data = await page.pdf()
    with library({"orders.pdf": data}) as url:
        await show(f"<a href='{url}/orders.pdf'>Orders</a>")
        done = await page.click("a")
        assert done.navigated
        assert [each for each in done.notes if each.startswith("the tab shows a PDF: ExtractContent reads")]
        read = await page.content()
        assert (read.title, read.url) == ("Orders", f"{url}/orders.pdf")
        assert "## Page 1 of 2\n\nFirst \\*page\\*" in read.markdown
        assert "with two lines" in read.markdown
        assert "## Page 2 of 2\n\nSecond invoice" in read.markdown
        assert "[invoice](https://shop.example/a?b=1&c=2)" in read.markdown
        assert not read.skipped
        error = await refused(page, scope="p")
        assert (error.reason, error.field) == ("BAD_INPUT", "scope_selector")
        assert "which has no elements" in str(error)


async def test_a_look_at_a_pdf_says_what_it_is_and_vision_reads_it(client: AsyncClient, site: str) -> None:
    page = await client.open(f"{site}/html?body=<h1>Quarterly report</h1>", viewport=(480, 300))
    with library({"report.pdf": await page.pdf(scale=2)}) as url:
        await page.navigate(f"{url}/report.pdf", wait_until="load")
        words = ""
        async with asyncio.timeout(60):  # the viewer paints when it has the file
            while "Quarterly report" not in words:
                seen = await page.snapshot(mode="vision", settle_timeout=2)
                words = " ".join(each.text or each.name for each in seen.elements)
        assert [each for each in seen.notes if each.startswith("the tab shows a PDF")]
        fused = await page.snapshot(mode="fused")
        assert {"Zoom in", "Page number"} <= {each.name for each in fused.elements if each.ref.startswith("e")}
        assert "Quarterly report" in fused.text
        await page.click('button "Zoom in"')
        await page.navigate("about:blank")
        assert not (await page.snapshot(mode="text")).notes
    await page.close()


async def test_many_pages_are_read_in_pieces(reader: AsyncPage, site_of_pdfs: str) -> None:
    await reader.navigate(f"{site_of_pdfs}/long.pdf")
    read = await reader.content(max_tokens=1000)
    assert read.token_count <= 1000
    assert read.total_token_count > 2400
    assert "Line of page 1" in read.markdown
    whole = (await reader.content()).markdown
    assert "Line of page 300" in whole
    assert whole.count("## Page ") == 300


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("broken.pdf", "the PDF is broken, or no PDF", id="broken"),
        pytest.param("locked.pdf", "is encrypted and opens with a password only", id="encrypted"),
        pytest.param("once.pdf", "cannot be fetched again to be read", id="once"),
    ],
)
async def test_a_pdf_that_cannot_be_read_says_why(reader: AsyncPage, site_of_pdfs: str, name: str, said: str) -> None:
    await reader.navigate(f"{site_of_pdfs}/{name}")
    error = await refused(reader)
    assert (error.reason, error.code.name) == ("PDF_UNREADABLE", "FAILED_PRECONDITION")
    assert said in str(error)


async def test_a_pdf_over_the_limit_is_not_read(reader: AsyncPage) -> None:
    with library({"large.pdf": made(1) + b"%" + b"x" * 1_100_000}) as url:
        await reader.navigate(f"{url}/large.pdf")
        assert "larger than a download may be, 1 MiB" in str(await refused(reader))

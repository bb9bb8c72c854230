"""File choosers that pages open: reported, answered, dismissed, and what goes on beside them."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any
from urllib.parse import quote

import pytest

from perception.client import AsyncPage, RemoteError
from tests.support.live import Show
from tests.support.waiting import title_of

pytestmark = pytest.mark.usefixtures("patient_answers")

FORM = (
    "<title>0</title><input type=file id=f name=photo accept='.png,image/*' {0} "
    "onchange='document.title = [...this.files].map(each => each.name + each.size)' "
    "oncancel='document.title = `cancelled`'><button onclick='f.click()'>Choose</button><input id=t>"
)


async def refused(call: Awaitable[Any]) -> RemoteError:
    with pytest.raises(RemoteError) as caught:
        await call
    return caught.value


@pytest.mark.parametrize("target", ["#f", "button"])
async def test_a_chooser_that_a_click_opened_is_reported_and_takes_files(
    page: AsyncPage, show: Show, target: str
) -> None:
    await show(FORM.format("multiple"))
    (chooser,) = (await page.click(target)).file_choosers
    assert (chooser.file_chooser_id, chooser.tab_id, chooser.field) == ("t1.f1", "t1", "photo")
    assert (chooser.multiple, chooser.directory, chooser.accept) == (True, False, ".png,image/*")
    assert await page.file_choosers() == [chooser]
    done = await page.upload(None, "cv.txt", contents={"me.png": b"\x89PNG"})
    assert await title_of(page) == "cv.txt7,me.png4"
    assert list(done.file_choosers) == await page.file_choosers() == []


async def test_input_waits_for_the_answer_and_looks_do_not(page: AsyncPage, show: Show) -> None:
    await show(FORM.format(""))
    await page.click("#f")
    for call in (
        page.click("button"),
        page.type_text("#t", "a"),
        page.press("Enter"),
        page.scroll(10),
        page.hover("#t"),
    ):
        error = await refused(call)
        assert error.reason == "FILE_CHOOSER_OPEN"
        assert error.metadata["file_chooser"] == "t1.f1"
    assert str(error).startswith("the file chooser t1.f1 is open for ")
    assert str(error).endswith(": answer it with UploadFiles without a target, or dismiss it with HandleDialog")
    assert (await page.snapshot(mode="text")).title == "0"
    assert len((await page.wait_for(element="#t")).file_choosers) == 1


async def test_a_dismissed_chooser_tells_the_page(page: AsyncPage, show: Show) -> None:
    await show(FORM.format(""))
    await page.click("#f")
    await page.dismiss_file_chooser()
    assert await title_of(page) == "cancelled"
    await page.type_text("#t", "a")
    assert (await refused(page.dismiss_file_chooser())).reason == "NO_DIALOG"
    (again,) = (await page.click("#f")).file_choosers
    error = await refused(page.handle_dialog(True, dialog_id=again.file_chooser_id))
    assert (error.reason, error.field) == ("BAD_INPUT", "accept")
    assert "t1.f2 is a file chooser: give it files with UploadFiles" in str(error)
    assert "is not open (open: t1.f2)" in str(await refused(page.dismiss_file_chooser("t1.f1")))


async def test_files_for_a_named_field_answer_its_chooser_too(page: AsyncPage, show: Show) -> None:
    await show(FORM.format(""))
    await page.click("#f")
    await page.upload("#f", "cv.txt")
    assert await page.file_choosers() == []
    assert await title_of(page) == "cv.txt7"


async def test_no_target_and_no_chooser_is_refused(page: AsyncPage, show: Show) -> None:
    await show(FORM.format(""))
    error = await refused(page.upload(None, "cv.txt"))
    assert (error.reason, error.field) == ("BAD_INPUT", "target")
    assert "no file chooser is open in tab t1: name a file field, or click" in str(error)


async def test_several_files_for_one_keep_the_chooser_open(page: AsyncPage, show: Show) -> None:
    await show(FORM.format(""))
    await page.click("#f")
    error = await refused(page.upload(None, "cv.txt", "photo.png"))
    assert "the file chooser t1.f1 takes one file, not 2" in str(error)
    await page.upload(None, "photo.png")
    assert await title_of(page) == "photo.png4"


async def test_a_chooser_goes_with_its_page(page: AsyncPage, show: Show) -> None:
    await show(FORM.format(""))
    await page.click("#f")
    await show("<button>Here</button>")
    assert await page.file_choosers() == []
    await page.click("button")


async def test_a_chooser_of_a_frame_of_another_site(page: AsyncPage, site: str, other_site: str) -> None:
    inner = f"{other_site}/html?body={quote('<input type=file id=f webkitdirectory>')}"
    frame = f'<iframe src="{inner}" width=400></iframe><p>Out</p>'
    await page.navigate(f"{site}/html?body={quote(frame)}")
    (chooser,) = (await page.click("iframe >>> #f")).file_choosers
    assert (chooser.field, chooser.directory, chooser.multiple) == ("f", True, False)
    await page.navigate(f"{site}/form.html")
    assert await page.file_choosers() == []


async def test_a_field_that_is_gone_takes_nothing(page: AsyncPage, show: Show) -> None:
    await show(FORM.format("") + "<script>f.onclick = () => setTimeout(() => f.remove(), 50)</script>")
    await page.click("#f")
    await page.wait_for(vanished="#f")
    await page.upload(None, "cv.txt")  # as in a browser of one's own, the field that the page holds gets the files
    assert await title_of(page) == "cv.txt7"
    await page.click("button")


async def test_a_picker_that_takes_nothing_from_here_is_noted(page: AsyncPage, show: Show) -> None:
    await show(
        "<title>0</title><button onclick='showOpenFilePicker().catch(error => document.title = error.name)'>Pick"
        "</button>"
    )
    done = await page.click("button")
    assert done.notes == [
        "the page asked for files by the File System Access API, which takes none from here: it was told that its user "
        "cancelled"
    ]
    assert await title_of(page) == "AbortError"
    await page.click("button")


async def test_a_neighbor_is_not_held_up(page: AsyncPage, show: Show, client: Any, site: str) -> None:
    await show(FORM.format(""))
    await page.click("#f")
    neighbor = await client.open(f"{site}/form.html")
    assert await neighbor.file_choosers() == []
    await neighbor.scroll(10)
    await neighbor.close()

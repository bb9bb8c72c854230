"""Files and texts that are dropped on a page from outside."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

import pytest

from perception.client import AsyncPage, RemoteError

pytestmark = pytest.mark.usefixtures("patient_answers")

ZONE = """<!doctype html><div id=zone style='width:300px;height:120px;background:#ddd'>Drop here</div>
<p id=out></p><script>
zone.addEventListener('dragover', event => event.preventDefault());
zone.addEventListener('drop', async event => {
  event.preventDefault();
  const texts = ['text/plain', 'application/x-card'].map(kind => event.dataTransfer.getData(kind));
  const files = [...event.dataTransfer.files].map(async file => `${file.name}=${await file.text()}`);
  out.textContent = [event.isTrusted, ...texts, ...await Promise.all(files)].join(' / ');
});
</script>"""

PLAIN = "<p id=plain style='width:200px;height:80px'>Plain</p>"


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


async def show(page: AsyncPage, site: str, html: str) -> None:
    await page.navigate(f"{site}/html?body={quote(html)}")


@pytest.mark.parametrize("place", ["top", "frame", "frame of another site"])
async def test_files_and_texts_are_dropped(page: AsyncPage, site: str, other_site: str, place: str) -> None:
    inner = f"{site if place == 'frame' else other_site}/html?body={quote(ZONE)}"
    framed = f"<p>Outer</p><iframe src='{escape(inner, quote=True)}' width=500 height=300></iframe>"
    await show(page, site, ZONE if place == "top" else framed)
    await page.wait_for(text="Drop here")
    contents = {"a.txt": b"one", "b.txt": b"two"}
    await page.upload(
        'text "Drop here"', contents=contents, drop=True, data={"text/plain": "words", "application/x-card": "7"}
    )
    await page.wait_for(text="true / words / 7 / a.txt=one / b.txt=two")
    await page.upload('text "Drop here"', drop=True, data={"text/plain": "only"})
    await page.wait_for(text="true / only /")


async def test_what_takes_nothing_gets_nothing(page: AsyncPage, site: str) -> None:
    await show(page, site, ZONE + PLAIN)
    with pytest.raises(RemoteError, match="takes nothing of what is dropped there: nothing was dropped") as caught:
        await page.upload("#plain", contents={"a.txt": b"one"}, drop=True)
    assert caught.value.reason == "NOT_A_FILE_FIELD"
    assert (await page.snapshot(mode="text")).url.startswith(site)
    with pytest.raises(RemoteError, match=r"or drop the files on it \(`drop`\)"):
        await page.upload("#plain", contents={"a.txt": b"one"})


@pytest.mark.parametrize(
    ("target", "given", "message"),
    [
        ("#zone", {"data": {"text/plain": "a"}}, "data is dropped: set drop, too"),
        ("#zone", {"drop": True}, "no file: give names in `paths`, .* or with `drop` texts in `data`"),
        (None, {"drop": True, "data": {"text/plain": "a"}}, "dropped on a target: name one"),
    ],
)
async def test_what_cannot_be_dropped_is_refused(
    page: AsyncPage, site: str, target: str | None, given: dict[str, object], message: str
) -> None:
    await show(page, site, ZONE)
    with pytest.raises(RemoteError, match=message) as caught:
        await page.upload(target, **given)  # type: ignore[arg-type]
    assert caught.value.reason == "BAD_INPUT"

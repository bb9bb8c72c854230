"""Code editors in a page's content: one fenced block each, without the numbers of their lines.

The pages in `tests/pages/editors` have the elements and classes that CodeMirror, Monaco and Ace write.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from perception.client import AsyncClient, AsyncPage
from perception.render.untrusted import unmarked
from tests.paths import PAGES

EDITORS = PAGES / "editors"


@pytest.fixture(scope="module")
async def reader(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """One session for all: reading changes nothing."""
    page = await client.open()
    yield page
    await page.close()


async def content_of(reader: AsyncPage, url: str) -> str:
    await reader.navigate(url)
    return unmarked((await reader.content()).markdown).removesuffix("\n")


def page_text(editor: str) -> str:
    return (EDITORS / f"{editor}.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("editor", "markdown"),
    [
        pytest.param("codemirror6", "```python\ndef f(a_b):\n\n    return a_b * 2\n```", id="codemirror-6"),
        pytest.param("codemirror5", "```javascript\nif (a) {\n\n  b();\n```", id="codemirror-5"),
        pytest.param("monaco", "```ts\ninterface A {\n  x: number;\n}\n```", id="monaco"),
        pytest.param("ace", "```sql\nselect a, b\nfrom t;\n```", id="ace"),
    ],
)
async def test_a_code_editor_is_one_code_block(reader: AsyncPage, site: str, editor: str, markdown: str) -> None:
    assert await content_of(reader, f"{site}/editors/{editor}.html") == f"Before\n\n{markdown}\n\nAfter"


async def test_an_editor_that_is_only_read_is_a_code_block(reader: AsyncPage, site: str) -> None:
    html = page_text("codemirror6").replace("contenteditable=true", "contenteditable=false")
    text = await content_of(reader, f"{site}/html?body={quote(html)}")
    assert text == "Before\n\n```python\ndef f(a_b):\n\n    return a_b * 2\n```\n\nAfter"


async def test_a_page_that_only_uses_the_names_of_editors_is_read_as_before(reader: AsyncPage, site: str) -> None:
    html = (
        "<div class=margin>Side</div><div class=view-lines><p>One</p><p>Two</p></div><div class=cm-gutters>Rain</div>"
    )
    assert await content_of(reader, f"{site}/html?body={html}") == "Side\n\nOne\n\nTwo\n\nRain"


async def test_private_code_is_masked(reader: AsyncPage, site: str) -> None:
    html = f"<div data-private>{page_text('monaco')}</div>"
    text = await content_of(reader, f"{site}/html?body={quote(html)}")
    assert "number" not in text
    assert "[masked]" in text

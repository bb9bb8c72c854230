"""A click on an item that holds other items lands on the item itself."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

import pytest

from perception.client import AsyncPage
from tests.support.live import Show

SAY = "onclick=\"event.stopPropagation(); o.textContent = 'did ' + this.dataset.n\""
CHILDREN = "".join(
    f"<li role=treeitem tabindex=-1><div {SAY} data-n='child {number}'>Child {number}</div></li>"
    for number in range(40)
)


@pytest.mark.parametrize(
    ("html", "target"),
    [
        pytest.param(
            f"<ul role=tree><li role=treeitem tabindex=0 aria-expanded=true aria-label=Revenue><div {SAY} data-n=Revenue>Revenue</div>"
            f"<ul role=group><li role=treeitem tabindex=-1><div {SAY} data-n=Q1>Q1</div></li></ul></li></ul>",
            'treeitem "Revenue"',
            id="open-branch",
        ),
        pytest.param(
            f"<ul role=tree><li role=treeitem tabindex=0 aria-expanded=true aria-label=Revenue><div {SAY} data-n=Revenue>Revenue</div>"
            f"<ul role=group>{CHILDREN}</ul></li></ul>",
            'treeitem "Revenue"',
            id="long-branch",
        ),
        pytest.param(
            f"<ul role=menubar><li role=menuitem tabindex=0 aria-haspopup=true aria-expanded=true aria-label=Revenue {SAY} data-n=Revenue><span>Revenue</span>"
            f"<ul role=menu><li role=menuitem tabindex=-1 {SAY} data-n=Open>Open</li><li role=menuitem tabindex=-1 {SAY} data-n=Close>Close</li></ul></li></ul>",
            'menuitem "Revenue"',
            id="open-menu",
        ),
        pytest.param(
            f"<div role=listbox style='width:120px'><div role=option tabindex=0 aria-label=Revenue {SAY} data-n=Revenue style='padding:2px 30px'>"
            f"<span role=button tabindex=0 aria-label=Remove {SAY} data-n=Remove style='display:block'>x</span></div></div>",
            'option "Revenue"',
            id="button-in-the-middle",
        ),
    ],
)  # fmt: skip
async def test_a_click_on_an_item_is_none_on_an_item_in_it(
    shared_page: AsyncPage, write: Show, html: str, target: str
) -> None:
    await write(f"<p id=o></p>{html}")
    await shared_page.click(target)
    assert "did Revenue" in (await shared_page.snapshot(mode="text")).text

"""Whole texts of real pages, to be read: `pytest tests/live/render --refresh-goldens` writes them again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from perception.browser.page.navigation import WaitUntil, navigate
from perception.deadline import Deadline
from perception.refs import RefTable
from perception.render.present import present
from perception.render.select import in_scope
from perception.types import Element, Scope, TextStyle, View
from tests.support.sheet import Sheet

pytestmark = pytest.mark.usefixtures("patient_service")

PAGES = {
    "form": "form.html",
    "table": "golden/table.html",
    "dialog": "golden/dialog.html",
    "frames": "frames.html",
    "shadow": "golden/shadow.html",
    "rtl": "golden/rtl.html",
    "cjk": "golden/cjk.html",
}

TEXTS = {
    "full, role-ref": (View.FULL, TextStyle.ROLE_REF, 0),
    "interactive, compact": (View.INTERACTIVE, TextStyle.COMPACT, 0),
    "full, compact": (View.FULL, TextStyle.COMPACT, 0),
    "digest, role-ref": (View.DIGEST, TextStyle.ROLE_REF, 0),
    "full, role-ref, 120 tokens": (View.FULL, TextStyle.ROLE_REF, 120),
}


def texts_of(elements: tuple[Element, ...], refs: RefTable) -> str:
    """Every text of a page, each under its title with what it costs."""
    parts = []
    for title, (view, style, max_tokens) in TEXTS.items():
        shown = present(
            elements, view=view, style=style, max_tokens=max_tokens, name_regions=partial(refs.assign_regions, "t")
        ).text.page(0)
        parts.append(f"== {title}: {shown.token_count} tokens, {shown.rest} left\n{shown.text}")
    return "\n".join(parts)


@pytest.mark.parametrize("name", PAGES)
async def test_a_page_reads_as_its_golden(
    sheet: Sheet, site: str, check_golden: Callable[[str, str], None], name: str
) -> None:
    # What has `autofocus` gets it with the first frame, which may come after the load.
    await navigate(sheet.tab.link, f"{site}/{PAGES[name]}", WaitUntil.SETTLED, Deadline.of(60))
    capture = await sheet.look()
    refs = RefTable()
    elements = refs.assign("t", in_scope(capture.elements, Scope.PAGE))
    check_golden(f"pages/{name}.txt", texts_of(elements, refs))

"""The order of the tests: one page after the other, as each visit of a page costs more than all that is asked of it."""

from __future__ import annotations

from pathlib import Path

import pytest

TESTS = Path(__file__).with_name("test_controls.py")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = [at for at, item in enumerate(items) if item.path == TESTS]
    for at, item in zip(places, sorted((items[at] for at in places), key=_page_of), strict=True):
        items[at] = item


def _page_of(item: pytest.Item) -> str:
    call = getattr(item, "callspec", None)
    return "" if call is None else str(call.params["control"].page)

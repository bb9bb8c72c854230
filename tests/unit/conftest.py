"""Tests without a browser and without a service.

Time is virtual: it passes when everything waits, so that no test waits. What waits for something outside of the event
loop, such as a process, a thread or a socket, says `pytest.mark.real_time`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import pytest_asyncio

FOLDER = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "real_time: waits for something outside of the event loop")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not item.path.is_relative_to(FOLDER) or not pytest_asyncio.is_async_test(item):
            continue
        if item.get_closest_marker("real_time") is None:
            item.add_marker(pytest.mark.looptime)
            item.add_marker(pytest.mark.asyncio(loop_scope="function"), append=False)

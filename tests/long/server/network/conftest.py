"""What tests of requests share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from perception.client import AsyncClient, AsyncPage
from perception.server.app import Service
from tests.support.network_app import forget_requests, network_app


@pytest.fixture
def app() -> Iterator[str]:
    """One for each test: nothing of it is in the browser's cache."""
    with network_app() as origin:
        yield origin


@pytest.fixture(scope="module")
async def recording(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    page = await client.open(allow_evaluate=True, record_network=True)
    yield page
    await page.close()


@pytest.fixture
def recorded(service: Service, recording: AsyncPage) -> AsyncPage:
    """A session that records requests, and has none yet."""
    forget_requests(service, recording)
    return recording


@pytest.fixture
async def emptied(service: Service, recorded: AsyncPage) -> None:
    """`recorded` shows an empty page: the icon of the last test's page may have been asked for only now."""
    await recorded.navigate("about:blank")
    forget_requests(service, recorded)

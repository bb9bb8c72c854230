"""What tests of requests share."""

from __future__ import annotations

import pytest

from perception.client import AsyncPage
from perception.server.app import Service
from tests.support.network_app import forget_requests


@pytest.fixture
async def emptied(service: Service, recorded: AsyncPage) -> None:
    """`recorded` shows an empty page: the icon of the last test's page may have been asked for only now."""
    await recorded.navigate("about:blank")
    forget_requests(service, recorded)

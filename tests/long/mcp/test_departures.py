"""A client over HTTP that goes in the middle of a request: its connection is closed unless it comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from perception.bench.suites.fuzz.clients_cut import cut_client
from perception.server.app import Service
from perception.server.settings import Settings
from tests.long.mcp.conftest import http_server
from tests.support.lent_browser import borrowing

pytestmark = pytest.mark.usefixtures("kept_contexts")

MOST_SESSIONS = 2


async def test_clients_that_were_cut_make_room_for_others(service: Service, site: str, tmp_path: Path) -> None:
    address = f"unix:{tmp_path / 'socket'}"
    settings = Settings(address=address, allow_hosts=("127.0.0.1",), max_sessions=MOST_SESSIONS, data_dir=tmp_path)
    async with borrowing(service, settings), http_server("--http", "127.0.0.1:0", "--address", address) as (url, _):
        for _ in range(MOST_SESSIONS + 2):
            await cut_client(url, f"{site}/form.html")  # raises where there are too many sessions

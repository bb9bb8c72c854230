"""A service whose data folder cannot be written: what needs none works, and the rest says why it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from perception.client import AsyncSubroutines, RemoteError, aconnect
from perception.server.app import Service
from perception.server.settings import Settings
from tests.support.lent_browser import borrowing


async def test_what_cannot_be_kept_is_refused_for_the_data_folder(service: Service, tmp_path: Path, site: str) -> None:
    data = tmp_path / "data"
    data.write_text("a file")
    settings = Settings(address=f"unix:{tmp_path / 's'}", data_dir=data, allow_hosts=("127.0.0.1",))
    async with (
        borrowing(service, settings),
        await aconnect(settings.address, timeout_s=30) as client,
        await client.open(f"{site}/form.html") as page,
    ):
        subroutines = AsyncSubroutines(client)
        recording_id = await subroutines.start(page)
        for call in (
            lambda: client.open(profile="work"),
            lambda: page.start_video(),
            lambda: subroutines.stop(page, recording_id),
        ):
            with pytest.raises(RemoteError) as caught:
                await call()
            assert (caught.value.reason, str(tmp_path) in str(caught.value)) == ("DATA_FOLDER", False)
        assert (await page.snapshot(mode="text")).title == "Form"

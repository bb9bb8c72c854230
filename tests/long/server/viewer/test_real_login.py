"""A person logs in to a real application for an agent, and gives control back: Django's admin, from its packages."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest
from playwright.async_api import expect

from perception.bench.suites.subroutines.apps import load_app
from perception.bench.suites.subroutines.apps.app import App
from perception.bench.suites.subroutines.apps.django_admin import PASSWORD
from perception.bench.suites.subroutines.apps.installing import install
from perception.paths import home_folder
from tests.long.server.viewer.conftest import Open, Watched
from tests.long.server.viewer.test_live import wait_for_picture
from tests.long.server.viewer.test_takeover import Person


@pytest.fixture
async def django(tmp_path: Path) -> AsyncIterator[App]:
    kind = load_app("django")
    folders, failed = await asyncio.to_thread(install, [kind.packages], home_folder(), print)
    if failed:
        pytest.skip(f"Django could not be installed: {failed[kind.packages]}")
    os.chmod(tmp_path, 0o755)
    app = kind(folders[kind.packages], tmp_path)
    with app.serving():
        yield app


async def test_a_person_logs_in_for_an_agent_which_learns_no_password(
    watched: Watched, open_viewer: Open, django: App
) -> None:
    async with await (await watched.client("ana")).open(f"{django.origin}/admin/login/?next=/admin/") as page:
        seen = await page.snapshot(mode="text")
        boxes = {each.name: each.box for each in seen.elements}
        viewer = await open_viewer(f"sessions/{page.session_id}")
        await wait_for_picture(viewer)
        asking = asyncio.create_task(page.request_human("Log in as admin, please", timeout_s=120))
        await expect(viewer.get_by_role("alert")).to_contain_text("Log in as admin, please")
        person = Person(viewer, watched.page_of(page))
        await person.take_over()
        for name, text in (("Username:", "admin"), ("Password:", PASSWORD)):
            box = boxes[name]
            await person.click(box.x + box.width / 2, box.y + box.height / 2)
            await viewer.keyboard.type(text)
            await expect(person.page.get_by_label(name)).to_have_value(text)
        await viewer.keyboard.press("Enter")
        await expect(viewer.get_by_role("heading", level=1)).to_contain_text("Site administration")
        await viewer.get_by_label("Note for the agent").fill("You are in")
        await person.done()
        answer = await asking
        assert "You are in" in answer.note
        after = await page.snapshot(mode="text")
        assert "Site administration" in after.title
        texts = [answer.text, after.text, *after.notes]
        async with aclosing(page.watch_calls()) as watching:
            async for call in watching:
                details = await page.get_call(call.number)
                texts += [call.what, details.text, details.request_json]
                if call.by_person or len(texts) > 60:
                    break
        assert any("person" in text for text in texts)
        assert PASSWORD not in "".join(texts)
        assert any(each.name.lower() == "log out" for each in after.elements)

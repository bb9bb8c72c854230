"""What a script written by hand may ask of the page: elements by pattern, by text alone, and whether one is there."""

from __future__ import annotations

import pytest

from perception.server.app import Service
from perception.v1 import subroutine_service_pb2 as pb
from tests.long.server.test_subroutine_replays import (
    NOTES,
    Replays,
    app,
    page,
    record_note,
    recordings,
    replays,
    served,
)

__all__ = ["app", "page", "recordings", "replays", "served"]


@pytest.fixture
async def made(replays: Replays) -> pb.Subroutine:
    async def record() -> str:
        return (await record_note(replays)).recording_id

    recording_id = await replays.recorded("note", record)
    replays.app.pages["/notes"] = NOTES
    await replays.page.navigate(f"{replays.app.url}/notes")
    return await replays.create(recording_id)


def rewrite(service: Service, made: pb.Subroutine, body: str) -> None:
    folder = service.context.settings.data_dir
    assert folder is not None
    (folder / "subroutines" / made.subroutine_id / "body.js").write_text(body)


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("{ role: 'button', name: /^sa.e$/i }", id="pattern"),
        pytest.param("{ text: 'Save' }", id="text"),
        pytest.param("{ text: /SAVE/i }", id="text-pattern"),
    ],
)
async def test_button_is_found_by_a_pattern_or_by_its_text_alone(
    replays: Replays, service: Service, made: pb.Subroutine, target: str
) -> None:
    rewrite(
        service,
        made,
        f"""async ({{ find, click, waitForRequest }}, params) => {{
          await click(find({target}));
          await waitForRequest({{ method: 'POST', path: '/save' }});
          return 'done';
        }}""",
    )
    done = await replays.run(made, note="x")
    assert done.success, done.error
    assert (done.data.string_value, len(replays.app.bodies)) == ("done", 1)
    assert done.steps[0].description.startswith("click ")


async def test_find_gives_null_for_what_is_not_there(replays: Replays, service: Service, made: pb.Subroutine) -> None:
    rewrite(
        service,
        made,
        """async ({ find, click, waitForRequest }, params) => {
          const banner = await find({ role: 'button', name: /accept/i });
          const save = await find({ text: 'Save' });
          if (banner !== null) await click(banner);
          if (save !== null) await click(save);
          await waitForRequest({ method: 'POST', path: '/save' });
          return [banner === null, save === null];
        }""",
    )
    done = await replays.run(made, note="x")
    assert done.success, done.error
    assert [each.bool_value for each in done.data.list_value.values] == [True, False]
    assert [each.description.split(" ")[0] for each in done.steps] == ["look", "look", "click", "wait"]


async def test_pattern_that_is_none_is_the_scripts_error(
    replays: Replays, service: Service, made: pb.Subroutine
) -> None:
    target = "{ role: 'button', name: { pattern: '(', flags: '' } }"
    rewrite(service, made, f"async ({{ find, click }}, params) => click(find({target}))")
    done = await replays.run(made, note="x")
    assert (done.success, done.reason, done.sent) == (False, "SUBROUTINE_BROKEN", False)


async def test_requests_that_only_read_are_listed_on_demand(
    replays: Replays, service: Service, made: pb.Subroutine
) -> None:
    replays.app.pages["/notes"] = NOTES.replace("<script>", "<script>fetch('/list');")
    replays.app.pages["/list"] = "[]"
    body = "async ({ goto, find, click }) => { await goto('/notes'); await click(find({ text: 'Save' })); }"
    rewrite(service, made, body)
    listed = {}
    for is_all in (False, True):
        done = await replays.tools.run(replays.page, made.subroutine_id, {"note": "x"}, all_requests=is_all)
        listed[is_all] = {f"{each.method} {each.url.removeprefix(replays.app.url)}" for each in done.requests}
    assert listed[False] == {"GET /notes", "POST /save"}
    assert listed[True] == {"GET /notes", "GET /list", "POST /save"}

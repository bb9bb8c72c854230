"""Fields that nobody entered anything in: a replay sends them as the page shows them then."""

from __future__ import annotations

from typing import Any

import pytest

from perception.v1 import subroutine_service_pb2 as pb
from tests.long.server.test_subroutine_replays import Replays, app, page, recordings, replays, served

__all__ = ["app", "page", "recordings", "replays", "served"]


async def record_name(replays: Replays, html: str, plan: str = "", title: str = "Ann") -> pb.Subroutine:
    recording_id = await replays.start("/person", html)
    await replays.page.type_text("[name=title]", title, skip_diff=True)
    await replays.page.click("#save", skip_diff=True)
    await replays.tools.stop(replays.page, recording_id)
    replays.app.received.clear()
    return await replays.create(recording_id, plan=plan)


async def run_on(replays: Replays, made: pb.Subroutine, html: str) -> bytes:
    """The body that a replay sends from a page that has changed since."""
    replays.app.pages["/person"] = html
    done = await replays.run(made, title="Bea")
    assert done.success, done.error
    assert done.fell_back == ""
    (body,) = replays.app.bodies
    return body


def form(country: str, revision: int, boxes: str = "", chosen: str = "") -> str:
    options = "".join(f"<option{' selected' if each == country else ''}>{each}</option>" for each in ("Chile", "Peru"))
    tags = "".join(f"<option{' selected' if each in chosen else ''}>{each}</option>" for each in "xyz")
    checks = "".join(
        f"<input type=checkbox name=box value={each}{' checked' if each in boxes else ''}>" for each in "ab"
    )
    return f"""<!doctype html><title>Person</title><form method=post action="/sent">
    <input type=hidden name=revision value={revision}><label>Title <input name=title></label>
    <select name=country>{options}</select>{checks}<select name=tags multiple>{tags}</select>
    <input type=radio name=size value=S{"" if revision > 1 else " checked"}>
    <input type=radio name=size value=L{" checked" if revision > 1 else ""}>
    <textarea name=text>\n one\ntwo {revision}</textarea><button id=save name=do value=save>Save</button>
    <button name=do value=drop>Drop</button></form>"""


async def test_untouched_fields_of_a_form_are_those_of_the_page(replays: Replays) -> None:
    made = await record_name(replays, form("Chile", 1, "a", "x"))
    assert made.plan == pb.PLAN_KIND_HYBRID, made.plan_reason
    assert await run_on(replays, made, form("Peru", 2, "b", "yz")) == (
        b"revision=2&title=Bea&country=Peru&box=b&tags=y&tags=z&size=L&text=+one%0D%0Atwo+2&do=save"
    )


async def test_checkbox_that_was_set_is_set_and_the_others_are_left(replays: Replays) -> None:
    recording_id = await replays.start("/person", form("Chile", 1))
    await replays.page.type_text("[name=title]", "Ann", skip_diff=True)
    await replays.page.click("[value=b]", skip_diff=True)
    await replays.page.click("#save", skip_diff=True)
    await replays.tools.stop(replays.page, recording_id)
    recorded = replays.app.bodies[-1]
    replays.app.received.clear()
    made = await replays.create(recording_id)
    assert made.plan == pb.PLAN_KIND_HYBRID, made.plan_reason
    body = await run_on(replays, made, form("Chile", 1, "a"))
    assert body == recorded.replace(b"Ann", b"Bea").replace(b"box=b", b"box=a&box=b")


def script(country: str, body: str, method: str = "PUT") -> str:
    """A page whose script sends JSON."""
    return f"""<!doctype html><title>Person</title><label>Title <input name=title></label>
    <input name=country value={country}><input type=hidden id=version value={len(country)}>
    <input type=checkbox name=vip{" checked" if country == "Peru" else ""}><button id=save>Save</button><script>
    const state = {{ city: '{country} City' }};
    const field = (name) => document.querySelector(`[name=${{name}}], #${{name}}`);
    document.querySelector('#save').onclick = () => fetch('/sent', {{ method: '{method}', body: JSON.stringify({body}),
      headers: {{ 'Content-Type': 'application/json' }} }});</script>"""


BODY = """{ action: 'save', title: field('title').value, country: field('country').value,
    version: Number(field('version').value), vip: field('vip').checked }"""


@pytest.mark.parametrize("method", ["PUT", "POST"])
async def test_untouched_fields_of_a_script_are_those_of_the_page(replays: Replays, method: str) -> None:
    made = await record_name(replays, script("Chile", BODY, method))
    assert made.plan == pb.PLAN_KIND_HYBRID, made.plan_reason
    assert await run_on(replays, made, script("Peru", BODY, method)) == (
        b'{"action":"save","title":"Bea","country":"Peru","version":4,"vip":true}'
    )


CHANGED = """{ title: field('title').value.trim().toLowerCase() }"""


def checking(html: str) -> str:
    """The page, which says `Error` and sends nothing where the title has no `@`."""
    return f"""{html}<p role=status></p><script>{{
      const button = document.querySelector('#save'), send = button.onclick;
      button.onclick = (event) => {{
        if (document.querySelector('[name=title]').value.includes('@')) return send?.(event);
        document.querySelector('p').textContent = 'Error: no address';
        return false;
      }}; }}</script>"""


@pytest.mark.parametrize(
    ("title", "body"),
    [("Bea ", b'{"title":"bea"}'), ("red, blue", b'{"title":"red, blue"}'), ("bea", b'{"title":"bea"}')],
)
async def test_value_unlike_the_recorded_one_is_sent_as_the_page_sends_it(
    replays: Replays, title: str, body: bytes
) -> None:
    made = await record_name(replays, script("Chile", CHANGED), title="ann")
    assert made.plan == pb.PLAN_KIND_HYBRID, made.plan_reason
    done = await replays.run(made, title=title)
    assert (done.success, replays.app.bodies) == (True, [body]), done.error
    assert bool(done.fell_back) == (title != "bea")


@pytest.mark.parametrize("html", [script("Chile", BODY, "POST"), form("Chile", 1)], ids=["script", "form"])
async def test_value_that_the_page_refuses_is_not_sent(replays: Replays, html: str) -> None:
    made = await record_name(replays, checking(html), title="ann@x.io")
    assert made.plan == pb.PLAN_KIND_HYBRID, made.plan_reason
    done = await replays.run_in_vain(made, title="nobody")
    assert (done.success, done.reason, replays.app.bodies) == (False, "REFUSED", []), done.error
    assert "Error: no address" in done.error


SCRIPTED: list[Any] = [
    pytest.param(script("Chile", "{ title: field('title').value, city: state.city }"), "city", id="state"),
    pytest.param(
        script("Chile", "{ title: field('title').value, rowVersion: 'a1' }", "POST"), "rowVersion", id="bookkeeping"
    ),
    pytest.param(
        form("Chile", 1).replace("<form ", "<form onsubmit=\"this.revision.value = 'made'\" "), "form", id="on-submit"
    ),
    pytest.param(
        form("Chile", 1).replace("name=title", "name=title oninput=\"this.form.revision.value = 'up'\""),
        "revision",
        id="on-input",
    ),
]


@pytest.mark.parametrize(("html", "field"), SCRIPTED)
async def test_field_that_only_scripts_have_is_left_to_the_page(replays: Replays, html: str, field: str) -> None:
    made = await record_name(replays, html)
    assert (made.plan, field in made.plan_reason) == (pb.PLAN_KIND_DOM, True), made.plan_reason

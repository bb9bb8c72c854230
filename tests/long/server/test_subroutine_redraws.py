"""Replays on a page that draws its form again whenever a field has changed: what is acted on is what the page shows."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import pytest

from perception.client import AsyncPage
from tests.long.server.test_subroutine_replays import Replays, app, page, recordings, replays, served

__all__ = ["app", "page", "recordings", "replays", "served"]

FORM = """<!doctype html><title>Person</title><div id=root></div><script>
const held = { name: '', note: '', plan: 'Free', news: false, from: '', born: '' };
const root = document.querySelector('#root');
function draw() {
  root.innerHTML = `<label>Name <input id=name></label> <label>Note <input id=note></label>
    <label>Plan <select id=plan><option>Free<option>Pro<option>Team</select></label>
    <label><input type=checkbox id=news> Newsletter</label> <label>Born <input type=date id=born></label>
    <label>From <select id=from size=3><option>Chile<option>Peru<option>Cuba</select></label>
    <button>Create</button>`;
  for (const [key, value] of Object.entries(held)) {
    const field = document.querySelector(`#${key}`);
    if (key === 'news') field.checked = value; else field.value = value;
    field.onchange = () => { held[key] = key === 'news' ? field.checked : field.value; draw(); FOCUS };
  }
  document.querySelector('button').onclick = () => fetch('/sent', { method: 'POST',
    headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(held) });
}
draw();</script>"""

STEPS: dict[str, tuple[Callable[[AsyncPage], Awaitable[object]], dict[str, str], dict[str, object]]] = {
    "click": (lambda page: page.press("Tab", skip_diff=True), {}, {}),
    "select": (lambda page: page.select("#plan", "Pro", skip_diff=True), {"plan": "Team"}, {"plan": "Team"}),
    "listbox": (lambda page: page.select("#from", "Peru", skip_diff=True), {"from": "Cuba"}, {"from": "Cuba"}),
    "check": (lambda page: page.click("#news", skip_diff=True), {}, {"news": True}),
    "type": (lambda page: page.type_text("#note", "n0", skip_diff=True), {"note": "n1"}, {"note": "n1"}),
    "date": (
        lambda page: page.type_text("#born", "2001-02-03", skip_diff=True),
        {"born": "2004-05-06"},
        {"born": "2004-05-06"},
    ),
}


@pytest.mark.parametrize("focus", ["", "document.querySelector('#name').focus()"], ids=["", "focused-first"])
@pytest.mark.parametrize("step", STEPS)
async def test_field_drawn_again_as_the_last_one_is_left_takes_the_step(
    replays: Replays, step: str, focus: str
) -> None:
    act, given, expected = STEPS[step]
    recording_id = await replays.start("/person", FORM.replace("FOCUS", focus))
    await replays.page.type_text("#name", "Bob", skip_diff=True)
    await replays.page.press("Tab", skip_diff=True)
    await act(replays.page)
    await replays.page.press("Tab", skip_diff=True)
    await replays.page.click("button", skip_diff=True)
    await replays.tools.stop(replays.page, recording_id)
    made = await replays.create(recording_id, plan="dom")
    replays.app.received.clear()
    done = await replays.run(made, name="Eve", **given)
    assert done.success, done.error
    (body,) = replays.app.bodies
    untouched = {"name": "Eve", "note": "", "plan": "Free", "news": False, "from": "", "born": ""}
    assert json.loads(body) == untouched | expected

"""What a page once received is not sent back: another user's edit between the recording and a run stays."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

import pytest

from perception.v1 import subroutine_service_pb2 as pb
from tests.long.server.test_subroutine_replays import Replays, app, page, recordings, replays, served, without_boundary

__all__ = ["app", "page", "recordings", "replays", "served"]

USER = {"id": 7, "country": "Chile", "active": True, "tags": [], "home": {"city": "Lima", "floor": 2}}
EDITED = {"id": 7, "country": "Peru", "active": False, "tags": ["vip"], "home": {"city": "Cusco", "floor": 3}}

HEAD = "<!doctype html><title>User</title><label>Mail <input id=mail></label><button>Save</button>"

SEND = """const mail = () => document.querySelector('#mail').value;
let loaded = null;
const on = (act) => document.querySelector('button').addEventListener('click', () => loaded ? loaded.then(act) : act());
const send = (body, type = 'application/json') =>
  fetch('/sent', { method: 'POST', headers: { 'Content-Type': type }, body });
"""


def user_page(script: str, before: str = "") -> str:
    return f"{HEAD}{before}<script>{SEND}{script}</script>"


FETCHED = "let user; loaded = fetch('/api/users/7').then(async (answer) => { user = await answer.json(); });"

ROUND_TRIPS: list[Any] = [
    pytest.param(user_page(FETCHED + "on(() => send(JSON.stringify({ ...user, mail: mail() })));"), id="spread"),
    pytest.param(
        user_page(FETCHED + "on(() => { user.mail = mail(); send(JSON.stringify(user)); });"), id="changed-in-place"
    ),
    pytest.param(
        user_page(
            FETCHED + "on(() => send(JSON.stringify({ mail: mail(), id: user.id, country: user.country,"
            " active: user.active, tags: user.tags, home: user.home })));"
        ),
        id="key-by-key",
    ),
    pytest.param(
        user_page(
            FETCHED + "const empty = () => JSON.stringify({ mail: mail(), id: 7, country: 'Chile', active: true,"
            " tags: [], home: { city: 'Lima', floor: 2 } }); on(() => send(user ? JSON.stringify({ ...user,"
            " mail: mail() }) : empty()));"
        ),
        id="literal-and-received",
    ),
    pytest.param(
        user_page(
            "const user = JSON.parse(document.querySelector('#state').text);"
            "on(() => send(JSON.stringify({ ...user, mail: mail() })));",
            "<script type='application/json' id=state>STATE</script>",
        ),
        id="json-in-the-document",
    ),
    pytest.param(
        user_page("const user = STATE; on(() => send(JSON.stringify({ ...user, mail: mail() })));"),
        id="script-of-a-document",
    ),
    pytest.param(
        user_page(
            "document.addEventListener('DOMContentLoaded', () => { const user = STATE;"
            "on(() => { user.mail = mail(); send(JSON.stringify(user)); }); });"
        ),
        id="state-in-a-function",
    ),
    pytest.param(
        user_page(
            "const user = JSON.parse(document.body.dataset.user || document.querySelector('#u').dataset.user);"
            "on(() => send(JSON.stringify(Object.assign({}, user, { mail: mail() }))));",
            "<div id=u data-user='STATE'></div>",
        ),
        id="data-attribute",
    ),
    pytest.param(
        user_page(
            FETCHED + "on(() => send(JSON.stringify({ operationName: 'Save', query: 'mutation Save($user: U!)"
            " { save(user: $user) }', variables: { user: { ...user, mail: mail() } } })));"
        ),
        id="graphql",
    ),
    pytest.param(
        user_page(
            FETCHED + "on(() => send(new URLSearchParams({ mail: mail(), country: user.country, active: user.active,"
            " city: user.home.city }), 'application/x-www-form-urlencoded'));"
        ),
        id="urlencoded",
    ),
    pytest.param(
        user_page(
            FETCHED + "const all = { 2: { country: 'Chile', active: true, city: 'Lima' }, 3: { country: 'Peru',"
            " active: false, city: 'Cusco' } }; on(() => send(JSON.stringify({ mail: mail(),"
            " ...all[user.home.floor] })));"
        ),
        id="looked-up",
    ),
]


def show(replays: Replays, html: str, user: dict[str, Any]) -> str:
    """The page as it is while the application has that user."""
    replays.app.data["/api/users/7"] = json.dumps(user)
    return html.replace("STATE", json.dumps(user))


async def record_mail(replays: Replays, html: str) -> pb.Subroutine:
    recording_id = await replays.start("/users/7", html)
    await replays.page.type_text("#mail", "Ann", skip_diff=True)
    await replays.page.click("button", skip_diff=True)
    await replays.tools.stop(replays.page, recording_id)
    return await replays.create(recording_id)


def leaves(body: bytes) -> dict[str, Any]:
    """The fields of a user in a body, wherever they stand."""
    if not body.startswith(b"{"):
        return dict(parse_qsl(body.decode()))
    sent = json.loads(body)
    user = sent.get("variables", {}).get("user", sent)
    return {**user, **user.get("home", {})}


@pytest.mark.parametrize("html", ROUND_TRIPS)
async def test_what_another_user_changed_stays(replays: Replays, html: str) -> None:
    made = await record_mail(replays, show(replays, html, USER))
    assert (made.plan, "is a value that" in made.plan_reason) == (pb.PLAN_KIND_DOM, True), made.plan_reason
    replays.app.pages["/users/7"] = show(replays, html, EDITED)
    done = await replays.run(made, url="/users/7", mail="Bob")
    assert done.success, done.error
    recorded, replayed = map(leaves, replays.app.bodies)
    assert (recorded["country"], recorded["city"], str(recorded["active"]).lower()) == ("Chile", "Lima", "true")
    assert (replayed["country"], replayed["city"], str(replayed["active"]).lower()) == ("Peru", "Cusco", "false")
    assert replayed["mail"] == "Bob"


def external(script: str) -> tuple[str, str]:
    """A page with a script of its own address."""
    return f"{HEAD}<script src=/app.js></script>", SEND + script


CONSTANTS: list[Any] = [
    pytest.param(
        (user_page("on(() => send(JSON.stringify({ kind: 'task', on: true, tags: [], mail: mail() })));"), ""),
        id="inline",
    ),
    pytest.param(
        external('on(()=>send(JSON.stringify({kind:"caf\\u00e9 \\ud83d\\ude00",on:!0,x:void 0,n:-1,mail:mail()})))'),
        id="minified",
    ),
    pytest.param(
        external(
            "const KIND = 'task'; on(() => send(JSON.stringify({ kind: KIND, meta: { by: 'web' }, mail: mail() })));"
        ),
        id="named",
    ),
    pytest.param(
        (
            user_page(
                "on(() => send(`kind=task&mail=${encodeURIComponent(mail())}`, 'application/x-www-form-urlencoded'));"
            ),
            "",
        ),
        id="query",
    ),
    pytest.param(
        (
            user_page(
                "on(() => { const form = new FormData(); form.append('kind', 'task'); form.append('mail', mail());"
                " fetch('/sent', { method: 'POST', body: form }); });"
            ),
            "",
        ),
        id="form-data",
    ),
    pytest.param(
        external(
            "const QUERY = `\n  mutation Add($mail: String!) {\n    add(mail: $mail)\n  }`;\n"
            "on(() => send(JSON.stringify({ operationName: 'Add', query: QUERY, variables: { mail: mail() } })));"
        ),
        id="graphql",
    ),
]

CONSTANTS += [
    pytest.param(
        (
            user_page(
                "on(() => document.head.append(Object.assign(document.createElement('script'), { src: '/app.js' })));"
                "setInterval(() => { debugger; }, 1);"
            ),
            "send(JSON.stringify({ kind: 'task', mail: mail() }));",
        ),
        id="loaded-later",
    )
]


@pytest.mark.parametrize("files", CONSTANTS)
async def test_constant_of_the_scripts_is_sent_again(replays: Replays, files: tuple[str, str]) -> None:
    html, replays.app.pages["/app.js"] = files
    recording_id = await replays.start("/new", html)
    await replays.page.type_text("#mail", "Ann", skip_diff=True)
    await replays.page.click("button", skip_diff=True)
    await replays.tools.stop(replays.page, recording_id)
    made = await replays.create(recording_id)
    assert made.plan == pb.PLAN_KIND_HYBRID, made.plan_reason
    done = await replays.run(made, mail="Bob")
    assert (done.success, done.fell_back) == (True, ""), done.error
    recorded, replayed = (without_boundary(*each[1:]) for each in replays.app.received)
    assert replayed == recorded.replace(b"Ann", b"Bob")

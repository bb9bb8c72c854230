"""Replays on another object than the recorded one: by its address, by a link, by the row that a control stands in."""

from __future__ import annotations

from typing import Any

import pytest

from perception.client import RemoteError
from perception.client.plain_values import tool_of
from perception.v1 import subroutine_service_pb2 as pb
from tests.long.server.test_subroutine_replays import Replays, app, page, recordings, replays, served

__all__ = ["app", "page", "recordings", "replays", "served"]

PLANS = ["dom", ""]


def ticket(number: int) -> str:
    return f"""<!doctype html><title>Ticket {number}</title><h1>Ticket {number}</h1>
    <form method=post action="/tickets/{number}/comments"><label>Comment <textarea name=text></textarea></label>
    <button>Send</button></form>"""


def add_tickets(replays: Replays) -> None:
    replays.app.pages |= {f"/tickets/{number}": ticket(number) for number in (7, 8, 9)}


async def record_comment(replays: Replays, number: int) -> str:
    async def record() -> str:
        recording_id = await replays.start(f"/tickets/{number}", ticket(number))
        await replays.page.type_text("[name=text]", f"about {number}", skip_diff=True)
        await replays.page.click("button", skip_diff=True)
        await replays.tools.stop(replays.page, recording_id)
        return recording_id

    return await replays.recorded(f"ticket {number}", record)


def properties(made: pb.Subroutine) -> dict[str, Any]:
    found: dict[str, Any] = tool_of(made)["parameters"]["properties"]
    return found


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("numbers", [(7,), (7, 8)])
async def test_comment_goes_to_the_ticket_that_is_given(replays: Replays, plan: str, numbers: tuple[int, ...]) -> None:
    add_tickets(replays)
    recorded = [await record_comment(replays, number) for number in numbers]
    made = await replays.create(*recorded, plan=plan)
    assert made.plan == (pb.PLAN_KIND_DOM if plan else pb.PLAN_KIND_HYBRID)
    assert properties(made)["url"]["examples"] == [f"{replays.app.url}/tickets/7"]
    done = await replays.run(made, url=f"{replays.app.url}/tickets/9", comment="about 9")
    assert done.success, done.error
    assert [(path, body) for path, _, body in replays.app.received] == [("/tickets/9/comments", b"text=about+9")]


@pytest.mark.parametrize("plan", PLANS)
async def test_object_that_is_missing_or_of_another_route_is_refused_before_anything_is_sent(
    replays: Replays, plan: str
) -> None:
    add_tickets(replays)
    made = await replays.create(await record_comment(replays, 7), plan=plan)
    replays.app.asked.clear()
    for given in ({}, {"url": "/users/9"}, {"url": "https://other.example/tickets/9"}, {"url": "/tickets/9/edit"}):
        with pytest.raises(RemoteError, match="parameter 'url'"):
            await replays.run(made, comment="y", **given)
    assert replays.app.asked == []


async def create_and_run(replays: Replays, recording_id: str, plan: str, **given: Any) -> pb.Subroutine:
    made = await replays.create(recording_id, plan=plan)
    replays.app.received.clear()
    replays.app.asked.clear()
    done = await replays.run(made, **given)
    assert done.success, done.error
    return made


EXPERIMENT = """<!doctype html><title>Experiments</title><label>Name <input id=name></label><button>Rename</button>
<script>const id = location.hash.split('/').pop();
document.querySelector('button').onclick = () => fetch(`/api/2.0/experiments/${id}`, { method: 'PATCH',
  body: JSON.stringify({ experiment_id: id, name: document.querySelector('#name').value }),
  headers: { 'Content-Type': 'application/json' } });</script>"""


@pytest.mark.parametrize("plan", PLANS)
async def test_experiment_in_a_fragment_is_the_one_in_the_request(replays: Replays, plan: str) -> None:
    async def record() -> str:
        recording_id = await replays.start("/#/experiments/3", EXPERIMENT)
        await replays.page.type_text("#name", "first", skip_diff=True)
        await replays.page.click("button", skip_diff=True)
        await replays.tools.stop(replays.page, recording_id)
        return recording_id

    replays.app.pages["/"] = EXPERIMENT
    stored = await replays.create(await replays.recorded("experiment", record), plan=plan)
    assert stored.plan == (pb.PLAN_KIND_DOM if plan else pb.PLAN_KIND_HYBRID)
    name = next(each for each in properties(stored) if each != "url")
    done = await replays.run(stored, url="/#/experiments/5", **{name: "second"})
    assert done.success, done.error
    assert [(path, body) for path, _, body in replays.app.received] == [
        ("/api/2.0/experiments/5", b'{"experiment_id":"5","name":"second"}')
    ]


START = "<!doctype html><title>Start</title><button>Open</button>"
ROW = """<!doctype html><title>Row</title><form method=post action="/rows?table=orders&id=%s">
<label>Note <input name=note></label><button>Save</button></form>"""


@pytest.mark.parametrize("plan", PLANS)
async def test_row_that_is_opened_by_its_address_in_between_is_a_parameter(replays: Replays, plan: str) -> None:
    async def record() -> str:
        recording_id = await replays.start("/", START)
        await replays.page.click("button", skip_diff=True)
        replays.app.pages["/row"] = ROW % 12
        await replays.page.navigate(f"{replays.app.url}/row?id=12")
        await replays.page.type_text("[name=note]", "one", skip_diff=True)
        await replays.page.click("button", skip_diff=True)
        await replays.tools.stop(replays.page, recording_id)
        return recording_id

    recording_id = await replays.recorded("row", record)
    replays.app.pages |= {"/": START, "/row": ROW % 40}
    made = await create_and_run(replays, recording_id, plan, id="40", note="two")
    assert list(properties(made)) == ["id", "note"]
    asked = [each for each in replays.app.asked if "id=" in each]
    assert set(asked) <= {"GET /row?id=40", "POST /rows?table=orders&id=40"}
    assert "POST /rows?table=orders&id=40" in asked


def links(count: int) -> str:
    rows = "".join(
        f"<tr><td>{index}</td><td>User {index}</td><td><a href='/users/{index}/edit'>edit</a></td></tr>"
        for index in range(1, count + 1)
    )
    return f"""<!doctype html><title>Users</title><table><thead><tr><th>#</th><th>User</th><th>What</th></tr></thead>
    <tbody>{rows}</tbody></table>"""


def user(number: int) -> str:
    return f"""<!doctype html><title>User {number}</title><form method=post action="/users/{number}">
    <label>Mail <input name=mail></label><button>Save</button></form>"""


async def test_link_of_one_of_many_rows_is_found_by_the_row_that_is_given(replays: Replays) -> None:
    replays.app.pages |= {f"/users/{number}/edit": user(number) for number in range(1, 20)}
    recording_id = await replays.start("/users", links(13))
    await replays.page.click("tr:nth-child(5) a", skip_diff=True)
    await replays.page.type_text("[name=mail]", "a@b.org", skip_diff=True)
    await replays.page.click("button", skip_diff=True)
    await replays.tools.stop(replays.page, recording_id)
    made = await create_and_run(replays, recording_id, "", user="User 11", mail="c@d.org")
    assert (made.plan, list(properties(made))) == (pb.PLAN_KIND_DOM, ["user", "mail"])
    assert properties(made)["user"]["examples"] == ["User 5"]
    assert [path for path, _, _ in replays.app.received] == ["/users/11"]
    gone = await replays.run(made, user="User 1", mail="x")
    assert gone.success, gone.error
    missing = await replays.run_in_vain(made, user="User 14", mail="x")
    assert (missing.success, missing.reason, missing.sent) == (False, "DRIFT", False)
    assert [path for path, _, _ in replays.app.received] == ["/users/11", "/users/1"]
    with pytest.raises(RemoteError, match="parameter 'user' is missing"):
        await replays.run(made, mail="x")


TASKS = """<!doctype html><title>Tasks</title><ul>%s</ul><script>
document.querySelectorAll('button').forEach((each) => each.onclick = () => fetch('/sent', { method: 'POST',
  body: each.closest('li').querySelector('span').textContent }));</script>"""


def tasks(*names: str, label: str = "Delete") -> str:
    return TASKS % "".join(
        f"<li><span>{each}</span> <button>{label.replace('*', each)}</button></li>" for each in names
    )


@pytest.mark.parametrize("label", ["Delete", "Delete *"])
async def test_button_of_a_list_item_acts_on_the_item_that_is_given(replays: Replays, label: str) -> None:
    recording_id = await replays.start("/tasks", tasks("Milk", "Bread", label=label))
    await replays.page.click("li:nth-child(2) button", skip_diff=True)
    replays.app.pages["/tasks"] = tasks("Bread", "Eggs", "Milk", label=label)
    await replays.tools.stop(replays.page, recording_id)
    made = await create_and_run(replays, recording_id, "dom", row="Eggs")
    assert replays.app.bodies == [b"Eggs"]
    replays.app.pages["/tasks"] = tasks("Eggs", "Eggs", label=label)
    twice = await replays.run_in_vain(made, row="Eggs")
    assert (twice.success, twice.reason, twice.sent) == (False, "DRIFT", False)


async def test_link_that_only_its_address_tells_from_others_is_found_by_it(replays: Replays) -> None:
    replays.app.pages |= {f"/users/{number}/edit": user(number) for number in range(1, 5)}
    html = "<!doctype html><title>Users</title>%s"
    recording_id = await replays.start(
        "/list", html % "".join(f"<a href=/users/{each}/edit>edit</a> " for each in "123")
    )
    await replays.page.click("a:nth-of-type(2)", skip_diff=True)
    await replays.page.type_text("[name=mail]", "a@b.org", skip_diff=True)
    await replays.page.click("button", skip_diff=True)
    replays.app.pages["/list"] = html % "".join(f"<a href=/users/{each}/edit>edit</a> " for each in "413")
    await replays.tools.stop(replays.page, recording_id)
    made = await create_and_run(replays, recording_id, "dom", user_id="3", mail="c@d.org")
    assert list(properties(made)) == ["user_id", "mail"]
    assert [path for path, _, _ in replays.app.received] == ["/users/3"]
    missing = await replays.run_in_vain(made, user_id="2", mail="x")
    assert (missing.success, missing.reason, missing.sent) == (False, "DRIFT", False)


FIELDS = "<form method=post action=/in><input name=user><br><input name=secret><br><button>Sign in</button></form>"
LAYOUTS = {
    "one row": f"<table><tr><td><h1>Lite</h1> <span>v1.9</span></td><td>{FIELDS}</td></tr></table>",
    "boxes": f"<div>Lite</div><div><div>v1.9</div><div><p>Welcome</p>{FIELDS}</div></div>",
    "beside a search": f"""<table><tr><td><p>Search<br><input name=q></p><p>Login<br>{FIELDS}</p></td><td>News</td></tr>
    <tr><td>About</td><td>2026</td></tr></table>""",
}


async def record_field(replays: Replays, what: str, page: str, field: str = "[name=user]") -> pb.Subroutine:
    async def record() -> str:
        recording_id = await replays.start("/layout", f"<!doctype html><title>Layout</title>{page}")
        await replays.page.type_text(field, "ann", skip_diff=True)
        await replays.page.click("text=Sign in", skip_diff=True)
        await replays.tools.stop(replays.page, recording_id)
        return recording_id

    return await replays.create(await replays.recorded(f"layout {what}", record), plan="dom")


@pytest.mark.parametrize("what", LAYOUTS)
async def test_a_box_that_only_places_a_form_is_no_row(replays: Replays, what: str) -> None:
    assert set(properties(await record_field(replays, what, LAYOUTS[what]))) == {"user"}


async def test_one_of_alike_fields_without_titles_is_told_by_its_row(replays: Replays) -> None:
    rows = "".join(f"<tr><td>{name}<td><input name=user[{name}]>" for name in ("Bolt", "Nut"))
    page = f"<form method=post action=/in><table>{rows}</table><button>Sign in</button></form>"
    made = properties(await record_field(replays, "rows", page, "[name='user[Bolt]']"))
    assert made["row"]["examples"] == ["Bolt"]

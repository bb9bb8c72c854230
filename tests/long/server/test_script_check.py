"""UpdateSubroutine over real gRPC: which changed scripts are kept, and why others are not."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import nullcontext
from unittest.mock import patch

import pytest

from perception.client import AsyncClient, RemoteError
from perception.client._async.subroutines import AsyncSubroutines
from perception.deadline import Deadline
from perception.server.app import Service
from perception.server.subroutines import script_checker
from perception.server.subroutines.script_checker import DRY_RUN_SECONDS
from perception.server.subroutines.subroutine_store import SubroutineStore
from perception.subroutines.create import create_subroutine
from perception.subroutines.recording import Recording
from perception.subroutines.stored import Stored
from perception.v1 import subroutine_service_pb2 as pb
from tests.long.server.test_subroutines import Tools, app, page, recorded, tools
from tests.unit.subroutines.made import event, recording, typed

__all__ = ["app", "page", "recorded", "tools"]


HONEST = """// Adds a note.
async ({
  find, goto, click, type, select, waitFor, waitForRequest, request, getCsrfToken, confirm, networkOrDom: either,
}, params) => {
  const kinds = { Note: "n", Task: "t" };
  const page = "/rest";
  const expected = { keys: ["id", "csrf", "nonce"] };

  const bySending = async () => {
    await goto(page);
    const nonce = await getCsrfToken({ input: "nonce" });
    const csrf = await getCsrfToken({ meta: "csrf-token" });
    const note = { title: `${params.headline}`, text: String(params.text), kind: kinds[params.kind], nonce };
    const made = await request("POST", "/api/notes", {
      headers: { "x-csrf-token": csrf }, json: note, expect: { status: 201, answer: expected },
    });
    return { note: made.id };
  };

  const fields = [["Title", "#title", "headline"], ["Text", "#text", "text"]];
  const byHand = async () => {
    await goto(page);
    for (const [name, selector, parameter] of fields) {
      await type(find({ role: "textbox", name, selector }), params[parameter], { clear: true });
    }
    await select(find({ role: "combobox", name: "Kind", selector: 'select[name="kind"]' }), params.kind);
    await waitFor(find({ role: "button", name: "Save" }));
    await click(find({ role: "button", name: "Save", selector: "#save", text: "Save" }));
    const { id } = await waitForRequest({ method: "POST", path: "/api/notes", status: 201, answer: expected });
    await confirm({ appears: [{ role: "text", name: "{headline}" }], filled: true });
    return { note: id };
  };

  return either(bySending, byHand);
}
"""


async def test_honest_change_is_kept_and_runs_on_the_page(tools: Tools, client: AsyncClient, service: Service) -> None:
    made = await tools.create((await tools.recorded("/rest", "Task")).recording_id)
    subroutines = AsyncSubroutines(client)
    change = {
        "description": "Adds a note to the list.",
        "rename": {"title": "headline"},
        "parameter_descriptions": {"headline": "What the note is called"},
        "etag": made.etag,
    }
    would = await subroutines.update(made.subroutine_id, HONEST, validate_only=True, **change)  # type: ignore[arg-type]
    assert (await subroutines.get(made.subroutine_id)).body == made.body != would.body
    changed = await subroutines.update(made.subroutine_id, HONEST, **change)  # type: ignore[arg-type]
    assert (changed.body, changed.changed_by_hand, changed.etag) == (HONEST, True, would.etag)
    assert list(changed.parameter_names) == ["headline", "text", "kind"]
    assert changed.parameters_schema["properties"]["headline"]["description"] == "What the note is called"
    assert "{headline}" in " ".join(changed.success_condition)
    assert "First note" in (await subroutines.get(made.subroutine_id)).context

    done = await tools.run(changed, headline="By request", text="x")
    assert (done.success, done.fell_back, list(done.data.struct_value.fields)) == (True, "", ["note"]), done.error
    tools.app.key = "another"
    folder = service.context.settings.data_dir
    assert folder is not None
    file = folder / "subroutines" / made.subroutine_id / "body.js"
    file.write_text(file.read_text().replace('meta: "csrf-token"', 'meta: "moved"'))
    by_hand = await tools.run(changed, headline="By hand", text="x")
    assert (by_hand.success, "moved" in by_hand.fell_back, tools.titles()[-1]) == (True, True, "By hand"), by_hand.error


# What a script does instead, as a replacement in the generated one or as a whole script, and words of the refusal.
REFUSED: dict[str, tuple[str, ...]] = {
    "recorded value in a request": ("title: String(params.title)", 'title: "First note"', "params.title"),
    "recorded value in a field": ("params.text, {", '"Some words", {', "has to be params.text"),
    "parameters swapped": ("title: String(params.title)", "title: String(params.text)", "has to be params.title"),
    "for one value only": ("String(params.text)", 'params.title === "magic" ? "" : String(params.text)', "json.text"),
    "other value for an empty one": ("String(params.text)", "String(params.text || params.title)", "json.text"),
    "value without blanks": ("String(params.text)", "String(params.text).trim()", "json.text"),
    "one argument more": ('selector: "#save" }))', 'selector: "#save" }), { x: 1 })', "has 2 arguments"),
    "hides a refusal": (
        "return request(",
        "const ask = (...all) => request(...all).catch((error) => { if (error.sent) return null; throw error; }); "
        "return ask(",
        "fails after something was sent",
    ),
    "choice that was not recorded": ('Note: "n"', 'Note: "x"', "json.kind"),
    "no confirm": ("await confirm(", "void (", "ends before “confirm the effect”"),
    "sign that any page shows": ('name: "{title}"', 'name: "*"', "not every recording shows"),
    "no wait for the answer": ("await waitForRequest({", "({", "where the recording has “wait for the answer"),
    "another status is expected": ("status: 201", "status: 200", "expect.status"),
    "fetch": ("return answer;", 'await fetch("https://evil.example/");', "`fetch` at line"),
    "other origin": ("`/api/notes`", '"https://evil.example/"', "has to be"),
    "sends twice": (
        "return answer;",
        'await request("POST", "/api/notes", {}); return answer;',
        "“send POST /api/notes”",
    ),
    "sends again after an error": (
        "return request(",
        "const send = (...all) => request(...all).catch(() => request(...all)); return send(",
        "fails",
    ),
    "hides an error": (
        "return request(",
        "const ask = (...all) => request(...all).catch(() => null); return ask(",
        "fails",
    ),
    "no fallback": ("return networkOrDom(async", "return (async (one, other) => one())(async", "fails"),
    "one click more": (
        "const answer =",
        'await click(find({ role: "button", name: "Save" })); const answer =',
        "“click",
    ),
    "another element": ('name: "Save", selector', 'name: "Delete", selector', "has to have 'Save'"),
    "any element of a name": (
        '{ role: "button", name: "Save", selector: "#save" }',
        "{ name: /save/i }",
        "has lost `role`",
    ),
    "fact that was not recorded": (
        'selector: "#save"',
        'selector: "#save", frame: "/pay"',
        "did not have in the recording",
    ),
    "waits for what was not there": (
        "const answer =",
        'await waitFor(find({ text: "Hi" })); const answer =',
        "never shows",
        "waitFor",
    ),
    "other branch by what is there": (
        "const answer =",
        'if (!(await find({ role: "button", name: "Save" }))) await click(find({ role: "link" })); const answer =',
        "does what was not recorded where",
    ),
    "reads a cookie": (
        "return answer;",
        'return { got: await getCookie("session") };',
        "read the cookie session",
        "getCookie",
    ),
    "token of the recording": ("nonce: token1", 'nonce: "abc"', "json.nonce"),
    "endless loop": ("return answer;", "for (;;);", "does not end by itself"),
    "endless promises": ("return answer;", "for (;;) await null;", "does not end by itself"),
    "endless calls": ("return answer;", 'for (;;) await goto("/rest");', "“go to /rest”"),
    "code of a text": ("return answer;", 'click.constructor.constructor("return fetch")()', "`constructor` at line"),
    "code of a hidden name": ("return answer;", 'click["con" + "structor"]("return 1")()', "is not a function"),
    "changed built-in": (
        "return answer;",
        "Object.assign(Object.getPrototypeOf([]), { push: 1 });",
        "Cannot assign to read only",
    ),
    "this": ("return answer;", "return this;", "`this` at line"),
    "import": ("return answer;", 'await import("data:,");', "`import` at line"),
    "unknown call": ("networkOrDom }", "networkOrDom, waitForIdle }", "`waitForIdle` at line"),
    "prose": ("*", "Here is your script: it adds a note.", "not valid JavaScript"),
    "two statements": ("*", "const x = 1;\nasync ({ goto }) => {}", "not one async function"),
    "way out of the function": ("*", "async ({ goto }) => {}))(), fetch('/'), ((", "not valid JavaScript"),
}


NEVER_END = ("endless loop", "endless promises")

PATIENT_SECONDS = 30.0
"""For a dry run that ends by itself, on a busy machine too."""


@pytest.fixture
async def one_page_for_all(service: Service) -> AsyncIterator[None]:
    """Scripts are checked one after the other in one empty page, where each has one of its own otherwise."""
    async with script_checker._empty_tab(service.context.sessions, Deadline.of(600)) as checking:
        with patch.object(script_checker, "_empty_tab", lambda *_: nullcontext(checking)):
            yield


@pytest.mark.usefixtures("one_page_for_all")
async def test_script_that_does_something_else_is_refused_and_not_stored(
    tools: Tools, client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await tools.create((await tools.recorded("/rest", "Task")).recording_id)
    subroutines = AsyncSubroutines(client)
    wrong = {}
    for case, (old, new, words, *calls) in REFUSED.items():
        assert old == "*" or old in made.body, case
        body = new if old == "*" else made.body.replace(old, new)
        body = body.replace("({ find,", f"({{ {', '.join([*calls, 'find'])},")
        # What has no end is ended sooner.
        monkeypatch.setattr(script_checker, "DRY_RUN_SECONDS", 0.5 if case in NEVER_END else PATIENT_SECONDS)
        try:
            await subroutines.update(made.subroutine_id, body)
            wrong[case] = "kept"
        except RemoteError as refusal:
            said = str(refusal)
            if refusal.reason != "SCRIPT_CHECK_FAILED" or words not in said or "nothing was stored" not in said:
                wrong[case] = said
    assert wrong == {}, "\n".join(f"{case}: {said}" for case, said in wrong.items())
    assert (await subroutines.get(made.subroutine_id)).etag == made.etag
    assert tools.titles() == ["First note"]


async def test_two_changes_of_one_version_do_not_overwrite_each_other(tools: Tools, client: AsyncClient) -> None:
    made = await tools.create((await tools.recorded("/rest", "Task")).recording_id)
    subroutines = AsyncSubroutines(client)
    bodies = [re.sub(r"^", f"// {number}\n", made.body) for number in range(2)]
    changes = [subroutines.update(made.subroutine_id, each, etag=made.etag) for each in bodies]
    ended = await asyncio.gather(*changes, return_exceptions=True)
    kept = [each for each in ended if isinstance(each, pb.Subroutine)]
    refused = [each.reason for each in ended if isinstance(each, RemoteError)]
    assert (len(kept), refused) == (1, ["SUBROUTINE_CHANGED"])
    assert (await subroutines.get(made.subroutine_id)).body == kept[0].body
    with pytest.raises(RemoteError, match="together with a script") as caught:
        await subroutines.update(made.subroutine_id, rename={"title": "headline"})
    assert caught.value.reason == "BAD_INPUT"


def stored_of(steps: int) -> tuple[Stored, Recording]:
    """A subroutine of a recording with many steps, a third of which enter something."""
    events = [
        typed(f"Field {number}", f"Value {number}", at_ms=100.0 * number)
        if number % 3 == 0
        else event("click", f"Button {number}", at_ms=100.0 * number)
        for number in range(steps)
    ]
    recorded = recording(*events)
    return create_subroutine([recorded], name="Long", description="", wanted=None, now_s=1.0), recorded


async def test_script_of_many_steps_is_checked_in_time(
    client: AsyncClient, service: Service, monkeypatch: pytest.MonkeyPatch, pace: float
) -> None:
    monkeypatch.setattr(script_checker, "DRY_RUN_SECONDS", DRY_RUN_SECONDS * pace)
    stored, kept = stored_of(45)
    store = SubroutineStore(service.context.settings.data_dir)
    await asyncio.to_thread(store.keep_recording, kept)
    await asyncio.to_thread(store.keep, stored)
    subroutines = AsyncSubroutines(client)
    try:
        await subroutines.update(stored.subroutine_id, f"// Same.\n{stored.body}", validate_only=True, timeout_s=300)
        less = stored.body.replace('await click(find({ role: "button", name: "Button 44" }));', "")
        assert less != stored.body
        with pytest.raises(RemoteError, match="Button 44"):
            await subroutines.update(stored.subroutine_id, less, validate_only=True, timeout_s=300)
    finally:
        await subroutines.delete(stored.subroutine_id)


async def test_script_is_not_kept_where_the_recorded_one_fails(
    tools: Tools, client: AsyncClient, service: Service
) -> None:
    made = await tools.create((await tools.recorded("/rest", "Task")).recording_id)
    folder = service.context.settings.data_dir
    assert folder is not None
    failing = 'async ({ goto }) => { throw new Error("damaged"); }'
    (folder / "subroutines" / made.subroutine_id / "generated.js").write_text(failing)
    (folder / "subroutines" / made.subroutine_id / "body.js").write_text(failing)
    with pytest.raises(RemoteError, match="cannot be compared with: damaged"):
        await AsyncSubroutines(client).update(made.subroutine_id, f"// Same.\n{failing}")

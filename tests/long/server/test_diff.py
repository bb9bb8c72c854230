"""Diffs over real gRPC, of a page that changes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.render.diff import apply_diff
from perception.render.untrusted import unmarked
from perception.v1 import types_pb2 as pb
from tests.support.live import Show

TEXT = {"mode": "text"}


@pytest.fixture(scope="module")
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """One session for all: each test opens a page of its own in it."""
    page = await client.open()
    yield page
    await page.close()


def called(snapshot: pb.Snapshot, name: str) -> pb.Element:
    return next(each for each in snapshot.elements if each.name == name)


def rounded(elements: list[pb.Element]) -> list[pb.Element]:
    """Without the parts of a pixel, which are no change."""
    copies = []
    for element in elements:
        copy = pb.Element()
        copy.CopyFrom(element)
        copy.box.CopyFrom(pb.Box(x=round(element.box.x), y=round(element.box.y)))
        copy.ClearField("click_point")
        copies.append(copy)
    return copies


@pytest.mark.parametrize("scope", ["viewport", "page"])
async def test_each_step_applied_to_the_list_before_gives_the_list_after(
    page: AsyncPage, site: str, scope: str
) -> None:
    await page.navigate(f"{site}/changing.html")
    before = await page.snapshot(scope=scope, **TEXT)
    for step in ("#add", "#save", "#drop", "#paid", "#push", "#first", "#add", "#drop"):
        await page.click(step)
        after = await page.snapshot(since=before, scope=scope, **TEXT)
        assert after.diff.since_snapshot_id == before.snapshot_id
        applied = apply_diff(list(before.elements), after.diff)
        assert rounded(applied) == rounded(list(after.elements)), step
        before = after


async def test_a_diff_describes_a_click_in_a_few_words(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    before = await page.snapshot(**TEXT)
    await page.click("#add")
    after = await page.snapshot(since=before, **TEXT)
    new = called(after, "Order 4")
    assert [each.ref for each in after.diff.added] == [new.ref]
    assert after.elements[after.diff.added_at[0]] == new
    assert f'+ - link "Order 4" [ref={new.ref}]\n' in after.diff.text
    assert '~ text "3 orders" → "4 orders"\n' in after.diff.text
    assert 0 < after.diff.token_count < after.token_count / 2


async def test_what_is_typed_is_a_changed_value(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    before = await page.snapshot(**TEXT)
    await page.type_text("#search", "shoes")
    diff = (await page.snapshot(since=before, **TEXT)).diff
    (change,) = diff.changed
    assert (change.element.value, list(change.fields)) == ("shoes", ["value", "states"])
    assert unmarked(diff.text) == f'~ {change.element.ref} value "" → "shoes" +focused\n'


async def test_a_new_name_is_a_new_ref_and_the_old_one_is_reported_as_gone(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    before = await page.snapshot(**TEXT)
    old = called(before, "Save").ref
    await page.click("#save")
    diff = (await page.snapshot(since=before, **TEXT)).diff
    change = next(each for each in diff.changed if each.element.name == "Saving…")
    assert "name" in change.fields
    assert list(diff.removed_refs) == [old]
    assert before.elements[change.from_index].ref == old
    assert f'~ {old} → {change.element.ref} name "Save" → "Saving…"' in diff.text


async def test_a_page_that_did_not_change_has_an_empty_diff(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    before = await page.snapshot(**TEXT)
    after = await page.snapshot(since=before.snapshot_id, **TEXT)
    assert after.HasField("diff")
    assert after.diff == pb.SnapshotDiff(since_snapshot_id=before.snapshot_id)


async def test_of_a_page_that_was_left_everything_is_removed(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    before = await page.snapshot(**TEXT)
    await page.navigate(f"{site}/form.html")
    after = await page.snapshot(since=before, **TEXT)
    assert list(after.diff.removed_at) == list(range(len(before.elements)))
    assert list(after.diff.added_at) == list(range(len(after.elements)))
    assert not after.diff.changed


async def test_elements_that_move_together_share_a_line(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    before = await page.snapshot(**TEXT)
    await page.click("#push")
    after = await page.snapshot(since=before, **TEXT)
    diff = after.diff
    refs = [each.ref for each in before.elements if each.ref]
    down = after.elements[0].box.y - before.elements[0].box.y
    assert down >= 40
    assert f"~ {refs[0]}-{refs[-1]} moved 0,{down:.0f}\n" in diff.text
    assert all("box" in change.fields for change in diff.changed)


async def test_the_text_of_a_diff_keeps_to_the_budget_and_its_values_do_not(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    before = await page.snapshot(max_tokens=60, **TEXT)
    await page.navigate(f"{site}/form.html")
    after = await page.snapshot(since=before, max_tokens=60, **TEXT)
    assert 0 < after.diff.token_count <= 60
    assert "… " in after.diff.text
    assert len(after.diff.added) > len(after.elements)


ROWS = "<table>" + "".join(f"<tr><td>{n}<td><button>Edit {n}</button></tr>" for n in range(40)) + "</table>"
DIALOG = "<div role=dialog aria-label=Wait style='position:fixed;inset:0;background:#fff'><button>OK</button></div>"
COVERED = f"<template id=t>{DIALOG}</template><button id=go onclick='document.body.append(t.content)'>Go</button>{ROWS}"


async def test_the_answer_to_an_action_leads_from_the_last_full_look(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    full = await page.snapshot(**TEXT)
    await page.snapshot(root="#save", **TEXT)
    await page.screenshot(annotated=True)
    await page.find("Save")
    diff = (await page.click("#add")).diff
    assert diff.since_snapshot_id == full.snapshot_id
    assert "Order 4" in diff.text
    assert not diff.text_is_snapshot


async def test_another_document_is_told_by_its_own_text_within_the_budget(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/html?body={quote(f'<a href=/form.html>Form</a>{ROWS}')}")
    before = await page.snapshot(**TEXT)
    diff = (await page.click("a", diff_max_tokens=80)).diff
    assert diff.text_is_snapshot
    assert diff.token_count <= 80
    count = len(before.elements)
    head, first, *_ = unmarked(diff.text).splitlines()
    assert head == f"{count} of {count} elements replaced:"
    assert first in (await page.snapshot(**TEXT)).text


async def test_controls_that_a_dialog_covers_are_one_line(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/html?body={quote(COVERED)}")
    await page.snapshot(**TEXT)
    diff = (await page.click("#go")).diff
    assert diff.text.count("covered by") <= 2, "by the dialog, and by the button in it"
    assert diff.token_count < 100


@pytest.mark.parametrize(
    ("then", "now", "word"),
    [
        pytest.param({}, {"scope": "page"}, "scope", id="scope"),
        pytest.param({}, {"view": "interactive"}, "view", id="view"),
        pytest.param({}, {"mode": "fused"}, "mode", id="mode"),
        pytest.param({}, {"engine": "ax"}, "engine", id="engine"),
        pytest.param({"scope": "page"}, {"scope": "page", "root": "#rows"}, "root", id="root"),
        pytest.param({"reveal_sensitive": True}, {}, "masking", id="masking"),
    ],
)
async def test_snapshots_of_other_parts_of_the_page_are_not_compared(
    page: AsyncPage, site: str, then: dict[str, Any], now: dict[str, Any], word: str
) -> None:
    await page.navigate(f"{site}/changing.html")
    before = await page.snapshot(**{**TEXT, **then})
    with pytest.raises(RemoteError, match=f"was taken with {word}") as caught:
        await page.snapshot(since=before, **{**TEXT, **now})
    assert caught.value.reason == "BAD_INPUT"


async def test_a_snapshot_that_is_not_kept_cannot_be_compared_with(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    with pytest.raises(RemoteError, match="s99") as caught:
        await page.snapshot(since="s99", **TEXT)
    assert caught.value.reason == "UNKNOWN_SNAPSHOT"


LEAVING = """<!doctype html><body style='margin: 0'><nav style='position: fixed; right: 0; bottom: 0'>{}</nav>
<input aria-label=Name><button id=gone>Gone</button><button id=hides>Hides</button>
<div style='height: 90px; overflow: auto' id=box><button>Inner</button><div style='height: 900px'></div></div>
<div style='height: 2000px'></div><div id=far style='width: 300px; height: 99px' onclick='1'>Far</div><script>
document.onmouseup = () => { gone.remove(); hides.style.visibility = 'hidden'; };
</script>""".replace("{}", "".join(f"<button>Kept {number}</button>" for number in range(12)))


async def test_what_an_action_only_brought_out_of_view_is_not_said_to_be_gone(page: AsyncPage, show: Show) -> None:
    await show(LEAVING)
    before = await page.snapshot(**TEXT)
    ref = {each.name: each.ref for each in before.elements}
    diff = (await page.drag("#far", (400, 300))).diff
    lines = unmarked(diff.text).splitlines()
    (away,) = [line for line in lines if line.endswith(" out of view")]
    assert {ref["Name"], ref["Inner"]} <= {*away.split()}
    assert f"- {ref['Gone']} {ref['Hides']}" in lines
    assert {ref["Name"], ref["Gone"]} <= {*diff.removed_refs}
    back = (await page.scroll(delta_y=-5000)).diff
    assert f'"Name" [ref={ref["Name"]}]' in back.text

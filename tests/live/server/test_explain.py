"""Why an element is listed as it is, or not at all: each stage gives its reason, on a page that has the cause."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.v1 import perception_service_pb2 as pb

BODY = (
    """<!doctype html><title>T</title><button id=listed>Save</button>
<button id=gone style="display:none">Gone</button>
<div id=ghost style="opacity:0">Ghost words</div>
<div style="position:relative;width:200px;height:40px"><button id=under style="width:200px;height:40px">Under</button>
<div style="position:absolute;inset:0;background:#fff">Veil</div></div>
<button id=outer><span id=inner>Inner</span></button>
<input id=password type=password value=hunter2>
<canvas id=canvas width=300 height=60></canvas>
<ul>"""
    + "".join(f"<li><button id=b{n} aria-label='Delete'>x</button></li>" for n in range(30))
    + """</ul>
<div style="height:3000px"></div><button id=far>Far</button>
<script>
const ink = document.getElementById('canvas').getContext('2d');
ink.font = '28px sans-serif';
ink.fillText('Painted', 10, 40);
</script>"""
)


@pytest.fixture(scope="module")
async def page(client: AsyncClient, site: str) -> AsyncIterator[AsyncPage]:
    page = await client.open(f"{site}/html?body={quote(BODY)}")
    yield page
    await page.close()


def stages(reply: pb.ExplainElementResponse) -> dict[str, pb.ExplainStage]:
    return {pb.Stage.Name(each.stage).removeprefix("STAGE_"): each for each in reply.stages}


def last(reply: pb.ExplainElementResponse) -> tuple[str, str]:
    stage = reply.stages[-1]
    outcome = pb.StageOutcome.Name(stage.outcome).removeprefix("STAGE_OUTCOME_")
    return pb.Stage.Name(stage.stage).removeprefix("STAGE_"), outcome


async def test_a_listed_element_passes_every_stage(page: AsyncPage) -> None:
    reply = await page.explain("#listed")
    assert reply.listed
    assert reply.summary == f'listed as button "Save" [ref={reply.element.ref}]'
    assert list(stages(reply)) == [
        "WALK",
        "PAINT",
        "NAME",
        "HIT_TEST",
        "SCOPE",
        "REF",
        "RESIDUAL",
        "DETECT",
        "FUSE",
        "VIEW",
        "FOLD",
        "BUDGET",
    ]
    snapshot = await page.snapshot()
    assert reply.element.ref in {each.ref for each in snapshot.elements if each.name == "Save"}


@pytest.mark.parametrize(
    ("target", "stage", "words"),
    [
        pytest.param("#gone", "WALK", "display is none", id="display-none"),
        pytest.param("#ghost", "VIEW", "opacity is 0", id="transparent"),
        pytest.param("#inner", "NAME", 'button "Inner"', id="said-by-its-button"),
        pytest.param("#far", "SCOPE", "out of view", id="out-of-view"),
    ],
)
async def test_the_stage_that_drops_an_element_gives_the_reason(
    page: AsyncPage, target: str, stage: str, words: str
) -> None:
    reply = await page.explain(target, mode="text")
    assert not reply.listed
    assert not reply.HasField("element")
    assert last(reply) == (stage, "DROPPED")
    assert words in reply.stages[-1].reason
    assert reply.summary == f"not listed: {reply.stages[-1].reason}"


async def test_what_covers_an_element_is_named(page: AsyncPage) -> None:
    reply = await page.explain("#under", mode="text")
    assert reply.listed
    assert "Veil" in stages(reply)["HIT_TEST"].reason


async def test_invisible_text_is_found_by_its_words(page: AsyncPage) -> None:
    reply = await page.explain(text="ghost words", mode="text")
    assert "opacity is 0" in reply.summary


async def test_a_point_on_a_canvas_shows_what_vision_lists_there(page: AsyncPage) -> None:
    snapshot = await page.snapshot()
    seen = next(each for each in snapshot.elements if each.ref.startswith("v"))
    reply = await page.explain((seen.click_point.x, seen.click_point.y))
    assert f"[ref={seen.ref}]" in stages(reply)["FUSE"].reason
    assert "canvas" in stages(reply)["RESIDUAL"].reason
    by_ref = await page.explain(seen.ref)
    assert by_ref.element.ref == seen.ref


async def test_the_token_budget_determines_the_page_of_a_line(page: AsyncPage) -> None:
    reply = await page.explain("#b29", mode="text", scope="page", max_tokens=60)
    budget = stages(reply)["BUDGET"]
    assert budget.outcome == pb.STAGE_OUTCOME_CHANGED
    assert int(next(fact.value for fact in budget.facts if fact.name == "page")) > 0


async def test_a_folded_line_names_the_line_in_its_place(page: AsyncPage) -> None:
    reply = await page.explain("#b29", mode="text", scope="page", style="compact")
    assert stages(reply)["FOLD"].outcome == pb.STAGE_OUTCOME_CHANGED
    assert "more alike" in stages(reply)["FOLD"].reason


async def test_the_interactive_view_reports_what_it_omits(page: AsyncPage) -> None:
    reply = await page.explain(text="Veil", mode="text", view="interactive")
    assert last(reply) == ("VIEW", "DROPPED")


async def test_a_password_is_in_no_explanation(page: AsyncPage) -> None:
    reply = await page.explain("#password")
    assert reply.listed
    assert "hunter2" not in str(reply)


async def test_an_explanation_keeps_no_snapshot(page: AsyncPage) -> None:
    before = await page.snapshot(mode="text")
    await page.explain("#listed", mode="text")
    after = await page.snapshot(mode="text")
    number = int(before.snapshot_id.lstrip("s"))
    assert after.snapshot_id == f"s{number + 1}"


@pytest.mark.parametrize(
    ("target", "text"),
    [pytest.param(None, "", id="neither"), pytest.param("#listed", "Save", id="both")],
)
async def test_exactly_one_of_target_and_text_is_asked_for(page: AsyncPage, target: str | None, text: str) -> None:
    with pytest.raises(RemoteError, match="exactly one of target and text") as caught:
        await page.explain(target, text=text)
    assert caught.value.reason == "BAD_INPUT"


async def test_words_that_are_nowhere_are_no_match(page: AsyncPage) -> None:
    with pytest.raises(RemoteError, match="give its coordinate") as caught:
        await page.explain(text="nowhere at all")
    assert caught.value.reason == "NO_MATCH"

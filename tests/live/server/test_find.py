"""Finding elements over real gRPC: by words, by place, by point."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.v1 import types_pb2 as pb

TEXT = {"mode": "text"}


@pytest.fixture(scope="module")
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """One session for all: each test opens a page of its own in it."""
    page = await client.open()
    yield page
    await page.close()


@pytest.mark.parametrize(
    ("query", "role", "name", "nth"),
    [
        pytest.param("the Save button next to Title", "button", "Save", 1, id="beside-a-field"),
        pytest.param("first Save button", "button", "Save", 0, id="first"),
        pytest.param("last Save button", "button", "Save", 2, id="last-and-out-of-view"),
        pytest.param("third Save", "button", "Save", 2, id="third"),
        pytest.param("Delete in the row of Bob", "button", "Delete", 1, id="row"),
        pytest.param("Delete for Alice", "button", "Delete", 0, id="for"),
        pytest.param("button in the profile form", "button", "Save", 1, id="section"),
        pytest.param("Titel", "textbox", "Title", 0, id="typo"),
        pytest.param("zurich strasse", "textbox", "Zürich-Straße", 0, id="accents"),
        pytest.param("検索", "button", "検索する", 0, id="japanese"),
        pytest.param("button in shadow", "button", "In shadow", 0, id="shadow-root"),
        pytest.param("textbox below Profile", "textbox", "Title", 0, id="below"),
        pytest.param("link at the top left", "link", "Home", 0, id="corner"),
        pytest.param('click the button "Slotted"', "button", "Slotted", 0, id="instruction"),
    ],
)
async def test_the_best_match_is_what_a_person_means(
    page: AsyncPage, site: str, query: str, role: str, name: str, nth: int
) -> None:
    await page.navigate(f"{site}/parts.html")
    best = (await page.find(query, **TEXT))[0]
    assert (best.element.role, best.element.name, best.element.nth) == (role, name, nth)
    assert best.element.ref
    assert best.reason


async def test_a_match_has_its_reason_in_words(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/parts.html")
    best = (await page.find("the Save button next to Title", **TEXT))[0]
    assert best.reason.startswith("name 'Save' exact; role button; ")
    assert best.reason.endswith("px right of textbox 'Title'")
    assert 0.9 < best.score <= 1


async def test_criteria_are_met_together_and_the_limit_is_kept(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/parts.html")
    buttons = await page.find(role="button", **TEXT)
    assert {each.element.role for each in buttons} == {"button"}
    assert [each.element.nth for each in await page.find(role="button", name="Save", **TEXT)] == [0, 1, 2]
    assert len(await page.find(role="button", limit=2, **TEXT)) == 2
    (row,) = await page.find(text="alice", role="row", **TEXT)
    assert "Alice" in row.element.name


async def test_scores_fall_and_are_between_0_and_1(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/parts.html")
    scores = [each.score for each in await page.find("Save", limit=50, **TEXT)]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


async def test_nothing_found_is_an_empty_list(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/parts.html")
    assert await page.find("Quarterly revenue forecast", **TEXT) == []
    assert await page.find(role="slider", **TEXT) == []


async def test_the_viewport_alone_and_a_root_can_be_searched(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/parts.html")
    assert [each.element.nth for each in await page.find(name="Save", scope="viewport", **TEXT)] == [0, 1]
    assert [each.element.nth for each in await page.find(name="Save", root="#far", **TEXT)] == [2]


async def test_a_point_finds_what_a_click_there_lands_on(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/parts.html")
    snapshot = await page.snapshot(**TEXT)
    targets = [each for each in snapshot.elements if each.reachable and each.role not in ("canvas", "iframe")]
    assert any(each.frame for each in targets)
    for each in targets:
        best = (await page.find(at=(each.click_point.x, each.click_point.y), **TEXT))[0]
        assert best.element.ref == each.ref, each.name


async def test_a_point_in_a_frame_finds_the_element_there_and_then_the_frame(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/frames.html")
    snapshot = await page.snapshot(**TEXT)
    other = next(each for each in snapshot.elements if each.name == "Other")
    inside = next(each for each in snapshot.elements if each.frame and each.reachable and each.box.x > other.box.x)
    found = await page.find(at=(inside.click_point.x, inside.click_point.y), **TEXT)
    assert found[0].element.ref == inside.ref
    assert other.ref in [each.element.ref for each in found]


async def test_a_point_finds_the_text_there_but_nothing_that_is_covered(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/form.html")
    snapshot = await page.snapshot(**TEXT)
    words = next(each for each in snapshot.elements if each.name == "Ship to")
    best = (await page.find(at=(words.box.x + 5, words.box.y + words.box.height / 2), **TEXT))[0]
    assert best.element.name == "Ship to"
    hidden = next(each for each in snapshot.elements if each.name == "Hidden below")
    middle = (hidden.box.x + hidden.box.width - 4, hidden.box.y + hidden.box.height / 2)
    assert "Hidden below" not in [each.element.name for each in await page.find(at=middle, **TEXT)]


async def test_a_point_on_a_label_finds_its_control(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/html?body=<label style='font-size:40px'><input type=checkbox>Gift wrap please</label>")
    snapshot = await page.snapshot(**TEXT)
    box = next(each for each in snapshot.elements if each.role == "checkbox")
    best = (await page.find(at=(box.box.x + 200, 30), **TEXT))[0]
    assert best.element.ref == box.ref


async def test_what_only_vision_sees_is_found_by_words_and_by_point(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/canvas.html")
    best = (await page.find("Zoom in"))[0]
    assert best.element.ref.startswith("v")
    point = best.element.click_point
    assert (await page.find(at=(point.x, point.y)))[0].element.ref == best.element.ref


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        pytest.param({}, "BAD_INPUT", id="nothing-asked"),
        pytest.param({"query": "  "}, "BAD_INPUT", id="only-spaces"),
        pytest.param({"query": "Save", "limit": -1}, "BAD_INPUT", id="negative-limit"),
        pytest.param({"name": "x" * 1001}, "BAD_INPUT", id="a-novel"),
        pytest.param({"at": (1280.0, 10.0)}, "COORDINATE_OUT_OF_VIEWPORT", id="outside"),
        pytest.param({"at": (float("nan"), 10.0)}, "COORDINATE_OUT_OF_VIEWPORT", id="nowhere"),
        pytest.param({"query": "Save", "root": "#nowhere"}, "NO_MATCH", id="no-root"),
    ],
)
async def test_what_cannot_be_looked_for_is_refused(
    page: AsyncPage, site: str, asked: dict[str, object], reason: str
) -> None:
    await page.navigate(f"{site}/parts.html")
    with pytest.raises(RemoteError) as caught:
        await page.find(**asked, **TEXT)  # type: ignore[arg-type]
    assert caught.value.reason == reason


async def test_refs_that_were_found_can_be_acted_on(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    found: list[pb.Element] = [each.element for each in await page.find("Add button", limit=1, **TEXT)]
    await page.click(found[0].ref)
    assert 'link "Order 4"' in (await page.snapshot(**TEXT)).text

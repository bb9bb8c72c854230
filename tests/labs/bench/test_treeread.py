"""The tree of a real Chromium beside our words for the same nodes, on pages of our own."""

from __future__ import annotations

import pytest

from perception.bench.suites.agreement.judgment import ComparedNode, PageNodes
from perception.bench.suites.agreement.run import read_pages
from perception.datasets.sources.manifest import PageSpec
from perception.datasets.sources.page_shapes import DESKTOP
from perception.datasets.sources.rendering import Visit


@pytest.fixture(scope="module")
async def read(site: str) -> tuple[list[PageNodes], dict[str, str], list[tuple[str, str]]]:
    told: list[tuple[str, str]] = []
    addresses = {"form": f"{site}/form.html", "frames": f"{site}/frames.html", "gone": "http://127.0.0.1:9/"}
    visits = [Visit(PageSpec(name, "/", "test", origin="site"), DESKTOP, url) for name, url in addresses.items()]
    pages, failed, _ = await read_pages(visits, lambda page, why: told.append((page, why)))
    return pages, failed, told


Read = tuple[list[PageNodes], dict[str, str], list[tuple[str, str]]]


async def test_a_page_that_does_not_open_costs_itself_alone(read: Read) -> None:
    pages, failed, told = read
    assert [page.page for page in pages] == ["form", "frames"]
    assert list(failed) == ["gone"]
    assert [(page, bool(why)) for page, why in told] == [("form", False), ("frames", False), ("gone", True)]


async def test_nodes_of_all_frames_are_read_with_our_words_for_each(read: Read) -> None:
    frames = read[0][1].nodes
    inner = [node for node in frames if node.name == "Inner button"]
    assert [(node.our_role, node.our_name, node.listed) for node in inner] == [("button", "Inner button", True)] * 2


async def test_text_and_the_inside_of_native_controls_are_no_nodes_of_their_own(read: Read) -> None:
    nodes = read[0][0].nodes
    assert nodes
    assert not [node for node in nodes if node.role in ("text", "InlineTextBox", "RootWebArea")]
    assert all(node.markup.startswith("<") for node in nodes)


async def test_most_words_of_the_text_are_listed(read: Read) -> None:
    words = read[0][0].words
    assert 0 < words.hit <= words.of


async def test_what_we_say_of_pages_of_our_own_is_what_the_tree_says(read: Read) -> None:
    different: list[ComparedNode] = [
        node for page in read[0] for node in page.nodes if not (node.same_role and node.same_name)
    ]
    assert not different

"""Pages of component libraries while they are served: `widgets` names one of each library, `widgets--antd` of one,
`widgets--antd--0003` is one page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from perception.datasets.sample import WIDGETS
from perception.datasets.sources.manifest import load_manifest
from perception.datasets.sources.widgets.build import demos_of, fetch_libraries, served
from perception.datasets.sources.widgets.library import FOLDER, Library, load_libraries
from perception.datasets.sources.widgets.page import WidgetPage, widget_page
from perception.errors import BadInputError


def is_widgets(name: str) -> bool:
    """Whether a name is one of these pages, or a family of them."""
    return name.partition("--")[0] == WIDGETS


@contextmanager
def serve_widgets(asked: Sequence[str], home: Path, say: Callable[[str], None]) -> Iterator[dict[str, str]]:
    """Addresses by page id, valid within the context; missing packages are downloaded.

    Raises:
        BadInputError: there is no such library.
    """
    if not asked:
        yield {}
        return
    wanted = [each for name in asked for each in _named(name)]
    manifest = load_manifest(FOLDER / "packages.toml")
    there = fetch_libraries(list({each.id: each for each, _ in wanted}.values()), manifest, home, say)
    demos = {each.id: demos_of(each, manifest, home) for each in there}
    pages = [widget_page(each, variant, demos[each.id]) for each, variant in wanted if each in there]
    with served(there, manifest, home) as (folder, address):
        yield {page.id: f"{address}/{_written(page, folder)}" for page in pages}


def _written(page: WidgetPage, folder: Path) -> str:
    if page.html:
        (folder / page.path).write_text(page.html, "utf-8")
    return page.path


def _named(name: str) -> list[tuple[Library, int]]:
    """Libraries and the numbers of their pages."""
    known = load_libraries()
    _, library, number = (*name.split("--"), "", "")[:3]
    if not library:
        return [(each, 0) for each in known.values()]
    if library not in known or (number and not number.isdecimal()):
        raise BadInputError(f"{name!r} is not a page of widgets: the libraries are {', '.join(known)}")
    return [(known[library], int(number or 0))]

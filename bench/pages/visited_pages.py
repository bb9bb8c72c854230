"""The pages that a suite visits, while they are served."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from perception.bench.pages.controls_page import serve_controls
from perception.bench.pages.restless_pages import RESTLESS, RESTLESS_PAGES, serve_restless
from perception.bench.pages.widget_pages import is_widgets, serve_widgets
from perception.datasets import load_manifest
from perception.datasets.sources.builders import PACKAGES, is_in
from perception.datasets.sources.packages import absent, fetch_all
from perception.datasets.sources.site_server import serve
from perception.demo import serve_demo
from perception.paths import home_folder

DEMO, ALL = "demo", "all"
"""Names besides the manifest's pages, families, `smoke` and `restless`: the bundled page, and every real page."""

CONTROLS_PAGE = "controls-10000"
"""The generated page of ten thousand controls."""

CONTROLS_COUNT = 10_000


@contextmanager
def serve_pages(asked: Sequence[str], say: Callable[[str], None]) -> Iterator[dict[str, str]]:
    """Addresses by page id, valid within the context; missing pages are downloaded.

    Args:
        asked: pages, families, or one of the names above.
        say: called with a line for each omitted page.

    Raises:
        BadInputError: there is no such page.
    """
    manifest, home = load_manifest(), home_folder()
    widgets = [each for each in asked if is_widgets(each)]
    others = (DEMO, CONTROLS_PAGE, ALL, RESTLESS, *RESTLESS_PAGES, *widgets)
    wanted = [each for each in asked if each not in others]
    named = manifest.select(wanted) if wanted else ()
    every = [page for page in manifest.pages.values() if ALL in asked and is_in(PACKAGES, page)]
    pages = tuple(dict.fromkeys((*named, *every)))
    lacking = absent(pages, manifest, home)
    for piece, why in fetch_all(lacking, home, report=lambda _, __: None).items():
        say(f"{why} (this costs {', '.join(lacking[piece])})")
    counts = {CONTROLS_COUNT: CONTROLS_PAGE} if CONTROLS_PAGE in asked else {}
    restless = [page for page in RESTLESS_PAGES if page in asked or RESTLESS in asked]
    with (
        serve_demo() as demo,
        serve_controls(list(counts)) as controls,
        serve_restless(restless) as moving,
        serve_widgets(widgets, home, say) as mounted,
        serve(pages, manifest, home) as served,
    ):
        for page_id, why in served.unserved.items():
            say(f"left out {page_id}: {why}")
        own = {DEMO: demo.url} if DEMO in asked else {}
        yield {**own, **served.urls, **mounted, **{counts[count]: url for count, url in controls.items()}, **moving}

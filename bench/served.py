"""The pages that a suite visits, while they are served."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from perception.bench.controls import serve_controls
from perception.datasets import load_manifest
from perception.datasets.make import PACKAGES, is_in
from perception.datasets.packages import absent, fetch_all, home_folder
from perception.datasets.serve import serve
from perception.demo import serve_demo

DEMO, ALL = "demo", "all"
"""What may be asked for beside the manifest's pages, families and `smoke`: the bundled page, and every real page."""

CONTROLS = "controls-10000"
"""The made-up page of ten thousand controls."""

CONTROLS_COUNT = 10_000


@contextmanager
def serve_pages(asked: Sequence[str], say: Callable[[str], None]) -> Iterator[dict[str, str]]:
    """Addresses by page id, until the context is left; what is not there yet is fetched.

    Args:
        asked: pages, families, or one of the names above.
        say: told, a line each, what cannot be had and is left out.

    Raises:
        BadInputError: there is no such page.
    """
    manifest, home = load_manifest(), home_folder()
    wanted = [each for each in asked if each not in (DEMO, CONTROLS, ALL)]
    named = manifest.select(wanted) if wanted else ()
    every = [page for page in manifest.pages.values() if ALL in asked and is_in(PACKAGES, page)]
    pages = tuple(dict.fromkeys((*named, *every)))
    lacking = absent(pages, manifest, home)
    for piece, why in fetch_all(lacking, home, report=lambda _, __: None).items():
        say(f"{why} (this costs {', '.join(lacking[piece])})")
    counts = {CONTROLS_COUNT: CONTROLS} if CONTROLS in asked else {}
    with serve_demo() as demo, serve_controls(list(counts)) as controls, serve(pages, manifest, home) as served:
        for page_id, why in served.unserved.items():
            say(f"left out {page_id}: {why}")
        own = {DEMO: demo.url} if DEMO in asked else {}
        yield {**own, **served.urls, **{counts[count]: url for count, url in controls.items()}}

"""`python -m perception.datasets fetch|list|serve [PAGE…]`; without a page, all of them."""

from __future__ import annotations

import argparse
import signal
import sys

from perception.datasets.manifest import Manifest, Page, load_manifest
from perception.datasets.packages import PackageError, fetch, home_folder, missing
from perception.datasets.serve import serve
from perception.errors import BadInputError


def main(arguments: list[str]) -> int:
    """0 when every page was fetched or served, 1 when one was not, 2 for bad input."""
    parser = argparse.ArgumentParser(prog="python -m perception.datasets", description="Pages to look at.")
    parser.add_argument("action", choices=("fetch", "list", "serve"))
    parser.add_argument("page", nargs="*", help="page ids; all when none is given")
    asked = parser.parse_args(arguments)
    manifest = load_manifest()
    try:
        pages = manifest.select(asked.page)
    except BadInputError as exc:
        print(exc, file=sys.stderr)
        return 2
    return {"fetch": fetch_pages, "list": list_pages, "serve": serve_pages}[asked.action](pages, manifest)


def fetch_pages(pages: tuple[Page, ...], manifest: Manifest) -> int:
    failed = False
    for page in pages:
        try:
            fetch(page, manifest, home_folder())
            print(f"{page.id}: there", flush=True)
        except PackageError as exc:
            failed = True
            print(f"{page.id}: {exc}", file=sys.stderr)
    return int(failed)


def list_pages(pages: tuple[Page, ...], manifest: Manifest) -> int:
    for page in pages:
        packages = ", ".join(f"{each.name} {each.version} ({each.licence})" for each in manifest.needs(page))
        state = "not fetched" if missing(page, manifest, home_folder()) else "there"
        print(f"{page.id}  {page.category}  {state}  {packages}")
    return 0


def serve_pages(pages: tuple[Page, ...], manifest: Manifest) -> int:
    """Serves until SIGINT or SIGTERM."""
    signals = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # before threads start: they take it over
    with serve(pages, manifest, home_folder()) as served:
        for page_id, url in served.urls.items():
            print(page_id, url, flush=True)
        for page_id, why in served.unserved.items():
            print(f"{page_id}: {why}", file=sys.stderr)
        signal.sigwait(signals)
    return int(bool(served.unserved))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

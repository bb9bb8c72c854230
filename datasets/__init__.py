"""Data sets of pages and images: fetching, serving on loopback, rendering, and reading public formats.

Rule 1: a fetched file is byte for byte what the manifest names; anything else is an error.
Rule 2: nothing that is started here outlives its context manager, or the process that opened it.
"""

from perception.datasets.sources.manifest import Manifest, PageSpec, load_manifest

__all__ = ["Manifest", "PageSpec", "load_manifest"]

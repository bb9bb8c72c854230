"""Pages to look at: where they come from, fetching them, serving them on loopback.

Rule 1: what is fetched is what the manifest names, byte for byte, or an error.
Rule 2: nothing that is started here outlives its context manager, nor the process that opened it.
"""

from perception.datasets.manifest import Manifest, Page, load_manifest
from perception.datasets.packages import PackageError, fetch, home_folder
from perception.datasets.serve import Served, serve

__all__ = ["Manifest", "PackageError", "Page", "Served", "fetch", "home_folder", "load_manifest", "serve"]

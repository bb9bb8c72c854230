"""Imports every module of the installed package `perception`. Usage: python -I .ci/import_all.py"""

import importlib
import pkgutil
import sys

import perception


def fail(name: str) -> None:
    raise ImportError(f"{name} cannot be imported") from sys.exception()


modules = [
    module.name
    for module in pkgutil.walk_packages(perception.__path__, "perception.", onerror=fail)
    if not module.name.endswith(".__main__")  # importing one runs it
]
MCP = ("anyio", "mcp", "mcp_types", "starlette", "uvicorn")
EXTRAS = {
    "perception.bench.mcp_client": (*MCP, "httpx"),
    "perception.bench.suites.doors.": (*MCP, "httpx"),
    "perception.bench.suites.fuzz.": (*MCP, "httpx"),
    "perception.bench.train.": ("torch",),
    "perception.detectors.ray_serve.replica": ("ray",),
    "perception.mcp.": MCP,
    "perception.server.viewer.": ("starlette", "uvicorn"),
}
"""Modules that need an extra, by how their names begin: who does not train, or use MCP or the viewer, lacks these
packages."""

for module in modules:
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        if not any(module.startswith(start) and error.name in names for start, names in EXTRAS.items()):
            raise
for name in ("bench", "datasets", "fusion", "server"):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        continue
    sys.exit(f"a top-level package {name} was installed too")
print(f"{len(modules)} modules imported from {perception.__path__[0]}")

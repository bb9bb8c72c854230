"""Compiled modules of packages, loaded without the Python package around them: that takes a hundred times as long."""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType


def compiled_module(package: str, name: str) -> ModuleType:
    """The compiled module `package.name`, or the one that the package itself has loaded.

    Raises:
        ModuleNotFoundError: the package is not installed, or has no such module.
    """
    whole = f"{package}.{name}"
    if whole in sys.modules:
        return sys.modules[whole]
    around = find_spec(package)
    spec = PathFinder.find_spec(whole, around.submodule_search_locations if around else None)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"no {whole}: install {package.partition('.')[0]} again", name=whole)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

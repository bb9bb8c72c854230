"""Models that the `rapidocr` package contains. `ppocr`, `paddleocr` and `rapidocr` use them, offline."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path


def bundled_model(name: str) -> Path | None:
    """Path of a model in the package; None if it is not there."""
    spec = importlib.util.find_spec("rapidocr")
    path = Path(spec.origin).parent / "models" / name if spec and spec.origin else None
    return path if path and path.is_file() else None


def missing_models(names: Sequence[str]) -> str:
    """Why these models cannot be used on this machine and how to fix it; "" if they can be used."""
    for package in ("rapidocr", "onnxruntime"):
        if importlib.util.find_spec(package) is None:
            return f"the package {package} is not installed: pip install {package}"
    absent = [name for name in names if bundled_model(name) is None]
    if absent:
        return f"the package rapidocr here has no {absent[0]}: pip install --force-reinstall 'rapidocr>=3.10,<4'"
    return ""


def size_of(names: Sequence[str]) -> int:
    """Size on disk of the models that are there, bytes."""
    return sum(path.stat().st_size for name in names if (path := bundled_model(name)) is not None)

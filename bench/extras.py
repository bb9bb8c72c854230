"""Libraries that only the bench needs, and that are installed with its extra."""

from __future__ import annotations

import importlib.util

from perception.errors import BadInputError

HTML = ("jinja2", "plotly")
TRAFILATURA = ("trafilatura",)
METRICS = ("faster_coco_eval", "jiwer")


def require(what: str, libraries: tuple[str, ...]) -> None:
    """Before the work, so that it is not lost.

    Raises:
        BadInputError: one of them is not installed.
    """
    missing = [name for name in libraries if importlib.util.find_spec(name) is None]
    if missing:
        raise BadInputError(
            f"{what} needs {' and '.join(missing)}: pip install 'perception-service[bench]', "
            "or pip install '.[bench]' in its repository"
        )

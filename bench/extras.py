"""Libraries that only the bench needs, and that are installed with its extras."""

from __future__ import annotations

import importlib.util

from perception.errors import BadInputError

HTML_LIBRARIES = ("jinja2", "plotly")
TRAFILATURA = ("trafilatura",)
METRIC_LIBRARIES = ("faster_coco_eval", "jiwer")
HTTP_LIBRARIES = ("httpx", "stamina")
RENDERING_LIBRARIES = ("babel",)
NETWORK_LIBRARIES = ("torch", "onnx")
TREE_LIBRARIES = ("lightgbm", "onnx")


def require(what: str, libraries: tuple[str, ...], *, extra: str = "bench") -> None:
    """Checks that libraries are installed, before the work, so that it is not lost.

    Args:
        what: the feature that needs them, for the message.
        extra: the extra of the package that includes them.

    Raises:
        BadInputError: one of them is not installed.
    """
    missing = [name for name in libraries if importlib.util.find_spec(name) is None]
    if missing:
        raise BadInputError(
            f"{what} needs {' and '.join(missing)}: pip install 'perception-service[{extra}]', "
            f"or pip install '.[{extra}]' in its repository"
        )

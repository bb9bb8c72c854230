"""How explanations name elements and numbers, and where the subject stands in a list."""

from __future__ import annotations

from collections.abc import Sequence

from perception.engine.explain.subject import HiddenBy, Subject
from perception.types import Element, NodeKey

QUOTED = 80
"""Characters of the page's words in a reason."""


def describe(element: Element) -> str:
    """An element as its line says it, without states: `button "Pay" [ref=e5]`."""
    name = f" {quote(element.name)}" if element.name else ""
    ref = f" [ref={element.ref}]" if element.ref else ""
    return f"{element.role}{name}{ref}"


def quote(text: str) -> str:
    """The page's words, cut and in quotes."""
    cut = text if len(text) <= QUOTED else text[: QUOTED - 1] + "…"
    return '"' + cut.replace('"', "'") + '"'


def find_index(elements: Sequence[Element], subject: Subject) -> int:
    """Index of the subject's element; that of its own text where it has no row itself; -1 for none."""
    if subject.vision is not None:
        return next((index for index, each in enumerate(elements) if each.ref == subject.vision.ref), -1)
    keys = keys_of(subject)
    return min(((keys[each.node], index) for index, each in enumerate(elements) if each.node in keys), default=(0, -1))[
        1
    ]


def keys_of(subject: Subject) -> dict[NodeKey | None, int]:
    """The subject's own node first, then its text nodes."""
    assert subject.node is not None
    assert subject.walker is not None
    return {key: at for at, key in enumerate([subject.node, *map(subject.key, subject.walker.texts)])}


def describe_hidden(hidden: HiddenBy) -> str:
    return f"{hidden.property} is {hidden.value}" + (f" on {hidden.on}" if hidden.on else "")


def px(length: float) -> str:
    return f"{round(length, 1):g}"


def describe_rect(rect: tuple[float, float, float, float]) -> str:
    return ", ".join(map(px, rect))

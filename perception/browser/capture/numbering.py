"""Numbers of elements that are called the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from perception.types import Element


def count_nth(elements: Iterable[Element]) -> tuple[Element, ...]:
    """Numbers elements that share role and name, in document order, from 0."""
    seen: Counter[tuple[str, str]] = Counter()
    numbered = []
    for element in elements:
        key = (element.role, element.name)
        numbered.append(replace(element, nth=seen[key]) if seen[key] else element)
        seen[key] += 1
    return tuple(numbered)

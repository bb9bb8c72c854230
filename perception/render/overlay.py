"""Boxes over an image, as an SVG fragment for HTML. Pure.

Rule 1: what pages say (names, texts) is escaped here; a fragment can be put into any page as it is.
Rule 2: kinds differ by colour and by dash, so that they differ for everybody.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from perception.geometry import Box


@dataclass(frozen=True, slots=True)
class OverlayBox:
    """A box in the image's own frame. `kind` is a CSS class: letters, digits and hyphens."""

    box: Box
    kind: str
    label: str = ""


def draw_overlay(boxes: Iterable[OverlayBox], width: float, height: float) -> str:
    """An `<svg class="overlay">` that fills its parent; hovering over a box shows its label. Without boxes it is empty.

    Args:
        width, height: of the frame that the boxes are in.
    """
    parts = [f'<svg class="overlay" viewBox="0 0 {width:g} {height:g}" preserveAspectRatio="none" aria-hidden="true">']
    # The larger first, so that the smaller can be hovered over.
    for each in sorted(boxes, key=lambda each: -each.box.area):
        box = each.box
        title = f"<title>{escape(each.label)}</title>" if each.label else ""
        parts.append(
            f'<rect class="{escape(each.kind)}" x="{box.left:.1f}" y="{box.top:.1f}" width="{box.width:.1f}" '
            f'height="{box.height:.1f}" vector-effect="non-scaling-stroke">{title}</rect>'
        )
    parts.append("</svg>")
    return "".join(parts)

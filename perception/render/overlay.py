"""Draws boxes over an image as an SVG fragment for HTML. Pure.

Rule 1: text of pages (names, labels) is escaped here, so a fragment can be inserted into any page.
Rule 2: kinds differ by color and by dash pattern, so that they are distinguishable without color; the page that shows
them defines their style.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from perception.geometry import Box

OVERLAY_STYLE = """\
.overlay { position: absolute; inset: 0; width: 100%; height: 100%; }
.overlay rect, .swatch rect { fill: transparent; stroke-width: 2; vector-effect: non-scaling-stroke; }
.overlay rect.pointed { fill: rgb(255 235 59 / .35); }
.swatch { width: 28px; height: 14px; flex: none; vertical-align: -2px; }
"""
"""CSS of overlays. The parent of an overlay needs `position: relative` and the image's aspect ratio."""

MAX_OVERLAY_LABEL = 300
"""Maximum length of a tooltip, characters: a name can be as long as an article."""


@dataclass(frozen=True, slots=True)
class OverlayBox:
    """A box to draw.

    Attributes:
        box: in the frame of the image.
        kind: CSS class: letters, digits and hyphens.
        label: tooltip; "" for none.
    """

    box: Box
    kind: str
    label: str = ""


def draw_overlay(boxes: Iterable[OverlayBox], width: float, height: float) -> str:
    """An `<svg class="overlay">` that fills its parent; hovering over a box shows its label.

    Larger boxes come first, so that smaller ones are on top. A box without extent is drawn 1 px wide or high.

    Args:
        boxes: boxes to draw; without boxes the overlay is empty.
        width: width of the frame of the boxes.
        height: height of the frame of the boxes.
    """
    parts = [f'<svg class="overlay" viewBox="0 0 {width:g} {height:g}" preserveAspectRatio="none" aria-hidden="true">']
    for each in sorted(boxes, key=lambda each: -each.box.area):
        box = each.box
        title = f"<title>{escape(_short(each.label))}</title>" if each.label else ""
        parts.append(
            f'<rect class="{escape(each.kind)}" x="{box.left:.1f}" y="{box.top:.1f}" width="{max(box.width, 1):.1f}" '
            f'height="{max(box.height, 1):.1f}">{title}</rect>'
        )
    parts.append("</svg>")
    return "".join(parts)


def draw_swatch(kind: str) -> str:
    """A small box of a kind, for a legend."""
    return (
        '<svg class="swatch" viewBox="0 0 28 14" aria-hidden="true">'
        f'<rect class="{escape(kind)}" x="2" y="2" width="24" height="10"></rect></svg>'
    )


def _short(label: str) -> str:
    return label if len(label) <= MAX_OVERLAY_LABEL else label[: MAX_OVERLAY_LABEL - 1] + "…"

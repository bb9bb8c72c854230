"""Boxes over an image, as an SVG fragment for HTML. Pure.

Rule 1: what pages say (names, texts) is escaped here; a fragment can be put into any page as it is.
Rule 2: kinds differ by colour and by dash, so that they differ for everybody; the page that shows them says how.
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
"""CSS of what is drawn here. What holds an overlay needs `position: relative` and the image's aspect ratio."""

MAX_LABEL = 300
"""Characters: a tooltip is read at a glance, and a name can be a whole article."""


@dataclass(frozen=True, slots=True)
class OverlayBox:
    """A box in the image's own frame. `kind` is a CSS class: letters, digits and hyphens."""

    box: Box
    kind: str
    label: str = ""


def draw_overlay(boxes: Iterable[OverlayBox], width: float, height: float) -> str:
    """An `<svg class="overlay">` that fills its parent; hovering over a box shows its label. Without boxes it is empty.

    The larger come first, so that the smaller lie over them. A box without extent is drawn 1 px wide or high.

    Args:
        width, height: of the frame that the boxes are in.
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
    """A small box of that kind, for a legend."""
    return (
        '<svg class="swatch" viewBox="0 0 28 14" aria-hidden="true">'
        f'<rect class="{escape(kind)}" x="2" y="2" width="24" height="10"></rect></svg>'
    )


def _short(label: str) -> str:
    return label if len(label) <= MAX_LABEL else label[: MAX_LABEL - 1] + "…"

"""How a page is printed."""

from __future__ import annotations

import math

from perception.browser.page.printing import PdfOptions, check_ranges
from perception.errors import BadInputError
from perception.server.convert.enums import decode_enum
from perception.server.convert.message_fields import require_within
from perception.v1 import file_service_pb2 as pb

MIN_PAPER_MM, MAX_PAPER_MM = 10.0, 5000.0
"""A side of a sheet: PDF's own limit is 200 inches, 5,080 mm."""

MARGIN_MM = 10.0
"""Chromium's default, 1 cm."""

_PAPERS = {
    pb.PAPER_UNSPECIFIED: (210.0, 297.0),
    pb.PAPER_A3: (297.0, 420.0),
    pb.PAPER_A4: (210.0, 297.0),
    pb.PAPER_A5: (148.0, 210.0),
    pb.PAPER_LETTER: (215.9, 279.4),
    pb.PAPER_LEGAL: (215.9, 355.6),
    pb.PAPER_TABLOID: (279.4, 431.8),
}


def pdf_options(message: pb.PdfOptions) -> PdfOptions:
    """Raises BadInputError for what no sheet has."""
    width, height = _paper(message)
    scale = message.scale or 1.0
    require_within(scale, 0.1, 2, "options.scale")
    check_ranges(message.page_ranges)
    margins = _margins(message)
    across, along = (height, width) if message.landscape else (width, height)
    if margins[1] + margins[3] >= across or margins[0] + margins[2] >= along:
        raise BadInputError(
            f"the margins leave no room on a sheet of {across:g} x {along:g} mm: use smaller ones, or a larger paper",
            field="options.margins",
        )
    return PdfOptions(
        width_mm=width,
        height_mm=height,
        landscape=message.landscape,
        margins_mm=margins,
        page_ranges=message.page_ranges.strip(),
        background=message.background,
        scale=scale,
        prefer_css_page_size=message.prefer_css_page_size,
    )


def _paper(message: pb.PdfOptions) -> tuple[float, float]:
    named = decode_enum(_PAPERS, message.paper, "options.paper")
    if not message.HasField("paper_size"):
        return named
    if message.paper:
        raise BadInputError("both paper and paper_size were given: give one of them", field="options.paper_size")
    size = message.paper_size.width_mm, message.paper_size.height_mm
    if not all(MIN_PAPER_MM <= each <= MAX_PAPER_MM for each in size):
        raise BadInputError(
            f"a sheet of {size[0]:g} x {size[1]:g} mm cannot be printed: use {MIN_PAPER_MM:g} to {MAX_PAPER_MM:g} mm a "
            "side",
            field="options.paper_size",
        )
    return size


def _margins(message: pb.PdfOptions) -> tuple[float, float, float, float]:
    if not message.HasField("margins"):
        return MARGIN_MM, MARGIN_MM, MARGIN_MM, MARGIN_MM
    given = message.margins
    margins = given.top_mm, given.right_mm, given.bottom_mm, given.left_mm
    if not all(math.isfinite(each) and each >= 0 for each in margins):
        raise BadInputError("a margin is negative, or no number: use 0 or more mm", field="options.margins")
    return margins

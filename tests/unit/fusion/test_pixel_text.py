"""Comparing what a page says with what OCR read in its pixels."""

from __future__ import annotations

import pytest

from perception.fusion.pixel_text import Agreement, PixelReading, compare_reading, has_digit, is_comparable

SAME, DIFFERS, UNSURE = Agreement.SAME, Agreement.DIFFERS, Agreement.UNSURE


@pytest.mark.parametrize(
    ("said", "seen", "expected"),
    [
        pytest.param("Total 1 250,00 €", "Total1250,00€", SAME, id="spaces-and-signs"),
        pytest.param("Total 1250", "Total 7250", DIFFERS, id="another-digit"),
        pytest.param("Total 1250", "Total 125", DIFFERS, id="missing-digit"),
        pytest.param("Total 1250", "Total 11250", DIFFERS, id="additional-digit"),
        pytest.param("4825 items", "5284 items", DIFFERS, id="reversed"),
        pytest.param("ref l0O1", "ref 100l", SAME, id="look-alikes"),
        pytest.param("Room 101", "Room l0l", SAME, id="digits-read-as-letters"),
        pytest.param("Size 12", "Size 12 V", SAME, id="icon-beside-it"),
        pytest.param("Cart", "3 Cart", SAME, id="badge-beside-it"),
        pytest.param("Order 4711 of a long name 55", "Order 4711 of a…", SAME, id="ellipsis"),
        pytest.param("Order 4711 of a long name 55", "Order 9711 of a…", DIFFERS, id="ellipsis-after-another-digit"),
        pytest.param("Total 50", "Total", UNSURE, id="number-not-shown"),
        pytest.param("Mailbox 12 16 5", "Mailbox 5 16 12", UNSURE, id="badges-in-another-order"),
        pytest.param("Mailbox 12 16 5", "Mailbox 5 61 12", DIFFERS, id="badges-in-another-order-one-other"),
        pytest.param("Tuesday, May 5, 2026", "5", UNSURE, id="day-of-a-date"),
        pytest.param("Row 5: 12.50 EUR, due 2026-07-01", "12.50 EUR", UNSURE, id="part-of-a-longer-label"),
        pytest.param("May 5 2026", "5", UNSURE, id="day-of-a-date-without-commas"),
        pytest.param("Tuesday, May 5, 2026", "6", DIFFERS, id="another-day"),
        pytest.param("Total 1,000,000", "Total 1,000", DIFFERS, id="part-of-a-number"),
        pytest.param("Total 1 000 000", "Total 1 000", DIFFERS, id="part-of-a-spaced-number"),
        pytest.param("31/12/2021", "1202/21/13", DIFFERS, id="date-reversed"),
        pytest.param("HELLO wörld", "Hello world", SAME, id="case-and-accents"),
        pytest.param("co\u00adoperate", "cooperate", SAME, id="soft-hyphen"),
        pytest.param("Decline", "Accept all", DIFFERS, id="other-words"),
        pytest.param("Pay 🙂 now", "Pay now", SAME, id="emoji"),
        pytest.param("", "123", UNSURE, id="nothing-said"),
        pytest.param("123", "", UNSURE, id="nothing-read"),
        pytest.param("15", "15 11:30 Sync", UNSURE, id="event-over-a-day"),
        pytest.param("16", "16 09:00 Standup", UNSURE, id="event-under-a-day"),
        pytest.param("Due 15", "16 Due 15:30", DIFFERS, id="another-number-beside-the-words"),
        pytest.param("Total 250", "Total 1 250 Sync", DIFFERS, id="thousands-are-not-beside-it"),
        pytest.param("1,234^56 USD", "1,2345\u2076USD", SAME, id="one-raised-digit-read-as-raised"),
        pytest.param("1,234^56 USD", "1,234 USD", UNSURE, id="raised-digits-dropped"),
        pytest.param("1,234^56 USD", "1,734^56 USD", DIFFERS, id="another-digit-before-raised-ones"),
        pytest.param("1,234^56 USD", "1,2347\u2076USD", DIFFERS, id="another-raised-digit"),
        pytest.param("5 m\u00b2", "5 m2", SAME, id="unicode-raised-digit-read-as-plain"),
        pytest.param("1,234\u2075\u2076 USD", "1,23456 USD", SAME, id="unicode-raised-digits-read-as-plain"),
        pytest.param("2\u00bd cups", "21/2 cups", SAME, id="fraction"),
        pytest.param("2\u00bd cups", "31/2 cups", DIFFERS, id="another-number-before-a-fraction"),
        pytest.param("1 | 2", "21", UNSURE, id="cells-from-right-to-left"),
        pytest.param("12 | 7 | 30", "30712", UNSURE, id="three-cells-from-right-to-left"),
        pytest.param("12 | 7 | 30", "30721", DIFFERS, id="a-cell-reversed"),
        pytest.param("14:30", "02:30 PM", SAME, id="time"),
        pytest.param("14:30", "02:30 AM", DIFFERS, id="other-half-of-the-day"),
        pytest.param("14:30", "02:40 PM", DIFFERS, id="other-minute"),
        pytest.param("14:30", "\u5348\u5f8c02:30", UNSURE, id="half-of-the-day-in-another-language"),
        pytest.param("00:05:09", "12:05:09AM", SAME, id="midnight-with-seconds"),
        pytest.param("00:05", "12:05:00 AM", SAME, id="seconds-that-the-value-leaves-out"),
        pytest.param("2026-03", "March 2026", SAME, id="month"),
        pytest.param("2026-03", "April 2026", DIFFERS, id="another-month"),
        pytest.param("2026-03", "m\u00e4rz 2026", UNSURE, id="month-in-another-language"),
        pytest.param("2026-03", "March 2028", DIFFERS, id="month-of-another-year"),
        pytest.param("2026-03-04", "03/04/2026", SAME, id="date"),
        pytest.param("2026-03-04", "03/05/2026", DIFFERS, id="another-date"),
        pytest.param("2026-03-04T15:45", "03/04/2026,03:45PM", SAME, id="date-and-time"),
        pytest.param("2026-03-04T15:45", "03/04/2026, 03:46 PM", DIFFERS, id="date-and-another-time"),
        pytest.param("2026-W10", "Week 10, 2026", UNSURE, id="week"),
        pytest.param("1234567.5", "1,234,567.5", SAME, id="grouping"),
        pytest.param("\uff11\uff12", "12", SAME, id="full-width"),
    ],
)
def test_digits_are_strict_and_letters_lenient(said: str, seen: str, expected: Agreement) -> None:
    assert compare_reading(said, PixelReading(seen, 0.99)) is expected


def test_a_digit_that_differs_in_an_unsure_reading_is_no_verdict() -> None:
    assert compare_reading("Total 1250", PixelReading("Total 7250", 0.7)) is UNSURE


def test_signs_and_glyphs_are_not_compared() -> None:
    assert not is_comparable("🙂 → \ue001")
    assert is_comparable("a")
    assert has_digit("a1")
    assert not has_digit("m²")
    assert not has_digit("٣")

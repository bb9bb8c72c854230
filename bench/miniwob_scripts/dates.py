"""Scripts for tasks with dates, times and calendars."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final

from perception.bench.miniwob_scripts.desk import Desk, StuckError, found, words_of
from perception.v1 import types_pb2 as pb


async def choose_date(desk: Desk) -> None:
    (date,) = found(r"(\d+/\d+/\d+)", desk.words)
    await _pick(desk, (await desk.look()).one("textbox"), date)
    await desk.submit()


async def enter_date(desk: Desk) -> None:
    (date,) = found(r"(\d+/\d+/\d+)", desk.words)
    await desk.type((await desk.look()).one("textbox"), f"{_day(date):%Y-%m-%d}")
    await desk.submit()


async def enter_time(desk: Desk) -> None:
    (moment,) = found(r"(\d+:\d+ [AP]M)", desk.words)
    await desk.type((await desk.look()).one("textbox"), f"{datetime.strptime(moment, '%I:%M %p'):%H:%M}")
    await desk.submit()


async def book_flight(desk: Desk) -> None:
    start, end, date = found(r"from: (.+) to: (.+) on (\d+/\d+/\d+)", desk.words)
    for at, place in enumerate((start, end)):
        await desk.type((await desk.look()).all("textbox")[at], place, keystrokes=True)
        await desk.click(await desk.seek("listitem", says=rf"^{re.escape(place)} \(|\({re.escape(place)}\)"))
    await _pick(desk, (await desk.look()).all("textbox")[2], date)
    await desk.click((await desk.look()).one("button", name="Search"))
    await _buy(desk, r"flight for \$(\d+)")


async def buy_ticket(desk: Desk) -> None:
    await _buy(desk, r"Book for \$(\d+)")


async def _pick(desk: Desk, field: pb.Element, date: str) -> None:
    """Opens a field's calendar, turns its pages to the month, and clicks the day."""
    day = _day(date)
    await desk.click(field)
    for _ in range(24):
        sight = await desk.look()
        (shown,) = re.findall(r"[A-Z][a-z]+ \d{4}", sight.words())[:1] or [""]
        if not shown:
            raise StuckError("no month is shown")
        month = datetime.strptime(shown, "%B %Y")
        if (month.year, month.month) == (day.year, day.month):
            await desk.click(sight.one("link", name=str(day.day)))
            return
        await desk.click(sight.one(says="^next" if month < day else "^prev"))
    raise StuckError(f"{date} is not in the calendar")


async def _buy(desk: Desk, price: str) -> None:
    """The offer that is best by what is asked for. Lengths and buttons come in the same order."""
    sight = await desk.look()
    buttons = sight.all("button", says=price)
    lengths = [re.findall(r"(\d+)h (\d+)m", words_of(each)) for each in sight.all("text", says=r"\d+h \d+m")]
    minutes = [60 * int(hours) + int(rest) for length in lengths for hours, rest in length]
    prices = [int(found(price, words_of(each))[0]) for each in buttons]
    by = minutes if "duration" in desk.words or "shortest" in desk.words else prices
    pick: Callable[[list[int]], int] = max if re.search("longest|most", desk.words) else min
    await desk.click(buttons[by.index(pick(by))])


def _day(date: str) -> datetime:
    return datetime.strptime(date, "%m/%d/%Y")


SCRIPTS: Final = {
    **dict.fromkeys(("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay"), choose_date),
    "book-flight": book_flight,
    "book-flight-nodelay": book_flight,
    "buy-ticket": buy_ticket,
    "enter-date": enter_date,
    "enter-time": enter_time,
}

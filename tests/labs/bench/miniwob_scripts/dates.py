"""Scripts for tasks with dates, times and calendars."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final

from perception.v1 import types_pb2 as pb
from tests.labs.bench.miniwob_scripts.driver import EpisodeDriver, StuckError, found, words_of


async def choose_date(driver: EpisodeDriver) -> None:
    (date,) = found(r"(\d+/\d+/\d+)", driver.words)
    await _pick(driver, (await driver.look()).one("textbox"), date)
    await driver.submit()


async def enter_date(driver: EpisodeDriver) -> None:
    (date,) = found(r"(\d+/\d+/\d+)", driver.words)
    await driver.type((await driver.look()).one("textbox"), f"{_day(date):%Y-%m-%d}")
    await driver.submit()


async def enter_time(driver: EpisodeDriver) -> None:
    (moment,) = found(r"(\d+:\d+ [AP]M)", driver.words)
    await driver.type((await driver.look()).one("textbox"), f"{datetime.strptime(moment, '%I:%M %p'):%H:%M}")
    await driver.submit()


async def book_flight(driver: EpisodeDriver) -> None:
    start, end, date = found(r"from: (.+) to: (.+) on (\d+/\d+/\d+)", driver.words)
    for at, place in enumerate((start, end)):
        await driver.type((await driver.look()).all("textbox")[at], place, keystrokes=True)
        await driver.click(await driver.seek("listitem", says=rf"^{re.escape(place)} \(|\({re.escape(place)}\)"))
    await _pick(driver, (await driver.look()).all("textbox")[2], date)
    await driver.click((await driver.look()).one("button", name="Search"))
    await _buy(driver, r"flight for \$(\d+)")


async def buy_ticket(driver: EpisodeDriver) -> None:
    await _buy(driver, r"Book for \$(\d+)")


async def _pick(driver: EpisodeDriver, field: pb.Element, date: str) -> None:
    """Opens a field's calendar, turns its pages to the month, and clicks the day."""
    day = _day(date)
    await driver.click(field)
    for _ in range(24):
        sight = await driver.look()
        (shown,) = re.findall(r"[A-Z][a-z]+ \d{4}", sight.words())[:1] or [""]
        if not shown:
            raise StuckError("no month is shown")
        month = datetime.strptime(shown, "%B %Y")
        if (month.year, month.month) == (day.year, day.month):
            await driver.click(sight.one("link", name=str(day.day)))
            return
        await driver.click(sight.one(says="^next" if month < day else "^prev"))
    raise StuckError(f"{date} is not in the calendar")


async def _buy(driver: EpisodeDriver, price: str) -> None:
    """The offer that is best by what is asked for. Lengths and buttons come in the same order."""
    sight = await driver.look()
    buttons = sight.all("button", says=price)
    lengths = [re.findall(r"(\d+)h (\d+)m", words_of(each)) for each in sight.all("text", says=r"\d+h \d+m")]
    minutes = [60 * int(hours) + int(rest) for length in lengths for hours, rest in length]
    prices = [int(found(price, words_of(each))[0]) for each in buttons]
    by = minutes if "duration" in driver.words or "shortest" in driver.words else prices
    pick: Callable[[list[int]], int] = max if re.search("longest|most", driver.words) else min
    await driver.click(buttons[by.index(pick(by))])


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

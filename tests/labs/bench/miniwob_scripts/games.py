"""Scripts for tasks with numbers: sums, guesses, coordinates, prices."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final

from tests.labs.bench.miniwob_scripts.driver import EpisodeDriver, StuckError, found, middle, words_of

TRIES = 60
"""Far more than a task takes that is done right."""

HEAT: Final = {"HOT": (0, 5), "WARM": (5, 10), "COLD": (10, 40), "ICE COLD": (40, 400)}
"""CSS px from the hot spot at which each is shown."""

TICK: Final = 1.5
"""Dollars that a price may move by in one tick of 0.1 s, about the time from a look to its click."""


async def ascending_numbers(driver: EpisodeDriver) -> None:
    """What is clicked first hides the other numbers, and leaves them in their places."""
    numbers = sorted((await driver.look()).all("generic"), key=lambda each: int(words_of(each)))
    for point in [middle(each) for each in numbers]:
        await driver.click(point)


async def simple_arithmetic(driver: EpisodeDriver) -> None:
    sight = await driver.look()
    a, sign, b = found(r"(\d+) ([-+x]) (\d+)", words_of(sight.one("text")))
    do: dict[str, Callable[[int, int], int]] = {"-": int.__sub__, "+": int.__add__, "x": int.__mul__}
    await driver.type(sight.one("textbox"), str(do[sign](int(a), int(b))))
    await driver.submit()


async def simple_algebra(driver: EpisodeDriver) -> None:
    sight = await driver.look()
    a, sign, b, total = found(r"(\w+) ([-+]) (\w+) = (-?\d+)", words_of(sight.one("text", says="=.*[0-9]")))
    if sign == "+":
        answer = int(total) - int(b if a == "x" else a)
    else:
        answer = int(total) + int(b) if a == "x" else int(a) - int(total)
    await driver.type(sight.one("textbox"), str(answer))
    await driver.submit()


async def generate_number(driver: EpisodeDriver) -> None:
    for _ in range(TRIES):
        await driver.click((await driver.look()).one("button", name="Generate"))
        if _fits(int(words_of((await driver.look()).one("text"))), driver.words):
            await driver.submit()
            return
    raise StuckError("no number fits")


async def guess_number(driver: EpisodeDriver) -> None:
    low, high = 0, 9
    while low <= high:
        guess = (low + high) // 2
        await driver.type((await driver.look()).one("spinbutton"), str(guess))
        await driver.submit()
        higher = (await driver.look()).all(says="is higher than")
        low, high = (guess + 1, high) if higher else (low, guess - 1)


async def grid_coordinate(driver: EpisodeDriver) -> None:
    """As many dots each way from the middle one."""
    right, up = (int(each) for each in found(r"\((-?\d+),(-?\d+)\)", driver.words))
    points = [middle(each) for each in (await driver.look()).all("graphics-symbol")]
    across, down = (sorted({round(point[axis]) for point in points}) for axis in (0, 1))
    await driver.click((across[len(across) // 2 + right], down[len(down) // 2 - up]))


async def hot_cold(driver: EpisodeDriver) -> None:
    """Each reading leaves a ring of places; the next one is taken in the middle of what is left."""
    box = (await driver.look()).one("generic").box
    left = [
        (x, y)
        for x in range(math.ceil(box.x) + 2, int(box.x + box.width) - 2, 2)
        for y in range(math.ceil(box.y) + 2, int(box.y + box.height) - 2, 2)
    ]
    for _ in range(TRIES):
        center = [sum(each) / len(left) for each in zip(*left, strict=True)]
        point = min(left, key=lambda each: math.dist(each, center))
        await driver.hover(point)
        (heat,) = found(r"(ICE COLD|COLD|WARM|HOT)", (await driver.look()).words())
        if heat == "HOT":
            await driver.click(point)
            return
        near, far = HEAT[heat]
        left = [each for each in left if near <= math.dist(each, point) < far and each != point]
    raise StuckError("the hot spot was not found")


async def stock_market(driver: EpisodeDriver) -> None:
    """Buys when the price will still be low when the click comes."""
    (limit,) = found(r"less than \$([\d.]+)\.", driver.words)
    buy = (await driver.look()).one("button", name="Buy")
    for _ in range(10 * TRIES):
        price = re.search(r"\$([\d.]+)", (await driver.look()).words())
        if price is not None and float(price[1]) <= float(limit) - TICK:
            await driver.click(buy, settle_timeout=0)
            return
    raise StuckError("the price did not fall")


async def terminal(driver: EpisodeDriver) -> None:
    await driver.click((await driver.look()).one("generic"))
    await _command(driver, "ls")
    shown = (await driver.look()).words()
    files = re.findall(r"\b[a-z]\w*(?:\.\w+)*", shown.partition("user$ ls")[2].partition("user$")[0])
    ending = re.search(r"extension (\.[\w.]+)", driver.words)
    name = next((each for each in files if (each.endswith(ending[1]) if ending else "." not in each)), None)
    if name is None:
        raise StuckError(f"no such file in {shown!r}")
    await _command(driver, f"rm {name}")


async def _command(driver: EpisodeDriver, line: str) -> None:
    await driver.type(None, line, keystrokes=True)
    await driver.press("Enter")


def _fits(number: int, words: str) -> bool:
    bound = re.search(r"(less|greater) than (\d+)", words)
    if bound:
        return number < int(bound[2]) if bound[1] == "less" else number > int(bound[2])
    return number % 2 == ("odd" in words)


SCRIPTS: Final = {
    "ascending-numbers": ascending_numbers,
    "generate-number": generate_number,
    "grid-coordinate": grid_coordinate,
    "guess-number": guess_number,
    "hot-cold": hot_cold,
    "simple-algebra": simple_algebra,
    "simple-arithmetic": simple_arithmetic,
    "stock-market": stock_market,
    "terminal": terminal,
}

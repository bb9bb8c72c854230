"""Scripts for tasks with numbers: sums, guesses, coordinates, prices."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Final

from perception.bench.miniwob_scripts.desk import Desk, StuckError, found, middle, words_of

TRIES = 60
"""Far more than a task takes that is done right."""

HEAT: Final = {"HOT": (0, 5), "WARM": (5, 10), "COLD": (10, 40), "ICE COLD": (40, 400)}
"""CSS px from the hot spot at which each is shown."""

TICK: Final = 1.5
"""Dollars that a price may move by in one tick of 0.1 s, about the time from a look to its click."""


async def ascending_numbers(desk: Desk) -> None:
    """What is clicked first hides the other numbers, and leaves them in their places."""
    numbers = sorted((await desk.look()).all("generic"), key=lambda each: int(words_of(each)))
    for point in [middle(each) for each in numbers]:
        await desk.click(point)


async def simple_arithmetic(desk: Desk) -> None:
    sight = await desk.look()
    a, sign, b = found(r"(\d+) ([-+x]) (\d+)", words_of(sight.one("text")))
    do: dict[str, Callable[[int, int], int]] = {"-": int.__sub__, "+": int.__add__, "x": int.__mul__}
    await desk.type(sight.one("textbox"), str(do[sign](int(a), int(b))))
    await desk.submit()


async def simple_algebra(desk: Desk) -> None:
    sight = await desk.look()
    a, sign, b, total = found(r"(\w+) ([-+]) (\w+) = (-?\d+)", words_of(sight.one("text", says="=.*[0-9]")))
    if sign == "+":
        answer = int(total) - int(b if a == "x" else a)
    else:
        answer = int(total) + int(b) if a == "x" else int(a) - int(total)
    await desk.type(sight.one("textbox"), str(answer))
    await desk.submit()


async def generate_number(desk: Desk) -> None:
    for _ in range(TRIES):
        await desk.click((await desk.look()).one("button", name="Generate"))
        if _fits(int(words_of((await desk.look()).one("text"))), desk.words):
            await desk.submit()
            return
    raise StuckError("no number fits")


async def guess_number(desk: Desk) -> None:
    low, high = 0, 9
    while low <= high:
        guess = (low + high) // 2
        await desk.type((await desk.look()).one("spinbutton"), str(guess))
        await desk.submit()
        higher = (await desk.look()).all(says="is higher than")
        low, high = (guess + 1, high) if higher else (low, guess - 1)


async def grid_coordinate(desk: Desk) -> None:
    """As many dots each way from the middle one."""
    right, up = (int(each) for each in found(r"\((-?\d+),(-?\d+)\)", desk.words))
    points = [middle(each) for each in (await desk.look()).all("graphics-symbol")]
    across, down = (sorted({round(point[axis]) for point in points}) for axis in (0, 1))
    await desk.click((across[len(across) // 2 + right], down[len(down) // 2 - up]))


async def hot_cold(desk: Desk) -> None:
    """Each reading leaves a ring of places; the next one is taken in the middle of what is left."""
    box = (await desk.look()).one("generic").box
    left = [
        (x, y)
        for x in range(math.ceil(box.x) + 2, int(box.x + box.width) - 2, 2)
        for y in range(math.ceil(box.y) + 2, int(box.y + box.height) - 2, 2)
    ]
    for _ in range(TRIES):
        center = [sum(each) / len(left) for each in zip(*left, strict=True)]
        point = min(left, key=lambda each: math.dist(each, center))
        await desk.hover(point)
        (heat,) = found(r"(ICE COLD|COLD|WARM|HOT)", (await desk.look()).words())
        if heat == "HOT":
            await desk.click(point)
            return
        near, far = HEAT[heat]
        left = [each for each in left if near <= math.dist(each, point) < far and each != point]
    raise StuckError("the hot spot was not found")


async def stock_market(desk: Desk) -> None:
    """Buys when the price will still be low when the click comes."""
    (limit,) = found(r"less than \$([\d.]+)\.", desk.words)
    buy = (await desk.look()).one("button", name="Buy")
    for _ in range(10 * TRIES):
        price = re.search(r"\$([\d.]+)", (await desk.look()).words())
        if price is not None and float(price[1]) <= float(limit) - TICK:
            await desk.click(buy, settle_timeout=0)
            return
    raise StuckError("the price did not fall")


async def terminal(desk: Desk) -> None:
    await desk.click((await desk.look()).one("generic"))
    await _command(desk, "ls")
    shown = (await desk.look()).words()
    files = re.findall(r"\b[a-z]\w*(?:\.\w+)*", shown.partition("user$ ls")[2].partition("user$")[0])
    ending = re.search(r"extension (\.[\w.]+)", desk.words)
    name = next((each for each in files if (each.endswith(ending[1]) if ending else "." not in each)), None)
    if name is None:
        raise StuckError(f"no such file in {shown!r}")
    await _command(desk, f"rm {name}")


async def _command(desk: Desk, line: str) -> None:
    await desk.type(None, line, keystrokes=True)
    await desk.press("Enter")


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

"""Scripts for tasks that find a thing and click it: menus, pages of results, posts, orders."""

from __future__ import annotations

import asyncio
import re
from typing import Final

from perception.v1 import types_pb2 as pb
from tests.labs.bench.miniwob_scripts.driver import (
    EpisodeDriver,
    StuckError,
    TaskSnapshot,
    found,
    ordinal,
    quoted,
    words_of,
)

PAGE = 3
"""Results on a page of the search engine."""

ICONS: Final = ("Reply", "Retweet", "Like", "Share")
"""The icons below a post, in their order: pictures have no words."""

PAGES = 30
"""More than any of the books has."""


async def click_menu(driver: EpisodeDriver) -> None:
    """Each entry opens the next menu; the last one is clicked."""
    (path,) = found(r"Select (.+)", driver.words)
    *parents, leaf = path.split(">")
    for name in parents:
        await driver.hover(await driver.seek("menuitem", name=name))
    await driver.click(await driver.seek("menuitem", name=leaf))


async def click_menu_2(driver: EpisodeDriver) -> None:
    await driver.click((await driver.look()).one("button", name="Menu"))
    sight = await driver.look()
    *_, name = quoted(driver.words)
    if not sight.all("menuitem", name=name):
        await driver.hover(sight.one("menuitem", name="Playback"))
    await driver.click(await driver.seek("menuitem", name=name))


async def phone_book(driver: EpisodeDriver) -> None:
    name, label = found(r"Find (\w+) in .* their (.+)\.", driver.words)
    for _ in range(PAGES):
        sight = await driver.look()
        if sight.all("heading", name=name):
            landmark = sight.one("text", says=f"^{label.split()[0]}")
            await driver.click(sight.below(landmark, "link")[0])
            return
        await driver.click(sight.one("link", name=">"))
    raise StuckError(f"{name} is on none of {PAGES} pages")


async def search_engine(driver: EpisodeDriver) -> None:
    sight = await driver.look()
    await driver.type(sight.one("textbox"), quoted(driver.words)[0])
    await driver.click(sight.one("button", name="Search"))
    page, at = divmod(ordinal(driver.words) - 1, PAGE)
    if page:
        await driver.click((await driver.look()).one("link", "button", name=str(page + 1)))
    results = (await driver.look()).all("link", says=r"^[A-Z]")
    await driver.click(results[at])


async def social_media(driver: EpisodeDriver) -> None:
    """One post's icon, or an entry of the menu behind its last one."""
    user = found(r"user (@\w+)", driver.words)[0]
    (action,) = quoted(driver.words)
    icons = _icons(await driver.look(), user)[0]
    if action in ICONS[:3]:
        await driver.click(icons[ICONS.index(action)])
        return
    await driver.click(icons[3])
    await driver.click((await driver.look()).one(says=f"^{re.escape(action)}"))


async def social_media_posts(driver: EpisodeDriver) -> None:
    """All of a user's posts, or as many as are asked for."""
    action = quoted(driver.words)[0]
    amount, user = found(r"on (\w+) posts? by (@\w+)", driver.words)
    posts = _icons(await driver.look(), user)
    for icons in posts if amount == "all" else posts[: int(amount)]:
        await driver.click(icons[ICONS.index(action)])
    await driver.submit()


async def order_food(driver: EpisodeDriver) -> None:
    by_name = re.search(r"each item: (.+)", driver.words)
    if by_name:
        for name in by_name[1].split(","):
            sight = await driver.look()
            await driver.click(_add(sight, sight.one("text", name=name.strip())))
    else:
        amount, kind = found(r"Order (\d+) items that are (.+)", driver.words)
        for _ in range(int(amount)):
            sight = await driver.look()
            await driver.click(_add(sight, sight.one("img", name=kind)))
    await driver.click((await driver.look()).one("button", name="Order!"))


async def odd_or_even(driver: EpisodeDriver) -> None:
    sight = await driver.look()
    rows = zip(sight.all("text"), sight.all("button", name="Odd"), sight.all("button", name="Even"), strict=True)
    for number, odd, even in rows:
        await driver.click(odd if int(words_of(number)) % 2 else even)
    await driver.submit()


async def find_greatest(driver: EpisodeDriver) -> None:
    sight = await driver.look()
    await driver.click(max(sight.all("generic"), key=lambda card: int(words_of(card))))
    await driver.submit()


async def click_widget(driver: EpisodeDriver) -> None:
    """A text area is a text box of more than one line."""
    (kind,) = quoted(driver.words)
    sight = await driver.look()
    boxes = sorted(sight.all("textbox"), key=lambda each: each.box.height)
    if kind in ("text", "textarea"):
        await driver.click(boxes[-1 if kind == "textarea" else 0])
    else:
        await driver.click(sight.one(kind))


async def button_delay(driver: EpisodeDriver) -> None:
    (seconds,) = found(r"wait (\d+) second", driver.words)
    sight = await driver.look()
    await driver.click(sight.one("button", name="ONE"), settle_timeout=0)
    await asyncio.sleep(int(seconds))  # as the task says
    await driver.click(sight.one("button", name="TWO"), settle_timeout=0)


def _add(sight: TaskSnapshot, landmark: pb.Element) -> pb.Element:
    return next(each for each in sight.below(landmark, "generic") if words_of(each) == "+")


def _icons(sight: TaskSnapshot, user: str) -> list[list[pb.Element]]:
    """The icons of each post by a user, post by post."""
    posts = sight.all("text", says=rf"{re.escape(user)}\b(?!\w)")
    return [sight.below(post, "generic")[: len(ICONS)] for post in posts]


SCRIPTS: Final = {
    "button-delay": button_delay,
    "click-menu": click_menu,
    "click-menu-2": click_menu_2,
    "click-widget": click_widget,
    "find-greatest": find_greatest,
    "odd-or-even": odd_or_even,
    "order-food": order_food,
    "phone-book": phone_book,
    "search-engine": search_engine,
    "social-media": social_media,
    "social-media-all": social_media_posts,
    "social-media-some": social_media_posts,
}

"""Scripts for tasks that find a thing and click it: menus, pages of results, posts, orders."""

from __future__ import annotations

import asyncio
import re
from typing import Final

from perception.bench.miniwob_scripts.desk import (
    Desk,
    Sight,
    StuckError,
    found,
    ordinal,
    quoted,
    words_of,
)
from perception.v1 import types_pb2 as pb

PAGE = 3
"""Results on a page of the search engine."""

ICONS: Final = ("Reply", "Retweet", "Like", "Share")
"""The icons below a post, in their order: pictures have no words."""

PAGES = 30
"""More than any of the books has."""


async def click_menu(desk: Desk) -> None:
    """Each entry opens the next menu; the last one is clicked."""
    (path,) = found(r"Select (.+)", desk.words)
    *parents, leaf = path.split(">")
    for name in parents:
        await desk.hover(await desk.seek("menuitem", name=name))
    await desk.click(await desk.seek("menuitem", name=leaf))


async def click_menu_2(desk: Desk) -> None:
    await desk.click((await desk.look()).one("button", name="Menu"))
    sight = await desk.look()
    *_, name = quoted(desk.words)
    if not sight.all("menuitem", name=name):
        await desk.hover(sight.one("menuitem", name="Playback"))
    await desk.click(await desk.seek("menuitem", name=name))


async def phone_book(desk: Desk) -> None:
    name, label = found(r"Find (\w+) in .* their (.+)\.", desk.words)
    for _ in range(PAGES):
        sight = await desk.look()
        if sight.all("heading", name=name):
            landmark = sight.one("text", says=f"^{label.split()[0]}")
            await desk.click(sight.below(landmark, "link")[0])
            return
        await desk.click(sight.one("link", name=">"))
    raise StuckError(f"{name} is on none of {PAGES} pages")


async def search_engine(desk: Desk) -> None:
    sight = await desk.look()
    await desk.type(sight.one("textbox"), quoted(desk.words)[0])
    await desk.click(sight.one("button", name="Search"))
    page, at = divmod(ordinal(desk.words) - 1, PAGE)
    if page:
        await desk.click((await desk.look()).one("link", "button", name=str(page + 1)))
    results = (await desk.look()).all("link", says=r"^[A-Z]")
    await desk.click(results[at])


async def social_media(desk: Desk) -> None:
    """One post's icon, or an entry of the menu behind its last one."""
    user = found(r"user (@\w+)", desk.words)[0]
    (action,) = quoted(desk.words)
    icons = _icons(await desk.look(), user)[0]
    if action in ICONS[:3]:
        await desk.click(icons[ICONS.index(action)])
        return
    await desk.click(icons[3])
    await desk.click((await desk.look()).one(says=f"^{re.escape(action)}"))


async def social_media_posts(desk: Desk) -> None:
    """All of a user's posts, or as many as are asked for."""
    action = quoted(desk.words)[0]
    amount, user = found(r"on (\w+) posts? by (@\w+)", desk.words)
    posts = _icons(await desk.look(), user)
    for icons in posts if amount == "all" else posts[: int(amount)]:
        await desk.click(icons[ICONS.index(action)])
    await desk.submit()


async def order_food(desk: Desk) -> None:
    by_name = re.search(r"each item: (.+)", desk.words)
    if by_name:
        for name in by_name[1].split(","):
            sight = await desk.look()
            await desk.click(_add(sight, sight.one("text", name=name.strip())))
    else:
        amount, kind = found(r"Order (\d+) items that are (.+)", desk.words)
        for _ in range(int(amount)):
            sight = await desk.look()
            await desk.click(_add(sight, sight.one("img", name=kind)))
    await desk.click((await desk.look()).one("button", name="Order!"))


async def odd_or_even(desk: Desk) -> None:
    sight = await desk.look()
    rows = zip(sight.all("text"), sight.all("button", name="Odd"), sight.all("button", name="Even"), strict=True)
    for number, odd, even in rows:
        await desk.click(odd if int(words_of(number)) % 2 else even)
    await desk.submit()


async def find_greatest(desk: Desk) -> None:
    sight = await desk.look()
    await desk.click(max(sight.all("generic"), key=lambda card: int(words_of(card))))
    await desk.submit()


async def click_widget(desk: Desk) -> None:
    """A text area is a text box of more than one line."""
    (kind,) = quoted(desk.words)
    sight = await desk.look()
    boxes = sorted(sight.all("textbox"), key=lambda each: each.box.height)
    if kind in ("text", "textarea"):
        await desk.click(boxes[-1 if kind == "textarea" else 0])
    else:
        await desk.click(sight.one(kind))


async def button_delay(desk: Desk) -> None:
    (seconds,) = found(r"wait (\d+) second", desk.words)
    sight = await desk.look()
    await desk.click(sight.one("button", name="ONE"), settle_timeout=0)
    await asyncio.sleep(int(seconds))  # as the task says
    await desk.click(sight.one("button", name="TWO"), settle_timeout=0)


def _add(sight: Sight, landmark: pb.Element) -> pb.Element:
    return next(each for each in sight.below(landmark, "generic") if words_of(each) == "+")


def _icons(sight: Sight, user: str) -> list[list[pb.Element]]:
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

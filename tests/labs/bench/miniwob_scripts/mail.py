"""Scripts for the mail box: what is asked for is said in many ways."""

from __future__ import annotations

import re
from typing import Final

from perception.v1 import types_pb2 as pb
from tests.labs.bench.miniwob_scripts.driver import EpisodeDriver, StuckError, contains, middle, quoted, words_of

TRASH, STAR = 0, 1
"""The icons of a mail, from the right."""

ASIDE = 0.2
"""How far from the middle of the bar its two icons are, of its width."""

_DELETE = re.compile(r"delete|trash|remove|\brid\b|throw|erase|bin\b", re.IGNORECASE)
_MARK = re.compile(r"\bstar|important|favou?rite|flag", re.IGNORECASE)
_REPLY = re.compile(r"repl|respond|response|answer|write back", re.IGNORECASE)
_BY = re.compile(r"(?:by|from) ([A-Z]\w+)|([A-Z]\w+) (?:sent|wants h)|Get ([A-Z]\w+)")


_NO_NAMES = frozenset("Email Find Forward Get Give Go It Locate Look Navigate Open Please Search Send The".split())
"""Words with a capital that begin sentences about mail."""


async def email_inbox(driver: EpisodeDriver) -> None:
    mails = [each for each in (await driver.look()).all("generic") if words_of(each)]
    senders = {words_of(each).split()[0]: each for each in mails}
    sender = _sender(driver.words, senders)
    if _REPLY.search(driver.words):
        await _open(driver, senders[sender], "Reply")
        await _send(driver, 0, re.sub(r"[“”]", '"', driver.words))
    elif _DELETE.search(driver.words):
        await driver.click((await _icons(driver, senders[sender]))[TRASH])
    elif _MARK.search(driver.words):
        await driver.click((await _icons(driver, senders[sender]))[STAR])
    else:
        await _open(driver, senders[sender], "Forward")
        await _forward(driver, sender)


def _sender(words: str, senders: dict[str, pb.Element]) -> str:
    said = [name for match in _BY.finditer(words) for name in match.groups() if name in senders]
    said += [name for name in senders if re.search(rf"(?<!to )\b{name}\b", words)]
    said += [name for name in senders if name in words]
    if not said:
        raise StuckError(f"none of {', '.join(senders)} is named")
    return said[0]


async def _icons(driver: EpisodeDriver, mail: pb.Element) -> list[pb.Element]:
    """Those in a mail's corner, from the right."""
    icons = (each for each in (await driver.look()).all("generic", says="^$") if contains(mail, middle(each)))
    return sorted(icons, key=lambda each: -each.box.x)


async def _open(driver: EpisodeDriver, mail: pb.Element, action: str) -> None:
    """Two icons, which are listed as one element where the page says of the bar around them that it is clicked."""
    await driver.click(mail)
    bar = (await driver.look()).one("generic", says=f"Reply.*Forward|^{action}$")
    (x, y), alone = middle(bar), words_of(bar) == action
    aside = 0 if alone else ASIDE * bar.box.width
    await driver.click((x - aside if action == "Reply" else x + aside, y))


async def _send(driver: EpisodeDriver, field: int, words: str) -> None:
    await driver.type((await driver.look()).all("textbox")[field], quoted(words)[-1])
    await _click_send(driver)


async def _forward(driver: EpisodeDriver, sender: str) -> None:
    said = re.findall(r"\bto ([A-Z]\w+)", driver.words) + re.findall(r"\b[A-Z][a-z]+\b", driver.words)
    (receiver, *_) = [name for name in said if name != sender and name not in _NO_NAMES] or [sender]
    await driver.type((await driver.look()).all("textbox")[0], receiver)
    await _click_send(driver)


async def _click_send(driver: EpisodeDriver) -> None:
    """The icon at the right end of the bar on top."""
    icons = (await driver.look()).all("generic", "button", says="^$")
    await driver.click(max((each for each in icons if each.box.width < 40), key=lambda each: each.box.x))


SCRIPTS: Final = dict.fromkeys(
    (
        "email-inbox",
        "email-inbox-delete",
        "email-inbox-forward",
        "email-inbox-forward-nl",
        "email-inbox-forward-nl-turk",
        "email-inbox-important",
        "email-inbox-nl-turk",
        "email-inbox-noscroll",
        "email-inbox-reply",
        "email-inbox-star-reply",
    ),
    email_inbox,
)

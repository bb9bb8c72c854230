"""Scripts for the mail box: what is asked for is said in many ways."""

from __future__ import annotations

import re
from typing import Final

from perception.bench.miniwob_scripts.desk import Desk, StuckError, contains, middle, quoted, words_of
from perception.v1 import types_pb2 as pb

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


async def email_inbox(desk: Desk) -> None:
    mails = [each for each in (await desk.look()).all("generic") if words_of(each)]
    senders = {words_of(each).split()[0]: each for each in mails}
    sender = _sender(desk.words, senders)
    if _REPLY.search(desk.words):
        await _open(desk, senders[sender], "Reply")
        await _send(desk, 0, re.sub(r"[“”]", '"', desk.words))
    elif _DELETE.search(desk.words):
        await desk.click((await _icons(desk, senders[sender]))[TRASH])
    elif _MARK.search(desk.words):
        await desk.click((await _icons(desk, senders[sender]))[STAR])
    else:
        await _open(desk, senders[sender], "Forward")
        await _forward(desk, sender)


def _sender(words: str, senders: dict[str, pb.Element]) -> str:
    said = [name for match in _BY.finditer(words) for name in match.groups() if name in senders]
    said += [name for name in senders if re.search(rf"(?<!to )\b{name}\b", words)]
    said += [name for name in senders if name in words]
    if not said:
        raise StuckError(f"none of {', '.join(senders)} is named")
    return said[0]


async def _icons(desk: Desk, mail: pb.Element) -> list[pb.Element]:
    """Those in a mail's corner, from the right."""
    icons = (each for each in (await desk.look()).all("generic", says="^$") if contains(mail, middle(each)))
    return sorted(icons, key=lambda each: -each.box.x)


async def _open(desk: Desk, mail: pb.Element, action: str) -> None:
    """Two icons, which are listed as one element where the page says of the bar around them that it is clicked."""
    await desk.click(mail)
    bar = (await desk.look()).one("generic", says=f"Reply.*Forward|^{action}$")
    (x, y), alone = middle(bar), words_of(bar) == action
    aside = 0 if alone else ASIDE * bar.box.width
    await desk.click((x - aside if action == "Reply" else x + aside, y))


async def _send(desk: Desk, field: int, words: str) -> None:
    await desk.type((await desk.look()).all("textbox")[field], quoted(words)[-1])
    await _click_send(desk)


async def _forward(desk: Desk, sender: str) -> None:
    said = re.findall(r"\bto ([A-Z]\w+)", desk.words) + re.findall(r"\b[A-Z][a-z]+\b", desk.words)
    (receiver, *_) = [name for name in said if name != sender and name not in _NO_NAMES] or [sender]
    await desk.type((await desk.look()).all("textbox")[0], receiver)
    await _click_send(desk)


async def _click_send(desk: Desk) -> None:
    """The icon at the right end of the bar on top."""
    icons = (await desk.look()).all("generic", "button", says="^$")
    await desk.click(max((each for each in icons if each.box.width < 40), key=lambda each: each.box.x))


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

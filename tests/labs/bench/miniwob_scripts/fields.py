"""Scripts for tasks that fill something in: text, lists, sliders, editors."""

from __future__ import annotations

import asyncio
import re
from typing import Final

from perception.v1 import types_pb2 as pb
from tests.labs.bench.miniwob_scripts.driver import (
    REST_SECONDS,
    EpisodeDriver,
    TaskSnapshot,
    found,
    middle,
    ordinal,
    quoted,
    words_of,
)

HANDLE_SIDE = 20.0
"""CSS px: a slider's handle is smaller each way, its track longer one way."""

BOTTOM_PX = 5000.0
"""Farther than any text goes."""

PALETTE: Final = ("red", "orange", "yellow", "green", "blue", "purple")
"""Quill's colors, as its palette has them after black: names that eyes give to swatches without words."""


async def choose_list(driver: EpisodeDriver) -> None:
    (what,) = found(r"Select (.+) from the list", driver.words)
    await driver.select((await driver.look()).one("combobox"), what)
    await driver.submit()


async def click_scroll_list(driver: EpisodeDriver) -> None:
    (what,) = found(r"Select (.+) from the scroll list", driver.words)
    await driver.select((await driver.look()).one("listbox"), *what.split(", "))
    await driver.submit()


async def copy_paste(driver: EpisodeDriver) -> None:
    """By the clipboard: that keeps what a value's listing might not."""
    boxes = (await driver.look()).all("textbox")
    (target,) = [each for each in boxes if not each.value]
    sources = [each for each in boxes if each.value]
    which = ordinal(driver.words) if len(sources) > 1 else 1
    await driver.click(sources[which - 1])
    await driver.press("Control+A")
    await driver.press("Control+C")
    await driver.click(target)
    await driver.press("Control+V")
    await driver.submit()


async def enter_text_2(driver: EpisodeDriver) -> None:
    (text,) = quoted(driver.words)
    text = text.upper() if "upper case" in driver.words else text.lower()
    await driver.type((await driver.look()).one("textbox"), text)
    await driver.submit()


async def text_transform(driver: EpisodeDriver) -> None:
    sight = await driver.look()
    letters = "".join(words_of(each) for each in sight.all("text"))
    await driver.type(sight.one("textbox"), letters.replace(" ", ""))
    await driver.submit()


async def scroll_text(driver: EpisodeDriver) -> None:
    """The last word of a text that is longer than its field."""
    text, field = (await driver.look()).all("textbox")
    await driver.type(field, re.findall(r"\w+", text.value)[-1])
    await driver.submit()


async def scroll_text_2(driver: EpisodeDriver) -> None:
    down = BOTTOM_PX if "bottom" in driver.words else -BOTTOM_PX
    await driver.scroll((await driver.look()).one("textbox"), down)
    await driver.submit()


async def sign_agreement(driver: EpisodeDriver) -> None:
    """Its fields are locked until the text has been scrolled to its end: by a point, as the text is locked, too."""
    if "Scroll" in driver.words:
        text, name = (await driver.look()).all("textbox")
        await driver.scroll(middle(text), BOTTOM_PX)
        await driver.type(name, quoted(driver.words)[0])
    last = (*quoted(driver.words), "Cancel")[1 if "Scroll" in driver.words else 0]
    await driver.click((await driver.look()).one("button", name=last))


async def find_word(driver: EpisodeDriver) -> None:
    sight = await driver.look()
    words = " ".join(words_of(each) for each in sight.all("text")).split()
    await driver.type(sight.one("textbox"), re.sub(r"[^a-zA-Z]", "", words[ordinal(driver.words) - 1]))
    await driver.submit()


async def read_table(driver: EpisodeDriver) -> None:
    """One value, named in the instruction, into one field; or several, named by the fields' labels."""
    sight = await driver.look()
    table = dict(row.text.split(" | ", 1) for row in sight.all("row"))
    asked = re.findall(r"value of (.+) into", driver.words) or [
        words_of(each).rstrip(":") for each in sight.all("text", says=":$")
    ]
    for label, field in zip(asked, sight.all("textbox"), strict=True):
        await driver.type(field, table[label])
    await driver.submit()


async def search_films(driver: EpisodeDriver) -> None:
    """Labels stand before, above or below their fields: there are as many of both, in the same order."""
    genre, director, year = found(r"Search for (.+) movies directed by (.+) from year (\d+)", driver.words)
    sight = await driver.look()
    values = {"genre": genre, "director": director, "year": year, "date": year}
    labels = [each for each in sight.all("text", "row") if re.search(r"genre|director|year|date", words_of(each), re.I)]
    for label, field in zip(labels, sight.all("textbox"), strict=True):
        key = next(key for key in values if key in words_of(label).casefold())
        await driver.type(field, values[key])
    await driver.click(sight.one("button", "generic", says=r"^(submit|search|go!)$"))


async def login_user_popup(driver: EpisodeDriver) -> None:
    """A popup may come up at a field and lock all of them: it is cancelled, and the field tried again."""
    for at, text in enumerate(quoted(driver.words)):
        await driver.click((await driver.look()).all("textbox")[at])
        sight = await driver.look()
        if sight.all("button", name="Cancel"):
            await driver.click(sight.one("button", name="Cancel"))
        await driver.type((await driver.look()).all("textbox")[at], text)
    await driver.click((await driver.look()).one("button", name="OK"))


async def use_autocomplete(driver: EpisodeDriver) -> None:
    start, *end = quoted(driver.words)
    await driver.type((await driver.look()).one("textbox"), start, keystrokes=True)
    pattern = f"^(?={re.escape(start)})" + "".join(f".*{re.escape(each)}$" for each in end)  # they may overlap
    await driver.click(await driver.seek("listitem", says=pattern))
    await driver.submit()


async def use_slider(driver: EpisodeDriver) -> None:
    wanted = [int(each) for each in re.findall(r"-?\d+", driver.words)]
    sight = await driver.look()
    for target, handle, shown in zip(wanted, _handles(sight), sight.all("text", says=r"^-?\d+$"), strict=True):
        await _slide(driver, handle, target - int(words_of(shown)))
    await driver.submit()


async def use_spinner(driver: EpisodeDriver) -> None:
    (number,) = found(r"Select (-?\d+)", driver.words)
    spinner = (await driver.look()).one("spinbutton")
    by = int(number) - int(spinner.value or 0)
    await driver.press("ArrowUp" if by > 0 else "ArrowDown", spinner, times=abs(by))
    await driver.submit()


async def form_sequence(driver: EpisodeDriver) -> None:
    (number,) = found(r"Select (-?\d+)", driver.words)
    sight = await driver.look()
    shown = sight.one("text", says=r"^-?\d+$")
    await _slide(driver, _handles(sight)[0], int(number) - int(words_of(shown)))
    await driver.click(sight.all("checkbox")[ordinal(driver.words) - 1])
    await driver.submit()


async def form_sequence_3(driver: EpisodeDriver) -> None:
    (what,) = found(r"Choose (.+) from the dropdown", driver.words)
    await driver.click((await driver.look()).one("generic", name="▾"))
    await driver.click(await driver.seek("listitem", "option", "generic", name=what))
    await driver.click((await driver.look()).one("button", name=quoted(driver.words)[0]))


async def text_editor(driver: EpisodeDriver) -> None:
    """Words are marked by the keyboard, as they have no place of their own in the list."""
    style = found(r"the (?:style|color) (\w+)", driver.words)[0]
    editor = (await driver.look()).one("textbox")
    await driver.click(editor)
    await _mark(driver, editor.value)
    await asyncio.sleep(REST_SECONDS)  # the editor takes note of what is marked 0.1 s later
    sight = await driver.look()
    if style in PALETTE:
        await driver.click(sight.one("generic", "button"))
        swatches = (await driver.look()).all("button", "generic", says="^$")
        small = sorted((each for each in swatches if each.box.width < HANDLE_SIDE), key=lambda e: (e.box.y, e.box.x))
        await driver.click(small[1 + PALETTE.index(style)])
    else:
        await driver.click(sight.all("button")[("bold", "italics", "underlined").index(style)])
    await driver.submit()


async def _mark(driver: EpisodeDriver, text: str) -> None:
    asked = re.search(r"give the text (.+?) the (?:style|color)", driver.words)
    if asked is None:
        await driver.press("Control+A")
        return
    await driver.press("Control+Home")
    await driver.press("ArrowRight", times=text.index(asked[1]))
    await driver.press("Shift+ArrowRight", times=len(asked[1]))


def _handles(sight: TaskSnapshot) -> list[pb.Element]:
    small = (each for each in sight.all("generic", "slider", says="^$") if each.box.width < HANDLE_SIDE)
    return sorted((each for each in small if each.box.height < HANDLE_SIDE), key=lambda e: middle(e)[1])


async def _slide(driver: EpisodeDriver, handle: pb.Element, by: int) -> None:
    await driver.press("ArrowRight" if by > 0 else "ArrowLeft", handle, times=abs(by))


SCRIPTS: Final = {
    "choose-list": choose_list,
    "click-scroll-list": click_scroll_list,
    "copy-paste": copy_paste,
    "copy-paste-2": copy_paste,
    "enter-text-2": enter_text_2,
    "find-word": find_word,
    "form-sequence": form_sequence,
    "form-sequence-3": form_sequence_3,
    "login-user-popup": login_user_popup,
    "multi-layouts": search_films,
    "multi-orderings": search_films,
    "read-table": read_table,
    "read-table-2": read_table,
    "scroll-text": scroll_text,
    "scroll-text-2": scroll_text_2,
    "sign-agreement": sign_agreement,
    "text-editor": text_editor,
    "text-transform": text_transform,
    "use-autocomplete": use_autocomplete,
    "use-autocomplete-nodelay": use_autocomplete,
    "use-slider": use_slider,
    "use-slider-2": use_slider,
    "use-spinner": use_spinner,
}

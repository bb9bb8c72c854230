"""Scripts for tasks that fill something in: text, lists, sliders, editors."""

from __future__ import annotations

import asyncio
import re
from typing import Final

from perception.bench.miniwob_scripts.desk import REST_SECONDS, Desk, Sight, found, middle, ordinal, quoted, words_of
from perception.v1 import types_pb2 as pb

HANDLE_SIDE = 20.0
"""CSS px: a slider's handle is smaller each way, its track longer one way."""

BOTTOM_PX = 5000.0
"""Farther than any text goes."""

PALETTE: Final = ("red", "orange", "yellow", "green", "blue", "purple")
"""Quill's colours, as its palette has them after black: names that eyes give to swatches without words."""


async def choose_list(desk: Desk) -> None:
    (what,) = found(r"Select (.+) from the list", desk.words)
    await desk.select((await desk.look()).one("combobox"), what)
    await desk.submit()


async def click_scroll_list(desk: Desk) -> None:
    (what,) = found(r"Select (.+) from the scroll list", desk.words)
    await desk.select((await desk.look()).one("listbox"), *what.split(", "))
    await desk.submit()


async def copy_paste(desk: Desk) -> None:
    """By the clipboard: that keeps what a value's listing might not."""
    boxes = (await desk.look()).all("textbox")
    (target,) = [each for each in boxes if not each.value]
    sources = [each for each in boxes if each.value]
    which = ordinal(desk.words) if len(sources) > 1 else 1
    await desk.click(sources[which - 1])
    await desk.press("Control+A")
    await desk.press("Control+C")
    await desk.click(target)
    await desk.press("Control+V")
    await desk.submit()


async def enter_text_2(desk: Desk) -> None:
    (text,) = quoted(desk.words)
    text = text.upper() if "upper case" in desk.words else text.lower()
    await desk.type((await desk.look()).one("textbox"), text)
    await desk.submit()


async def text_transform(desk: Desk) -> None:
    sight = await desk.look()
    letters = "".join(words_of(each) for each in sight.all("text"))
    await desk.type(sight.one("textbox"), letters.replace(" ", ""))
    await desk.submit()


async def scroll_text(desk: Desk) -> None:
    """The last word of a text that is longer than its field."""
    text, field = (await desk.look()).all("textbox")
    await desk.type(field, re.findall(r"\w+", text.value)[-1])
    await desk.submit()


async def scroll_text_2(desk: Desk) -> None:
    down = BOTTOM_PX if "bottom" in desk.words else -BOTTOM_PX
    await desk.scroll((await desk.look()).one("textbox"), down)
    await desk.submit()


async def sign_agreement(desk: Desk) -> None:
    """Its fields are locked until the text has been scrolled to its end: by a point, as the text is locked, too."""
    if "Scroll" in desk.words:
        text, name = (await desk.look()).all("textbox")
        await desk.scroll(middle(text), BOTTOM_PX)
        await desk.type(name, quoted(desk.words)[0])
    last = (*quoted(desk.words), "Cancel")[1 if "Scroll" in desk.words else 0]
    await desk.click((await desk.look()).one("button", name=last))


async def find_word(desk: Desk) -> None:
    sight = await desk.look()
    words = " ".join(words_of(each) for each in sight.all("text")).split()
    await desk.type(sight.one("textbox"), re.sub(r"[^a-zA-Z]", "", words[ordinal(desk.words) - 1]))
    await desk.submit()


async def read_table(desk: Desk) -> None:
    """One value, named in the instruction, into one field; or several, named by the fields' labels."""
    sight = await desk.look()
    table = dict(row.text.split(" | ", 1) for row in sight.all("row"))
    asked = re.findall(r"value of (.+) into", desk.words) or [
        words_of(each).rstrip(":") for each in sight.all("text", says=":$")
    ]
    for label, field in zip(asked, sight.all("textbox"), strict=True):
        await desk.type(field, table[label])
    await desk.submit()


async def search_films(desk: Desk) -> None:
    """Labels stand before, above or below their fields: there are as many of both, in the same order."""
    genre, director, year = found(r"Search for (.+) movies directed by (.+) from year (\d+)", desk.words)
    sight = await desk.look()
    values = {"genre": genre, "director": director, "year": year, "date": year}
    labels = [each for each in sight.all("text", "row") if re.search(r"genre|director|year|date", words_of(each), re.I)]
    for label, field in zip(labels, sight.all("textbox"), strict=True):
        key = next(key for key in values if key in words_of(label).casefold())
        await desk.type(field, values[key])
    await desk.click(sight.one("button", "generic", says=r"^(submit|search|go!)$"))


async def login_user_popup(desk: Desk) -> None:
    """A popup may come up at a field and lock all of them: it is cancelled, and the field tried again."""
    for at, text in enumerate(quoted(desk.words)):
        await desk.click((await desk.look()).all("textbox")[at])
        sight = await desk.look()
        if sight.all("button", name="Cancel"):
            await desk.click(sight.one("button", name="Cancel"))
        await desk.type((await desk.look()).all("textbox")[at], text)
    await desk.click((await desk.look()).one("button", name="OK"))


async def use_autocomplete(desk: Desk) -> None:
    start, *end = quoted(desk.words)
    await desk.type((await desk.look()).one("textbox"), start, keystrokes=True)
    pattern = f"^(?={re.escape(start)})" + "".join(f".*{re.escape(each)}$" for each in end)  # they may overlap
    await desk.click(await desk.seek("listitem", says=pattern))
    await desk.submit()


async def use_slider(desk: Desk) -> None:
    wanted = [int(each) for each in re.findall(r"-?\d+", desk.words)]
    sight = await desk.look()
    for target, handle, shown in zip(wanted, _handles(sight), sight.all("text", says=r"^-?\d+$"), strict=True):
        await _slide(desk, handle, target - int(words_of(shown)))
    await desk.submit()


async def use_spinner(desk: Desk) -> None:
    (number,) = found(r"Select (-?\d+)", desk.words)
    spinner = (await desk.look()).one("spinbutton")
    by = int(number) - int(spinner.value or 0)
    await desk.press("ArrowUp" if by > 0 else "ArrowDown", spinner, times=abs(by))
    await desk.submit()


async def form_sequence(desk: Desk) -> None:
    (number,) = found(r"Select (-?\d+)", desk.words)
    sight = await desk.look()
    shown = sight.one("text", says=r"^-?\d+$")
    await _slide(desk, _handles(sight)[0], int(number) - int(words_of(shown)))
    await desk.click(sight.all("checkbox")[ordinal(desk.words) - 1])
    await desk.submit()


async def form_sequence_3(desk: Desk) -> None:
    (what,) = found(r"Choose (.+) from the dropdown", desk.words)
    await desk.click((await desk.look()).one("generic", name="▾"))
    await desk.click(await desk.seek("listitem", "option", "generic", name=what))
    await desk.click((await desk.look()).one("button", name=quoted(desk.words)[0]))


async def text_editor(desk: Desk) -> None:
    """Words are marked by the keyboard, as they have no place of their own in the list."""
    style = found(r"the (?:style|color) (\w+)", desk.words)[0]
    editor = (await desk.look()).one("textbox")
    await desk.click(editor)
    await _mark(desk, editor.value)
    await asyncio.sleep(REST_SECONDS)  # the editor takes note of what is marked 0.1 s later
    sight = await desk.look()
    if style in PALETTE:
        await desk.click(sight.one("generic", "button"))
        swatches = (await desk.look()).all("button", "generic", says="^$")
        small = sorted((each for each in swatches if each.box.width < HANDLE_SIDE), key=lambda e: (e.box.y, e.box.x))
        await desk.click(small[1 + PALETTE.index(style)])
    else:
        await desk.click(sight.all("button")[("bold", "italics", "underlined").index(style)])
    await desk.submit()


async def _mark(desk: Desk, text: str) -> None:
    asked = re.search(r"give the text (.+?) the (?:style|color)", desk.words)
    if asked is None:
        await desk.press("Control+A")
        return
    await desk.press("Control+Home")
    await desk.press("ArrowRight", times=text.index(asked[1]))
    await desk.press("Shift+ArrowRight", times=len(asked[1]))


def _handles(sight: Sight) -> list[pb.Element]:
    small = (each for each in sight.all("generic", "slider", says="^$") if each.box.width < HANDLE_SIDE)
    return sorted((each for each in small if each.box.height < HANDLE_SIDE), key=lambda e: middle(e)[1])


async def _slide(desk: Desk, handle: pb.Element, by: int) -> None:
    await desk.press("ArrowRight" if by > 0 else "ArrowLeft", handle, times=abs(by))


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

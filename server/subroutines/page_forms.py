"""Reads forms and fields of the page for a replay: what nobody entered is sent as the page shows it then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.errors import DriftError, SubroutineBrokenError
from perception.subroutines.form_fields import Form, fill_form, find_field, find_form, wanted_form

FORM_SECONDS = 5.0
"""How long a form is waited for: as long as a target of a step."""

POLL_SECONDS = 0.05

_Found = TypeVar("_Found")


async def read_form(link: PageLink, options: Mapping[str, Any], deadline: Deadline) -> list[tuple[str, str | None]]:
    """The entries that the page's form sends with what is entered in it.

    Raises:
        SubroutineBrokenError: the script says no form.
        DriftError: the page has no such form, or several; nothing was sent.
    """
    try:
        wanted = wanted_form(options)
    except msgspec.ValidationError as exc:
        raise SubroutineBrokenError(f"the script's call of readForm names no form: {exc}") from exc
    what = f"a form with {', '.join(wanted.names)[:200]}"
    form = await _find(link, lambda forms: find_form(forms, wanted.names), what, deadline)
    return fill_form(form, wanted)


async def read_field(link: PageLink, name: str, deadline: Deadline) -> str | bool:
    """What the page's field of a name or id holds; whether it is checked for a checkbox.

    Raises:
        DriftError: the page has no such field, or several; nothing was sent.
    """
    return await _find(link, lambda forms: find_field(forms, name), f"one field {name[:80]!r}", deadline)


async def _find(
    link: PageLink, choose: Callable[[tuple[Form, ...]], _Found | None], what: str, deadline: Deadline
) -> _Found:
    share = deadline.share(FORM_SECONDS)
    while True:
        answer = await link.ask(link.main_frame, "formSlots", deadline, "reading the form")
        found = choose(msgspec.convert(answer, tuple[Form, ...]))
        if found is not None:
            return found
        if share.spent():
            raise DriftError(f"the page does not show {what} any more: nothing was sent", before=what, after="none")
        await asyncio.sleep(POLL_SECONDS)

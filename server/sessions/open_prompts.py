"""Dialogs and file choosers that are open in a session, by the ids of requests, and their answers."""

from __future__ import annotations

from contextlib import suppress

from perception.browser.browser_session import Tab
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.dialogs import Dialog, dialog_id
from perception.browser.page.file_choosers import FileChooser, chooser_id
from perception.deadline import Deadline
from perception.errors import BadInputError, NoDialogError
from perception.server.sessions.session import Session

_CANCEL = "function () { EventTarget.prototype.dispatchEvent.call(this, new Event('cancel', { bubbles: true })) }"
"""What a browser tells a page whose user closes the chooser without a choice
(https://html.spec.whatwg.org/multipage/input.html#the-input-element:concept-fe-values-cancel)."""


async def answer_prompt(
    session: Session, prompt_id: str, *, accept: bool, text: str | None, deadline: Deadline
) -> tuple[str, Dialog | FileChooser]:
    """Answers the open dialog of this id, or dismisses the file chooser; the only one for an empty id.

    Args:
        text: for a prompt; None for what its field holds.

    Returns:
        Its tab, and what it was.

    Raises:
        NoDialogError: no such one is open.
        BadInputError: several are, or a file chooser was to be accepted.
    """
    tab = _find(session, prompt_id)
    chooser = tab.link.file_choosers.open
    if chooser is not None and (not prompt_id or prompt_id == chooser_id(tab.tab_id, chooser)):
        if accept:
            raise BadInputError(
                f"{chooser_id(tab.tab_id, chooser)} is a file chooser"
                ": give it files with UploadFiles without a target, or dismiss it",
                field="accept",
            )
        await _dismiss(tab, chooser, deadline)
        return tab.tab_id, chooser
    return tab.tab_id, await tab.link.dialogs.answer(accept=accept, text=text, deadline=deadline)


def _find(session: Session, prompt_id: str) -> Tab:
    opened = _open_prompts(session)
    listed = f"open: {', '.join(opened) or 'none'}"
    wanted = prompt_id or next(iter(opened), "")
    if not wanted:
        raise NoDialogError("no dialog is open in this session: there is nothing to answer")
    if wanted not in opened:
        raise NoDialogError(
            f"dialog {prompt_id[:40]!r} is not open ({listed}): name one that is, or none for the only one"
        )
    if not prompt_id and len(opened) > 1:
        raise BadInputError(f"several dialogs are open ({listed}): name one in dialog_id", field="dialog_id")
    return opened[wanted]


def _open_prompts(session: Session) -> dict[str, Tab]:
    found: dict[str, Tab] = {}
    for tab in session.browser.tabs:
        if (dialog := tab.link.dialogs.open) is not None:
            found[dialog_id(tab.tab_id, dialog)] = tab
        if (chooser := tab.link.file_choosers.open) is not None:
            found[chooser_id(tab.tab_id, chooser)] = tab
    return found


async def _dismiss(tab: Tab, chooser: FileChooser, deadline: Deadline) -> None:
    phase = "dismissing the file chooser"
    tab.link.file_choosers.forget()
    with suppress(CdpCallError):  # its field is gone
        found = await chooser.session.call("DOM.resolveNode", deadline, phase, backendNodeId=chooser.node)
        handle = found["object"]["objectId"]
        await chooser.session.call(
            "Runtime.callFunctionOn", deadline, phase, objectId=handle, functionDeclaration=_CANCEL
        )

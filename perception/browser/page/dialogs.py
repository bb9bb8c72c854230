"""JavaScript dialogs of one tab: alert, confirm, prompt, and the question before a page is left.

Rule: a page with an open dialog does nothing else. Calls that wait for it are cancelled at once, with an error that
names the dialog, and not at the deadline.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from perception.browser.cdp.cdp_link import CdpCallError, CdpSession, consume
from perception.deadline import Deadline
from perception.errors import DialogOpenError, NoDialogError
from perception.page_words import quoted_words

BEFOREUNLOAD = "beforeunload"
"""The kind of the question before a page is left."""

SHOWN_MESSAGE = 120
"""Characters of a dialog's message in an error. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog.

    Attributes:
        number: counts the dialogs of its tab, from 1.
        kind: CDP's DialogType: alert, confirm, prompt or beforeunload.
        message: the page's text; may be empty.
        default_value: what a prompt's field holds; empty for other kinds.
    """

    number: int
    kind: str
    message: str
    default_value: str


@dataclass(frozen=True, slots=True)
class DialogAnswer:
    """How a dialog is answered: accepted or dismissed, and what is entered in a prompt."""

    accept: bool
    text: str = ""


class Dialogs:
    """The dialogs of one tab; at most one is open at a time.

    Attributes:
        open: the dialog that waits for an answer; None where there is none.
        find_elsewhere: returns the error of a dialog that is open in another tab, which may hold this one up.
    """

    def __init__(self, session: CdpSession) -> None:
        self.open: Dialog | None = None
        self.find_elsewhere: Callable[[], DialogOpenError | None] = lambda: None
        self._session = session
        self._last = 0
        self._waiting: list[_Caller] = []
        self._listeners: list[Callable[[], None]] = []
        self._dismissing: list[tuple[Callable[[Dialog], bool], list[Dialog]]] = []
        self._answering: list[Callable[[Dialog], DialogAnswer | None]] = []
        session.on("Page.javascriptDialogOpening", self._on_opening)
        session.on("Page.javascriptDialogClosed", self._on_closed)

    def subscribe(self, listener: Callable[[], None]) -> None:
        """Has a function called for each dialog that stays open, that is, that is not dismissed at once."""
        self._listeners.append(listener)

    def forget(self) -> None:
        """The open dialog went with its document."""
        self.open = None

    def check(self) -> None:
        """Raises DialogOpenError while one is open."""
        if self.open is not None:
            raise self.error()

    @property
    def is_awaited(self) -> bool:
        """A call waits for the page."""
        return bool(self._waiting)

    def interrupt(self, error: DialogOpenError) -> None:
        """Ends what is awaited inside the innermost `interrupting`, with this error."""
        if self._waiting:
            self._waiting[-1].cancel(error)

    @asynccontextmanager
    async def interrupting(self) -> AsyncIterator[None]:
        """Cancels what is awaited inside when a dialog opens, or one of another tab holds the page up; of nested uses,
        the innermost.

        Raises:
            DialogOpenError: a dialog opened.
        """
        caller = _Caller()
        self._waiting.append(caller)
        try:
            yield
        except asyncio.CancelledError as exc:
            if (error := caller.dialog_error()) is not None:
                raise error from exc
            raise
        finally:
            self._waiting.remove(caller)

    @contextmanager
    def dismissing(self, wanted: Callable[[Dialog], bool] = lambda _: True) -> Iterator[list[Dialog]]:
        """Dismisses the wanted ones of the dialogs that open inside, and lists them. Uses may be nested and overlap."""
        entry: tuple[Callable[[Dialog], bool], list[Dialog]] = (wanted, [])
        self._dismissing.append(entry)
        try:
            yield entry[1]
        finally:
            self._dismissing = [each for each in self._dismissing if each is not entry]

    @contextmanager
    def answering(self, decide: Callable[[Dialog], DialogAnswer | None]) -> Iterator[None]:
        """Answers dialogs that open inside as a function says; what it returns None for goes the usual way."""
        self._answering.append(decide)
        try:
            yield
        finally:
            self._answering.remove(decide)

    async def answer(self, *, accept: bool, text: str | None, deadline: Deadline) -> Dialog:
        """Accepts or dismisses the open dialog.

        Args:
            text: for a prompt; None for what its field holds.

        Raises:
            NoDialogError: no dialog is open, or it closed before the answer came.
        """
        dialog = self.open
        if dialog is None:
            raise NoDialogError("no dialog is open: it was answered, or its page was left")
        entered = dialog.default_value if text is None else text  # Chromium enters nothing where it is given no text
        try:
            await self._session.call(
                "Page.handleJavaScriptDialog", deadline, "answering the dialog", accept=accept, promptText=entered
            )
        except CdpCallError as exc:
            self._note_end(dialog)
            raise NoDialogError("the dialog closed before it could be answered") from exc
        self._note_end(dialog)
        return dialog

    def _note_end(self, dialog: Dialog) -> None:
        if self.open is dialog:  # the page may have opened the next one already
            self.open = None

    def _on_opening(self, params: dict[str, Any]) -> None:
        self._last += 1
        dialog = Dialog(self._last, params["type"], params["message"], params.get("defaultPrompt", ""))
        for decide in self._answering:
            answer = decide(dialog)
            if answer is not None:
                self._session.start(
                    "Page.handleJavaScriptDialog", accept=answer.accept, promptText=answer.text
                ).add_done_callback(consume)
                return
        lists = [dismissed for wanted, dismissed in self._dismissing if wanted(dialog)]
        if lists:
            for dismissed in lists:
                dismissed.append(dialog)
            self._session.start("Page.handleJavaScriptDialog", accept=False).add_done_callback(consume)
            return
        self.open = dialog
        for listener in self._listeners:
            listener()
        self.interrupt(self.error())

    def _on_closed(self, _: dict[str, Any]) -> None:
        self.open = None

    def error(self, tab_id: str = "") -> DialogOpenError:
        """The error that names the open dialog: of this tab, or for calls of others, of the tab with this id."""
        dialog = self.open
        assert dialog is not None
        kind = "question before leaving the page" if dialog.kind == BEFOREUNLOAD else dialog.kind
        text = f" {quoted_words(dialog.message, SHOWN_MESSAGE)}" if dialog.message else ""
        where = f" in tab {tab_id}, which holds this one up" if tab_id else ""
        return DialogOpenError(
            f"a dialog is open{where} ({kind}{text}): answer it with HandleDialog first", kind=dialog.kind
        )


class _Caller:
    """A task that waits for the page."""

    def __init__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._cancelling = task.cancelling()
        self._error: DialogOpenError | None = None

    def cancel(self, error: DialogOpenError) -> None:
        if self._error is None:
            self._error = error
            self._task.cancel()

    def dialog_error(self) -> DialogOpenError | None:
        """The error that `cancel` was called with; None where it was not, or something else cancels the task, too."""
        if self._error is None or self._task.uncancel() > self._cancelling:
            return None
        return self._error


def dialog_id(tab_id: str, dialog: Dialog) -> str:
    """How requests name an open dialog: `t1.d2`."""
    return f"{tab_id}.d{dialog.number}"

"""JavaScript dialogs of one tab: alert, confirm, prompt, and the question before a page is left.

Rule: a page with an open dialog does nothing else. What is awaited of it is called off at once, with an error that
names the dialog, instead of at the deadline.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from perception.browser.cdp import CdpCallError, CdpSession, consume
from perception.budget import Budget
from perception.errors import DialogOpenError, NoDialogError

BEFOREUNLOAD = "beforeunload"
"""The kind of the question before a page is left."""

SHOWN_MESSAGE = 120
"""Characters of a dialog's message in an error."""


@dataclass(frozen=True, slots=True)
class Dialog:
    """One that is open. `kind` is CDP's: alert, confirm, prompt or beforeunload. `number` counts in its tab."""

    number: int
    kind: str
    message: str
    default_value: str


class Dialogs:
    """Of one tab; at most one is open at a time."""

    def __init__(self, session: CdpSession) -> None:
        self.open: Dialog | None = None
        self._session = session
        self._last = 0
        self._waiting: list[_Caller] = []
        self._dismissing: list[tuple[Callable[[Dialog], bool], list[Dialog]]] = []
        self.on_opened: Callable[[], None] = lambda: None
        """Told of each that is left open."""
        session.on("Page.javascriptDialogOpening", self._opened)
        session.on("Page.javascriptDialogClosed", self._closed)

    def check(self) -> None:
        """Raises DialogOpenError while one is open."""
        if self.open is not None:
            raise self._error(self.open)

    @asynccontextmanager
    async def interrupting(self) -> AsyncIterator[None]:
        """Calls off what is awaited inside when a dialog opens; of several around one another, the innermost.

        Raises:
            DialogOpenError
        """
        caller = _Caller()
        self._waiting.append(caller)
        try:
            yield
        except asyncio.CancelledError as exc:
            if caller.is_called_off() and self.open is not None:
                raise self._error(self.open) from exc
            raise
        finally:
            self._waiting.remove(caller)

    @contextmanager
    def dismissing(self, wanted: Callable[[Dialog], bool] = lambda _: True) -> Iterator[list[Dialog]]:
        """Dismisses those of what opens inside that are wanted, and lists them. May be nested, and overlap."""
        entry: tuple[Callable[[Dialog], bool], list[Dialog]] = (wanted, [])
        self._dismissing.append(entry)
        try:
            yield entry[1]
        finally:
            self._dismissing = [each for each in self._dismissing if each is not entry]

    async def answer(self, *, accept: bool, text: str, budget: Budget) -> Dialog:
        """Accepts or dismisses the open dialog.

        Raises:
            NoDialogError: none is (any more).
        """
        dialog = self.open
        if dialog is None:
            raise NoDialogError("no dialog is open: it was answered, or went with its page")
        try:
            await self._session.call(
                "Page.handleJavaScriptDialog", budget, "answering the dialog", accept=accept, promptText=text
            )
        except CdpCallError as exc:
            raise NoDialogError("the dialog closed before it could be answered") from exc
        self.open = None
        return dialog

    def _opened(self, params: dict[str, Any]) -> None:
        self._last += 1
        dialog = Dialog(self._last, params["type"], params["message"], params.get("defaultPrompt", ""))
        lists = [dismissed for wanted, dismissed in self._dismissing if wanted(dialog)]
        if lists:
            for dismissed in lists:
                dismissed.append(dialog)
            self._session.start("Page.handleJavaScriptDialog", accept=False).add_done_callback(consume)
            return
        self.open = dialog
        self.on_opened()
        if self._waiting:
            self._waiting[-1].call_off()

    def _closed(self, _: dict[str, Any]) -> None:
        self.open = None

    def _error(self, dialog: Dialog) -> DialogOpenError:
        kind = "question before leaving the page" if dialog.kind == BEFOREUNLOAD else dialog.kind
        said = f" {dialog.message[:SHOWN_MESSAGE]!r}" if dialog.message else ""
        return DialogOpenError(f"a dialog is open ({kind}{said}): answer it with HandleDialog first", kind=dialog.kind)


class _Caller:
    """A task that waits for the page."""

    def __init__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._cancelling = task.cancelling()
        self._called_off = False

    def call_off(self) -> None:
        if not self._called_off:
            self._called_off = True
            self._task.cancel()

    def is_called_off(self) -> bool:
        """Whether it was, and nobody else cancels the task."""
        return self._called_off and self._task.uncancel() <= self._cancelling

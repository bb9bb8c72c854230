"""Answers the dialogs of a page while a subroutine runs on it.

Rule 1: the question before a page is left is accepted: leaving it is what the task does.
Rule 2: a dialog that was answered when the task was recorded is answered alike.
Rule 3: any other dialog is dismissed, and ends the run with its words. So the next run finds no open dialog.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from perception.browser.page.dialogs import BEFOREUNLOAD, Dialog, DialogAnswer, Dialogs
from perception.errors import RefusedError, SubroutineBrokenError
from perception.page_words import page_words
from perception.subroutines.neighbors import folded

KINDS = ("alert", "confirm", "prompt")
"""Dialogs that a script may answer."""

SHOWN_WORDS = 300
"""Characters of a dialog's message in an error."""


@dataclass(frozen=True, slots=True)
class ExpectedDialog:
    """A dialog that was answered when the task was recorded.

    Attributes:
        kind: alert, confirm or prompt.
        message: the page's text.
        answer: how it is answered.
    """

    kind: str
    message: str
    answer: DialogAnswer

    def fits(self, dialog: Dialog) -> bool:
        """Whether a dialog is the one expected. An alert, which asks nothing, may name another number."""
        if dialog.kind != self.kind:
            return False
        ours, theirs = folded(self.message), folded(dialog.message)
        if self.kind == "alert":
            ours, theirs = (re.sub(r"\d+", "0", text) for text in (ours, theirs))
        return ours == theirs


def expected_dialog(wanted: Mapping[str, Any]) -> ExpectedDialog:
    """What a script says of a dialog: `type`, `message`, and `accept` or the `text` of a prompt.

    Raises:
        SubroutineBrokenError: it names no dialog.
    """
    kind = wanted.get("type")
    if kind not in KINDS:
        raise SubroutineBrokenError(f"answerDialog names no dialog: give type ({', '.join(KINDS)}), message and accept")
    text = wanted.get("text")
    accept = bool(wanted.get("accept", True))
    return ExpectedDialog(str(kind), str(wanted.get("message", "")), DialogAnswer(accept, str(text or "")))


class DialogAnswers:
    """The answers of one run."""

    def __init__(self) -> None:
        self._expected: list[ExpectedDialog] = []
        self._unexpected: Dialog | None = None
        self._task: asyncio.Task[object] | None = None

    def expect(self, expected: ExpectedDialog) -> None:
        """Answers the next dialog of this kind and text."""
        self._expected.append(expected)

    @asynccontextmanager
    async def cancelling_at_unexpected(self) -> AsyncIterator[None]:
        """Cancels what is awaited inside when a dialog opens that was not expected.

        Raises:
            RefusedError: one opened; the message has its words.
        """
        self._task = task = asyncio.current_task()
        assert task is not None
        cancelling = task.cancelling()
        try:
            yield
        except asyncio.CancelledError as exc:
            if self._unexpected is not None and task.uncancel() <= cancelling:
                raise _refusal(self._unexpected) from exc
            raise
        finally:
            self._task = None

    def answering(self, dialogs: Dialogs) -> AbstractContextManager[None]:
        """Answers the dialogs of a tab inside."""
        return dialogs.answering(self._decide)

    def _decide(self, dialog: Dialog) -> DialogAnswer:
        if dialog.kind == BEFOREUNLOAD:
            return DialogAnswer(True)
        for each in self._expected:
            if each.fits(dialog):
                self._expected.remove(each)
                return each.answer
        if self._unexpected is None:
            self._unexpected = dialog
            if self._task is not None:
                self._task.cancel()
        return DialogAnswer(False)


def _refusal(dialog: Dialog) -> RefusedError:
    said = f": {page_words(' '.join(dialog.message.split()), SHOWN_WORDS)}" if dialog.message.strip() else ""
    return RefusedError(
        f"the page opened {'an' if dialog.kind == 'alert' else 'a'} {dialog.kind} that was not there when the task was "
        f"recorded{said!s} (it was dismissed)"
    )

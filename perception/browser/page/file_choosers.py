"""File choosers of one tab: what a page shows to have its user choose files.

Chromium asks us in place of opening one (`Page.setInterceptFileChooserDialog`). The page is not blocked, but a person
would have the chooser in front of it: input waits until it is answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from perception.browser.cdp.cdp_link import CdpSession, consume
from perception.errors import FileChooserOpenError
from perception.page_words import page_words

MAX_FACT = 200
"""Characters kept of an attribute of the field. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class FileChooser:
    """A file chooser.

    Attributes:
        number: counts the choosers of its tab, from 1.
        session: of the frame that opened it.
        frame: that frame's id.
        node: backend node id of its file field.
        multiple: it takes several files.
        directory: it asks for a folder.
        accept: which files the page asks for: the field's own attribute; empty for any.
        field: the field's `name`, else its `id`; empty without.
    """

    number: int
    session: CdpSession
    frame: str
    node: int
    multiple: bool
    directory: bool = False
    accept: str = ""
    field: str = ""


class FileChoosers:
    """The file choosers of one tab; at most one is open at a time.

    Attributes:
        open: the chooser that waits for files; None where there is none.
        refused: requests for files, by the File System Access API, that nobody can answer: the page is told that its
            user cancelled.
    """

    def __init__(self) -> None:
        self.open: FileChooser | None = None
        self.refused = 0
        self._last = 0
        self._catching: list[asyncio.Future[FileChooser]] = []

    def listen(self, session: CdpSession) -> asyncio.Future[dict[str, Any]]:
        """Takes the choosers of one process of the tab. Returns the command that has them sent to us."""
        session.on("Page.fileChooserOpened", lambda params: self._on_opened(session, params))
        return session.start("Page.setInterceptFileChooserDialog", enabled=True)

    def forget(self, frame: str = "") -> None:
        """The open chooser was answered, or went with its frame; with any frame when empty."""
        if self.open is not None and frame in ("", self.open.frame):
            self.open = None

    def check(self, tab_id: str) -> None:
        """Raises FileChooserOpenError while one is open."""
        if self.open is not None:
            for_what = f" for {page_words(self.open.field)}" if self.open.field else ""
            raise FileChooserOpenError(
                f"the file chooser {chooser_id(tab_id, self.open)} is open{for_what}"
                ": answer it with UploadFiles without a target, or dismiss it with HandleDialog",
                file_chooser=chooser_id(tab_id, self.open),
            )

    @contextmanager
    def catching(self) -> Iterator[asyncio.Future[FileChooser]]:
        """Yields what gets the next chooser that opens inside; that one is then not left open."""
        caught: asyncio.Future[FileChooser] = asyncio.get_running_loop().create_future()
        self._catching.append(caught)
        try:
            yield caught
        finally:
            self._catching.remove(caught)

    def _on_opened(self, session: CdpSession, params: dict[str, Any]) -> None:
        node = params.get("backendNodeId")
        if node is None:
            self.refused += 1
            return
        self._last += 1
        chooser = FileChooser(self._last, session, params["frameId"], node, params["mode"] == "selectMultiple")
        for caught in self._catching:
            if not caught.done():
                caught.set_result(chooser)
                return
        self.open = chooser
        described = session.start("DOM.describeNode", backendNodeId=node)
        described.add_done_callback(lambda done: self._describe(chooser.number, done))

    def _describe(self, number: int, described: asyncio.Future[dict[str, Any]]) -> None:
        consume(described)
        if described.cancelled() or described.exception() is not None:
            return
        if self.open is not None and self.open.number == number:
            given = described.result()["node"].get("attributes", [])
            facts = {name: value[:MAX_FACT] for name, value in zip(given[::2], given[1::2], strict=True)}
            self.open = replace(
                self.open,
                directory="webkitdirectory" in facts,
                accept=facts.get("accept", ""),
                field=facts.get("name") or facts.get("id", ""),
            )


def chooser_id(tab_id: str, chooser: FileChooser) -> str:
    """How requests name an open chooser: `t1.f2`."""
    return f"{tab_id}.f{chooser.number}"

"""What an action did, in words: its diff, and beside it what no diff shows."""

from __future__ import annotations

from collections.abc import Iterable

from perception.interaction.answers import UNCHANGED, lines, place, words
from perception.interaction.session_state import SessionState
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

MAX_ERRORS = 5
"""Errors of the page's console that an answer shows."""

MAX_CONSOLE = 200
"""Errors of the console that a session remembers."""


def action_report(state: SessionState, result: action_pb.ActionResult) -> str:
    """The effects of an action. Remembers what later calls refer to."""
    note_result(state, result)
    fence = state.fence
    moved = place(fence, result.url)
    return lines(
        f"new page: {moved}" if result.navigated else f"the address is now {moved}" if result.same_document else "",
        *(f"new tab {tab.tab_id}: {place(fence, tab.url, tab.title)}" for tab in result.new_tabs),
        *(dialog_line(state, each) for each in result.dialogs),
        *(file_chooser_line(state, each) for each in result.file_choosers),
        *(download_line(state, each) for each in result.downloads),
        *(f"console error: {words(fence, each)}" for each in result.console_errors[:MAX_ERRORS]),
        *(f"note: {each}" for each in result.notes),
        pending_line(state, result.settle),
        result.diff.text if result.HasField("diff") else "",
        "" if result.dialogs or result.diff.text else UNCHANGED if result.snapshot_id else "",
    )


def note_result(state: SessionState, result: action_pb.ActionResult) -> None:
    """Remembers the snapshot and the errors of an action."""
    if result.snapshot_id:
        state.snapshot_id, state.look = result.snapshot_id, state.whole_look
    state.console = [*state.console, *result.console_errors][-MAX_CONSOLE:]


def navigation_report(state: SessionState, result: session_pb.NavigationResult) -> str:
    """What a navigation came to besides the page: an HTTP error, a file; empty without one."""
    return lines(
        f"the site answered HTTP {result.http_status}" if result.http_status >= 400 else "",
        "the address is a file: the tab keeps its page" if result.downloads else "",
        *(download_line(state, each) for each in result.downloads),
    )


def dialog_line(state: SessionState, dialog: pb.Dialog) -> str:
    kind = pb.Dialog.Kind.Name(dialog.kind).removeprefix("KIND_").lower().replace("_", " ")
    holds = f", its field holds {words(state.fence, dialog.default_value)}" if dialog.default_value else ""
    return f"dialog {dialog.dialog_id} is open ({kind}): {words(state.fence, dialog.message)}{holds}"


def file_chooser_line(state: SessionState, chooser: pb.FileChooser) -> str:
    """An open file chooser, and what answers it."""
    takes = "a folder" if chooser.directory else "several files" if chooser.multiple else "one file"
    accept = f", {words(state.fence, chooser.accept)}" if chooser.accept else ""
    field = f" for {words(state.fence, chooser.field)}" if chooser.field else ""
    return (
        f"file chooser {chooser.file_chooser_id} is open{field} ({takes}{accept}): an upload without a target answers "
        "it, or dismiss it as a dialog"
    )


def answered_words(state: SessionState, accept: bool, dialog: pb.Dialog) -> str:
    """What became of the dialog or file chooser that was answered."""
    if not dialog.dialog_id:
        return "dismissed the file chooser"
    return f"{'accepted' if accept else 'dismissed'} {words(state.fence, dialog.message)}"


def tab_lines(state: SessionState, tabs: Iterable[pb.Tab], *, by_index: bool = False) -> str:
    """The tabs of a session, one a line; the selected one has a star. By id, or by index from 0."""
    return lines(
        *(
            f"{'* ' if tab.selected else '  '}{index if by_index else tab.tab_id} "
            f"{f'({tab.name}) ' if tab.name else ''}{place(state.fence, tab.url, tab.title)}"
            for index, tab in enumerate(tabs)
        )
    )


def screen_line(screen: session_pb.SetViewportResponse) -> str:
    """`the screen has 390 x 844 CSS px at scale 3, with mobile layout and touch`."""
    more = [word for word, there in (("mobile layout", screen.mobile), ("touch", screen.touch)) if there]
    viewport = screen.viewport
    size = f"{viewport.width} x {viewport.height} CSS px at scale {viewport.device_scale_factor:g}"
    return f"the screen has {size}" + (f", with {' and '.join(more)}" if more else "")


def pending_line(state: SessionState, settle: pb.Settle) -> str:
    """What was still pending when the page was looked at; empty for a page at rest."""
    if settle.verdict != pb.Settle.VERDICT_PENDING:
        return ""
    return f"still pending: {words(state.fence, ', '.join(settle.pending))}"


def snapshot_report(state: SessionState, snapshot: pb.Snapshot, *, cursor_call: str, beyond: str = "") -> str:
    """The text of a snapshot, and beside it where the page is and how to see the rest.

    Args:
        state: of the session.
        snapshot: as of the service.
        cursor_call: how the rest is asked for, with `{cursor}` in it.
        beyond: how a look at what is in view gets to what is not; empty for other looks.
    """
    more = f"{snapshot.omitted_count} more: {cursor_call.format(cursor=snapshot.next_cursor)}"
    return lines(
        snapshot.text or "nothing is in view",
        f"{snapshot.snapshot_id} of {place(state.fence, snapshot.url, snapshot.title)}",
        more if snapshot.next_cursor else "",
        beyond_line(snapshot, beyond) if beyond else "",
        pending_line(state, snapshot.settle),
        *(f"note: {each}" for each in snapshot.notes),
        *(f"left out: {each.name}: {each.reason}" for each in snapshot.skipped),
    )


def beyond_line(snapshot: pb.Snapshot, how: str) -> str:
    """How much of the page is out of view; empty where all of it is in view."""
    above = round(snapshot.scroll.y)
    below = round(snapshot.scroll.page_height - snapshot.scroll.y - snapshot.viewport.height)
    parts = [f"{pixels} px {where}" for pixels, where in ((above, "above"), (below, "below")) if pixels > 0]
    return f"out of view: {' and '.join(parts)} ({how})" if parts else ""


def download_line(state: SessionState, download: pb.Download) -> str:
    """A download: its id, its name and what became of it."""
    condition = pb.Download.State.Name(download.state).removeprefix("STATE_").lower().replace("_", " ")
    why = f", {download.failure}" if download.failure else ""
    named = words(state.fence, download.name)
    return f"download {download.download_id} {named}: {condition}{why}"

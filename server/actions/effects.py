"""What an action did, as plain values: navigation, new tabs, dialogs, downloads, and how the page changed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from perception.browser.browser_session import Tab
from perception.browser.capture.settle import settle
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.chromium.driver_events import ERRORS_PER_SECOND
from perception.browser.page import navigation as nav
from perception.browser.page.conditions import Setting
from perception.browser.page.dialogs import Dialog
from perception.browser.page.download import Download
from perception.browser.page.file_choosers import FileChooser
from perception.browser.page.navigation import Settled
from perception.engine.changes import SnapshotChanges, describe_changes
from perception.engine.presented import PresentedSnapshot
from perception.errors import DeadlineError, PerceptionError, SessionLostError, marked_line
from perception.geometry import Point
from perception.page_words import MAX_ADDRESS, page_words
from perception.render.diff import Diff, diff_elements
from perception.server.actions.action_context import ActionContext, TabBaseline
from perception.server.sessions.document_notes import document_notes
from perception.server.sessions.kept_snapshots import Purpose
from perception.server.sessions.slowing import slowing_notes
from perception.server.sessions.snapshot_taking import take_kept_snapshot
from perception.server.sessions.tab_guards import LEAVING
from perception.server.sessions.tabs import TabSummary, read_tab
from perception.server.sessions.turn_notes import take_turn_notes
from perception.types import Scope

AFTERMATH_SECONDS = 1.0
"""How long an answer waits for a busy page, for a window that was announced, for a download that has begun, or for the
end of a tab that closes."""

FLOODED_SECONDS = 0.2
"""How long it waits for what the page may have written to its console, while another page floods the browser. Chosen by
hand."""

OWN_EVENTS_SECONDS = 5.0
"""How long it waits for what the page itself has written to its console. Chosen by hand."""

PRINTED = "the page asked its user to print it (window.print): nothing was printed; PrintToPdf makes a PDF of it"

LATE_ERRORS = "errors in the page's console may be missing: the browser is late with them"

CLOSING_POLL_SECONDS = 0.02

MAX_WHOLE_ERRORS = 200
"""Console errors of a call with several actions; the last ones. Each action reads at most as many."""


@dataclass(frozen=True, slots=True)
class OpenDialog:
    """A dialog that is open, and the tab that it is open in."""

    tab_id: str
    dialog: Dialog


@dataclass(frozen=True, slots=True)
class OpenFileChooser:
    """A file chooser that is open, and the tab that it is open in."""

    tab_id: str
    chooser: FileChooser


@dataclass(frozen=True, slots=True)
class ActionEffects:
    """What an action did.

    Attributes:
        tab_id, url: the tab, and what it shows now; the url is empty where the tab was closed.
        navigated: another document took the place of the tab's.
        same_document: the address changed, by a fragment or the history API, and the document stayed.
        point: where input went, CSS px of the viewport; None for nowhere.
        new_tabs: tabs that were opened meanwhile.
        dialogs: all that are open in the session.
        file_choosers: all that are open in the session.
        downloads: those that were begun meanwhile.
        console_errors: what the tab's page has logged meanwhile.
        notes: what the caller should know beside the rest.
        timings_ms: time of each phase, ms.
        snapshot_id: of the snapshot after the action; empty where none was taken.
        changes: how that one differs from the tab's last; None where none was taken.
        settled: how the wait for the page to come to rest ended; None where there was none.
    """

    tab_id: str
    url: str
    navigated: bool
    same_document: bool
    point: Point | None
    new_tabs: tuple[TabSummary, ...]
    dialogs: tuple[OpenDialog, ...]
    file_choosers: tuple[OpenFileChooser, ...]
    downloads: tuple[Download, ...]
    console_errors: tuple[str, ...]
    notes: tuple[str, ...]
    timings_ms: Mapping[str, float]
    snapshot_id: str = ""
    changes: SnapshotChanges | None = None
    settled: Settled | None = None


def open_dialogs(tabs: Iterable[Tab]) -> tuple[OpenDialog, ...]:
    """The dialogs that are open in these tabs."""
    return tuple(OpenDialog(tab.tab_id, tab.link.dialogs.open) for tab in tabs if tab.link.dialogs.open is not None)


def open_file_choosers(tabs: Iterable[Tab]) -> tuple[OpenFileChooser, ...]:
    """The file choosers that are open in these tabs."""
    opened = ((tab.tab_id, tab.link.file_choosers.open) for tab in tabs)
    return tuple(OpenFileChooser(tab_id, chooser) for tab_id, chooser in opened if chooser is not None)


async def follow(action: ActionContext) -> bool:
    """Waits for what an action began: its navigation, its new tabs, its downloads.

    Returns:
        Whether the page answers; False where it is too busy. One that waits for its successor does not answer, and the
        successor is another page.
    """
    browser, deadline = action.session.browser, action.deadline
    with action.stages.stage("follow"):
        page_answers = await _hear_events(action)
        await _follow_navigation(action)
        await _follow_windows(action)
        await browser.downloads.wait(action.baseline.downloads, deadline.share(AFTERMATH_SECONDS))
    return page_answers or action.tab.link.documents != action.baseline.documents


async def collect_effects(action: ActionContext) -> ActionEffects:
    """Follows an action, waits until the page has come to rest, and reads what the action did and how the page changed.

    What comes while the page comes to rest belongs to the action, too.
    """
    page_answers = await follow(action)
    after, settled = None, None
    if action.tab.link.documents != action.baseline.documents:
        action.notes += document_notes(action.tab)
    action.notes += await slowing_notes(action.session, action.tab, action.deadline)
    action.tab.link.dialogs.check()
    if not page_answers:
        is_left = action.tab.link.is_leaving
        action.notes.append(LEAVING if is_left else "the page is busy since: there is no diff yet")
    elif any(tab is action.tab for tab in action.session.browser.tabs):
        after, settled = await _look_again(action)
        if settled is not None:
            await _hear_console(action)  # what the page wrote meanwhile
        downloads = action.session.browser.downloads
        await downloads.wait(action.baseline.downloads, action.deadline.share(AFTERMATH_SECONDS))
    effects = replace(await _read_effects(action), settled=settled)
    if after is not None and action.before is not None:
        diff = diff_elements(action.before.listed, after.listed)
        away = await _out_of_view(action, action.before, diff)
        changes = describe_changes(action.before, after, diff, max_tokens=action.answer.diff_tokens, out_of_view=away)
        effects = replace(effects, snapshot_id=after.snapshot.snapshot_id, changes=changes)
    return _complete(action, effects)


async def collect_step(action: ActionContext) -> ActionEffects:
    """Follows an action that another one of the same call comes after, and reads what it did: without a diff, and
    without a wait for the page to come to rest."""
    if not await follow(action):
        action.notes.append("the page is busy since")
    return _complete(action, await _read_effects(action))


async def collect_whole(action: ActionContext, baseline: TabBaseline, parts: Sequence[ActionEffects]) -> ActionEffects:
    """What all actions of a call did together.

    Args:
        action: the last one.
        baseline: the tab before the first one.
        parts: what each did, in order; the diff of the last one is that of the call.
    """
    read, last = await _read_effects(replace(action, baseline=baseline)), parts[-1]
    timings: dict[str, float] = {}
    for part in parts:
        for stage, spent_ms in part.timings_ms.items():
            timings[stage] = timings.get(stage, 0.0) + spent_ms
    return replace(
        read,
        console_errors=read.console_errors[-MAX_WHOLE_ERRORS:],
        point=last.point,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        timings_ms=timings,
        snapshot_id=last.snapshot_id,
        changes=last.changes,
        settled=last.settled,
    )


async def collect_interrupted(action: ActionContext) -> ActionEffects:
    """What an action did that a dialog interrupted: the page does nothing until it is answered."""
    if action.input.typing.cut_short:
        action.notes.append(f"the dialog cut the input short: {action.input.typing.cut_short}")
    return _complete(action, await _read_effects(action))


async def _follow_navigation(action: ActionContext) -> None:
    """Waits for the navigation that an action began. A tab that closes itself meanwhile is an effect, too."""
    try:
        await nav.follow_navigation(action.tab.link, action.baseline.commits, action.deadline)
    except SessionLostError:
        if not action.session.browser.alive:
            raise
    if action.tab.link.unreachable and action.tab.link.documents != action.baseline.documents:
        action.notes.append(f"the new page could not be opened: {page_words(action.tab.link.unreachable, MAX_ADDRESS)}")


async def _follow_windows(action: ActionContext) -> None:
    """Waits for the windows that were announced: until they are tabs, or, where there is no room for any, until one is
    refused. Chromium also announces those that it blocks itself, which never come."""
    baseline, options = action.baseline, action.session.options
    windows = action.tab.link.windows_opened - baseline.windows
    is_full = len(baseline.tab_ids) >= options.max_tabs and not options.user_tab
    refused = baseline.tabs_refused + 1 if windows and is_full else 0
    windows -= action.session.browser.tabs_refused - baseline.tabs_refused
    expected = min(len(baseline.tab_ids) + windows, options.max_tabs) if windows else 0
    await action.session.browser.wait_for_tabs(expected, action.deadline.share(AFTERMATH_SECONDS), refused)
    came = sum(each.tab_id not in baseline.tab_ids for each in action.session.browser.tabs)
    if (blocked := min(action.tab.link.windows_unasked - baseline.windows_unasked, windows - came)) > 0:
        what = "another window" if blocked == 1 else f"{blocked} other windows"
        action.notes.append(f"the page tried to open {what}: the browser blocked that, as it lets a click open one")


async def _hear_events(action: ActionContext) -> bool:
    """Asks the page one question after the input: the answer comes after the events that the input caused.

    False where the page is too busy to answer: the next call sees its news.
    """
    with contextlib.suppress(DeadlineError, SessionLostError):
        try:
            await _take_waiting(action)
        except CdpCallError:  # its document goes, or its tab
            await _wait_until_closed(action)
        await _hear_console(action)
        return True
    return False


async def _take_waiting(action: ActionContext) -> None:
    """Takes what waits in the top document for us: whether it began to print, and what it has copied by itself."""
    page, clipboard = action.tab.link, action.tab.clipboard
    calls = (("takePrints", ()), ("takeCopied", (clipboard.secret,)))
    share = action.deadline.share(AFTERMATH_SECONDS)
    printed, copied = await page.worlds.ask_texts(page.main_frame, calls, share, "reading what the page did")
    clipboard.receive([copied])
    if printed != "0":
        action.notes.append(PRINTED)


async def _hear_console(action: ActionContext) -> None:
    """Waits for what the page wrote to its console meanwhile, longer where it is known to have written something. That
    may come late where another page floods the browser."""
    host, deadline = action.session.host, action.deadline
    try:
        try:
            await host.hear_events(deadline.share(FLOODED_SECONDS if host.is_flooded else AFTERMATH_SECONDS))
        except DeadlineError:
            if not action.tab.heard and action.tab.error_count == action.baseline.errors:
                raise
            await host.hear_events(deadline.share(OWN_EVENTS_SECONDS))
    except DeadlineError:
        if LATE_ERRORS not in action.notes:
            action.notes.append(LATE_ERRORS)


def _note_skipped_errors(action: ActionContext) -> None:
    if action.session.browser.errors_skipped > action.baseline.errors_skipped:
        action.notes.append(
            f"the session's pages throw more than {ERRORS_PER_SECOND} uncaught errors a second: later ones are left out"
        )


def _note_asked(action: ActionContext) -> None:
    """Says which permissions pages asked for, of those that they do not have."""
    rules = action.session.options.conditions.permissions
    granted = {rule.name for rule in rules if rule.setting is Setting.GRANT}
    for name in action.session.browser.clipboard.take_asked():
        if name == "clipboard-read":
            action.notes.append("the page asked to read the clipboard: that is refused to every page")
        elif name not in granted:
            action.notes.append(f"the page asked for the permission {name}, and was refused: SetConditions grants it")


def _note_refused_tabs(action: ActionContext) -> None:
    refused = action.session.browser.tabs_refused - action.baseline.tabs_refused
    if refused:
        most = action.session.options.max_tabs
        what = "a window" if refused == 1 else f"{refused} windows"
        action.notes.append(f"the page opened {what} beyond the {most} tabs of a session: closed at once")


async def _wait_until_closed(action: ActionContext) -> None:
    """Waits until the tab is known to be closed, unless it goes to another document."""
    share = action.deadline.share(AFTERMATH_SECONDS)
    while any(each is action.tab for each in action.session.browser.tabs):
        if share.spent() or action.tab.link.navigating or action.tab.link.commits != action.baseline.commits:
            return
        await asyncio.sleep(CLOSING_POLL_SECONDS)


async def _read_effects(action: ActionContext) -> ActionEffects:
    """What the browser knows, without asking the page."""
    browser, baseline, tab = action.session.browser, action.baseline, action.tab
    navigated = tab.link.documents != baseline.documents
    opened = [each for each in browser.tabs if each.tab_id not in baseline.tab_ids]
    is_open = any(each is tab for each in browser.tabs)
    return ActionEffects(
        tab_id=tab.tab_id,
        url=(await read_tab(tab, browser.selected, action.deadline)).url if is_open else "",
        navigated=navigated,
        same_document=not navigated and tab.link.commits != baseline.commits,
        point=action.point,
        new_tabs=tuple([await read_tab(each, browser.selected, action.deadline) for each in opened]),
        dialogs=open_dialogs(browser.tabs),
        file_choosers=open_file_choosers(browser.tabs),
        downloads=tuple(browser.downloads.since(baseline.downloads)),
        console_errors=tuple(tab.errors_since(baseline.errors)),
        notes=(),
        timings_ms={},
    )


async def _look_again(action: ActionContext) -> tuple[PresentedSnapshot | None, Settled | None]:
    """The snapshot after an action, taken in the same way as the tab's last one, and how the wait before it ended.

    A look that fails becomes a note. Without a last snapshot the page is waited for where the caller asked for that.
    """
    try:
        if action.before is None:
            if not action.answer.always_settles or action.answer.settle_s <= 0:
                return None, None
            with action.stages.stage("settle"):
                return None, await settle(action.tab.link, action.answer.settle_s, action.deadline)
        options = replace(action.before.options, settle_s=action.answer.settle_s)
        with action.stages.stage("look"):
            half = action.deadline.part(0.5)  # the answer must be given in any case
            after = await take_kept_snapshot(action.session, action.tab, action.pool, options, half, Purpose.ACTION)
    except (PerceptionError, CdpCallError) as exc:
        action.notes.append(f"no diff: {marked_line(exc)}")
        return None, None
    seen = after.snapshot
    settled = Settled(seen.pending, seen.waited_s, seen.background) if action.answer.settle_s > 0 else None
    return after, settled


async def _out_of_view(action: ActionContext, before: PresentedSnapshot, diff: Diff) -> frozenset[str]:
    """Refs that a snapshot of the viewport has no longer, and that a person sees again by scrolling."""
    if before.options.scope is not Scope.VIEWPORT:
        return frozenset()
    page, found = action.tab.link, set[str]()
    removed: dict[str, list[tuple[int, str]]] = {}
    for element in (before.listed[index] for index in diff.removed):
        if element.ref and element.node is not None:
            removed.setdefault(element.node.loader, []).append((element.node.node, element.ref))
    for loader, nodes in removed.items():
        if (frame := page.tree.frame_of(loader)) is None:
            continue
        numbers = [number for number, _ in nodes]
        with contextlib.suppress(PerceptionError):  # the page is gone, or hangs: they are not there to be seen
            share = action.deadline.share(AFTERMATH_SECONDS)
            shown = await page.ask(frame, "areOutOfView", share, "looking for what left the view", numbers)
            found.update(ref for (_, ref), is_shown in zip(nodes, shown, strict=True) if is_shown)
    return frozenset(found)


def _complete(action: ActionContext, effects: ActionEffects) -> ActionEffects:
    """With what is known only at the end: notes, and the time of each phase."""
    _note_skipped_errors(action)
    _note_refused_tabs(action)
    _note_asked(action)
    action.notes += take_turn_notes(action.session)
    if action.tab.link.file_choosers.refused > action.baseline.files_refused:
        action.notes.append(
            "the page asked for files by the File System Access API, which takes none from here: it was told that its "
            "user cancelled"
        )
    return replace(effects, notes=(*action.notes, *action.console_notes), timings_ms=dict(action.stages.timings_ms))

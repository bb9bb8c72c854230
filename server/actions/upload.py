"""Files for a page: of the operator's upload directory by name, or sent along; and the field that takes them."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from perception.browser.browser_session import BrowserSession
from perception.browser.cdp.cdp_link import CdpCallError, CdpSession
from perception.browser.input.aiming import TARGET_PATIENCE_SECONDS, TargetNode
from perception.browser.opening import run_in_thread
from perception.browser.page.file_choosers import FileChooser, chooser_id
from perception.browser.page.file_transfer import MAX_NAME_BYTES, TooLargeError, copy_out, is_plain_name, open_inside
from perception.errors import BadInputError, NoSuchFileError, NotAFileFieldError
from perception.server.actions.action_context import ActionContext
from perception.server.actions.resolve import aim_at
from perception.server.environment import how_to_set, variable_of
from perception.server.files.uploads import StreamedUpload, limit_error

SHOWN_NAMES = 10
"""How many names of the upload directory an error lists."""

MAX_FILES = 100
"""Most files of one call."""

MAX_PATH_PART_BYTES, MAX_PATH_BYTES = 255, 1024
"""Limits of one name on the way to a file, as file systems have it; of a path, which is far more than a folder
needs."""

COPIES = 1
"""What a drag from outside offers: the page gets a copy (`dragOperationsMask`)."""

_PHASE = "handing over the files"


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file that a client sent along: its plain name, and its bytes."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class UploadFile:
    """A file of the upload directory, all links in its name resolved: `parts` lead to it from `folder` without any."""

    folder: Path
    parts: tuple[str, ...]

    @property
    def path(self) -> Path:
        return self.folder.joinpath(*self.parts)


def check_names(
    paths: Sequence[str],
    files: Sequence[FileContent],
    upload_ids: Sequence[str],
    folder: Path | None,
    dropped: Mapping[str, str] | None = None,
) -> list[UploadFile]:
    """The files that names of the upload directory stand for.

    Args:
        dropped: texts by MIME type that are dropped along.

    Raises:
        BadInputError: nothing was asked for, there is no upload directory, or a name leads out of it.
        NoSuchFileError: a name is not there; says what is.
    """
    count = len(paths) + len(files) + len(upload_ids)
    if not count and not dropped:
        raise BadInputError(
            "no file: give names in `paths`, contents in `files`, ids of StreamUpload in `upload_ids`, or with `drop` "
            "texts in `data`",
            field="paths",
        )
    if count > MAX_FILES:
        raise BadInputError(f"{count} files are more than {MAX_FILES}: give fewer", field="paths")
    for file in files:
        if not is_plain_name(file.name):
            raise BadInputError(
                f"{file.name[:60]!r} is not a plain file name: leave out folders and control characters, and use at "
                f"most {MAX_NAME_BYTES} bytes",
                field="files",
            )
    return [_file(name, folder) for name in paths]


@dataclass(frozen=True, slots=True)
class _Field:
    """A file field that takes files.

    Attributes:
        session: of its frame.
        node: what CDP calls it by.
        multiple: it takes several files.
        shown_as: how errors name it.
    """

    session: CdpSession
    node: dict[str, Any]
    multiple: bool
    shown_as: str


async def upload(
    action: ActionContext,
    node: TargetNode | None,
    paths: Sequence[UploadFile],
    files: Sequence[FileContent],
    streamed: Sequence[StreamedUpload] = (),
    dropped: Mapping[str, str] | None = None,
) -> None:
    """Gives files to a file field, to what opens a file chooser when it is clicked, or to the chooser that is open; or
    drops them.

    Args:
        node: the field, what opens a chooser, or where they are dropped; None for the chooser that is open in the tab.
        paths, files, streamed: the files, in this order.
        dropped: they are dropped on the node, with these texts by MIME type.

    Raises:
        NotAFileFieldError: it is neither.
        BadInputError: several files for a field that takes one, or neither a target nor an open chooser.
        UploadLimitError: the session takes no more.
    """
    if dropped is not None:
        await _drop(action, node, await _staged(action, paths, files, streamed), dropped)
        return
    field = _open_chooser(action) if node is None else await _field_of(action, node)
    count = len(paths) + len(files) + len(streamed)
    if count > 1 and not field.multiple:
        raise BadInputError(f"{field.shown_as} takes one file, not {count}: give one", field="paths")
    staged = await _staged(action, paths, files, streamed)
    action.deadline.dispatched = True
    action.tab.link.note_input()
    try:
        await field.session.call("DOM.setFileInputFiles", action.deadline, _PHASE, files=staged, **field.node)
    except CdpCallError as exc:
        raise NotAFileFieldError(f"{field.shown_as} took no files: it is not a file field (any more)") from exc
    action.tab.link.file_choosers.forget()


async def _staged(
    action: ActionContext,
    paths: Sequence[UploadFile],
    files: Sequence[FileContent],
    streamed: Sequence[StreamedUpload],
) -> list[str]:
    """Where the browser reads the files."""
    staged = await _stage(action.session.browser, paths, files) if paths or files else []
    return [*staged, *(str(each.path) for each in streamed)]


async def _drop(
    action: ActionContext, node: TargetNode | None, staged: Sequence[str], texts: Mapping[str, str]
) -> None:
    if node is None:
        raise BadInputError("files are dropped on a target: name one", field="target")
    items = [{"mimeType": kind, "data": text} for kind, text in texts.items()]
    data = {"items": items, "files": list(staged), "dragOperationsMask": COPIES}
    if not await action.input.drop(await aim_at(action, node), data, action.deadline):
        raise NotAFileFieldError(
            f"{node.shown_as} takes nothing of what is dropped there: nothing was dropped; name what takes files"
        )


async def _field_of(action: ActionContext, node: TargetNode) -> _Field:
    facts = await action.targets.look_at(node, action.deadline)
    if facts.tag != "input" or facts.type != "file":
        return await _click_for_chooser(action, node)
    if facts.disabled:
        await action.targets.aim_at(node, action.deadline)  # raises what a click on it would
    handle = await action.tab.link.worlds.node_handle(node.frame, node.number, action.deadline, _PHASE)
    session = action.tab.link.session_of(node.frame)
    return _Field(session, {"objectId": handle}, facts.multiple, node.shown_as)


def _open_chooser(action: ActionContext) -> _Field:
    """The field of the chooser that is open in the tab. Raises BadInputError where no chooser is open."""
    chooser = action.tab.link.file_choosers.open
    if chooser is None:
        others = [
            chooser_id(tab.tab_id, tab.link.file_choosers.open)
            for tab in action.session.browser.tabs
            if tab.link.file_choosers.open is not None
        ]
        elsewhere = f" ({', '.join(others)} is open in another tab: give its tab_id)" if others else ""
        raise BadInputError(
            f"no target, and no file chooser is open in tab {action.tab.tab_id}{elsewhere}: name a file field, or "
            "click what opens a file chooser first",
            field="target",
        )
    return _of_chooser(chooser, f"the file chooser {chooser_id(action.tab.tab_id, chooser)}")


async def _click_for_chooser(action: ActionContext, node: TargetNode) -> _Field:
    """Clicks what is not a file field itself, and takes the file chooser that it opens."""
    with action.tab.link.file_choosers.catching() as opened:
        await action.input.focus(await aim_at(action, node), action.deadline)
        await asyncio.wait([opened], timeout=action.deadline.share(TARGET_PATIENCE_SECONDS).remaining())
    if not opened.done():
        raise NotAFileFieldError(
            f"{node.shown_as} is not a file field and opens no file chooser: it was clicked; name the field or its "
            "button, or drop the files on it (`drop`)"
        )
    return _of_chooser(opened.result(), node.shown_as)


def _of_chooser(chooser: FileChooser, shown_as: str) -> _Field:
    return _Field(chooser.session, {"backendNodeId": chooser.node}, chooser.multiple, shown_as)


def _file(name: str, folder: Path | None) -> UploadFile:
    if folder is None:
        raise BadInputError(
            "this service has no upload directory: send the content in `files`, or start it with one "
            f"({how_to_set('upload_dir')})",
            field="paths",
            setting=variable_of("upload_dir"),
        )
    parts = PurePosixPath(name).parts
    root = folder.resolve()
    if any(len(part.encode()) > MAX_PATH_PART_BYTES for part in parts) or len(name.encode()) > MAX_PATH_BYTES:
        raise BadInputError(
            f"{name[:60]!r}… is too long for a file name: each part of a path has at most {MAX_PATH_PART_BYTES} bytes, "
            f"the whole {MAX_PATH_BYTES}; give the name of a file in the upload directory",
            field="paths",
        )
    path = root if not name or "\0" in name or ".." in parts else _resolved(root / name)
    if path == root or not path.is_relative_to(root):
        raise BadInputError(
            f"{name[:60]!r} leads out of the upload directory: give a name in it, or send the content", field="paths"
        )
    if not _is_file(path):
        there = _file_names(folder)
        listed = ", ".join(there[:SHOWN_NAMES]) + (" …" if len(there) > SHOWN_NAMES else "")
        raise NoSuchFileError(
            f"{name[:60]!r} is not in the service's upload directory ({how_to_set('upload_dir')}): it has "
            f"{listed or 'no files'}",
            setting=variable_of("upload_dir"),
        )
    return UploadFile(root, path.relative_to(root).parts)


def _is_file(path: Path) -> bool:
    """Whether there is such a file, and we may look at it."""
    try:
        return path.is_file()
    except OSError:
        return False


def _file_names(folder: Path) -> list[str]:
    """Names of the files in a folder; none where it cannot be listed."""
    try:
        return sorted(each.name for each in folder.iterdir() if _is_file(each))
    except OSError:
        return []


def _resolved(path: Path) -> Path:
    """The file system's root for links that go in circles: out of any folder."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return Path("/")


async def _stage(browser: BrowserSession, paths: Sequence[UploadFile], files: Sequence[FileContent]) -> list[str]:
    """Copies for the browser, whose user may not be ours. A browser that is not ours gets the operator's own paths."""
    folder = browser.uploads.make_folder()
    if folder is None:
        if files:
            raise BadInputError("contents cannot be sent to a browser that was found running: use paths", field="files")
        return [str(chosen.path) for chosen in paths]
    async with browser.uploads.counting:
        try:
            staged, taken = await run_in_thread(_copy, folder, paths, files, browser.uploads.left_bytes)
        except BaseException as exc:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
            if isinstance(exc, TooLargeError):
                raise limit_error(browser.uploads.max_bytes) from exc
            raise
        browser.uploads.used_bytes += taken
    return staged


def _copy(
    folder: Path, paths: Sequence[UploadFile], files: Sequence[FileContent], max_bytes: int
) -> tuple[list[str], int]:
    """Where the copies are, and how many bytes they hold together."""
    staged: list[str] = []
    left = max_bytes
    sources: list[UploadFile | FileContent] = [*paths, *files]
    for index, source in enumerate(sources):
        place = folder / str(index)  # two files may have one name
        place.mkdir()
        place.chmod(0o755)
        path = place / (source.parts[-1] if isinstance(source, UploadFile) else source.name)
        left -= _copy_one(source, path, left)
        path.chmod(0o644)
        staged.append(str(path))
    return staged, max_bytes - left


def _copy_one(source: UploadFile | FileContent, path: Path, max_bytes: int) -> int:
    if not isinstance(source, UploadFile):
        if len(source.content) > max_bytes:
            raise TooLargeError
        return path.write_bytes(source.content)
    try:
        return copy_out(open_inside(source.folder, source.parts), path, max_bytes)
    except TooLargeError:
        raise
    except OSError as exc:
        raise NoSuchFileError(
            f"{source.parts[-1][:60]!r} is no longer a plain file of the upload directory, or unreadable: name another"
        ) from exc

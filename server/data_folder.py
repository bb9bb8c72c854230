"""Whether the service can write its data folder, where profiles, recordings, subroutines and videos are kept."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from perception.errors import DataFolderError
from perception.server.environment import how_to_set

NAMES = ("principals", "profiles", "recordings", "subroutines", "videos")
"""Names of the folders in it."""

REMEDY = f"let the service's user write there, or name another folder by {how_to_set('data_dir')}"

_REFUSALS = frozenset((errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.EIO))
"""What a system says of a folder that is closed to its user, read-only, a file, or on a broken disk."""


def existing_part(folder: Path) -> Path:
    """The folder, or what there is on the way to it where it does not exist yet."""
    return next(each for each in (folder, *folder.parents) if os.path.lexists(each))  # Path's own raises at closed ones


def why_not_writable(folder: Path, names: tuple[str, ...] = ()) -> str:
    """Why a folder, or one of these in it, cannot be written, such as `Permission denied`, and which user's it is
    where that is another one; empty where all can. They need not exist yet. Writes files for that, as permission bits
    do not show read-only mounts."""
    for each in {existing_part(folder), *(existing_part(folder / name) for name in names)}:
        try:
            with tempfile.TemporaryFile(dir=each):
                pass
        except OSError as exc:
            return f"{exc.strerror or type(exc).__name__}{_whose(each)}"
    return ""


def _whose(folder: Path) -> str:
    """What to do about a folder of another user, as a container's volume may be; empty for one of ours."""
    with suppress(OSError, AttributeError):  # Windows has no such users
        owner, group = os.geteuid(), os.getegid()
        if (found := os.stat(folder).st_uid) != owner:
            return f": {folder} is of user {found}, and the service runs as user {owner}: chown -R {owner}:{group} it"
    return ""


def as_data_folder_error(error: OSError, folder: Path) -> DataFolderError | None:
    """The error of a call that could not keep something in the data folder; None for another one."""
    if error.errno not in _REFUSALS or not any(_leads_to(each, folder) for each in (error.filename, error.filename2)):
        return None
    return DataFolderError(
        f"the service cannot write its data folder ({error.strerror}), where profiles, recordings, subroutines and "
        f"videos are kept, so this was not kept: {REMEDY}; what needs no kept files works"
    )


def _leads_to(named: object, folder: Path) -> bool:
    """Whether a path is in a folder, or on the way to it."""
    if not isinstance(named, str):
        return False
    path, folder = Path(named).absolute(), folder.absolute()
    return path.is_relative_to(folder) or folder.is_relative_to(path)

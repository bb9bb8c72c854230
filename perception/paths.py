"""Where files are kept on this machine. The one place that knows `PERCEPTION_HOME`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from platformdirs import PlatformDirs

_APP = "perception"


def home_folder() -> Path:
    """The folder for what can be made again, such as packages, data sets and runs: `$PERCEPTION_HOME`, else
    `perception` in the user's cache folder. It need not exist yet."""
    return chosen_home() or _standard_folders().user_cache_path


def data_folder() -> Path:
    """The folder for what a user made, such as recordings and subroutines: `$PERCEPTION_HOME`, else `perception` in the
    user's data folder. It need not exist yet."""
    return chosen_home() or _standard_folders().user_data_path


def move_user_data(names: tuple[str, ...]) -> list[str]:
    """Moves folders that earlier versions kept in the cache folder to the data folder. One that is there already stays.

    Returns:
        The names of the folders that were moved.

    Raises:
        OSError: a folder cannot be moved; it is complete at its old place.
    """
    import shutil
    import tempfile

    old, new = home_folder(), data_folder()
    moved = [name for name in names if old != new and (old / name).is_dir() and not (new / name).exists()]
    for name in moved:
        make_private(new)
        with tempfile.TemporaryDirectory(prefix=".moving-", dir=new) as work:  # a half copy never has the name
            shutil.move(old / name, Path(work, name))
            os.rename(Path(work, name), new / name)
    return moved


def make_private(folder: Path) -> None:
    """Makes a folder, and the missing ones that it is in, for this user alone. One that is there stays as it is.

    Raises:
        OSError: it cannot be made, or a file has its name.
    """
    for each in reversed([each for each in folder.parents if not each.exists()]):
        each.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def _standard_folders() -> PlatformDirs:
    import platformdirs  # not needed where $PERCEPTION_HOME is set

    return platformdirs.PlatformDirs(_APP, appauthor=False, opinion=False)


def chosen_home() -> Path | None:
    """`$PERCEPTION_HOME`; None where it is not set."""
    home = os.environ.get("PERCEPTION_HOME")
    return Path(home).absolute() if home else None

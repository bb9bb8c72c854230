"""Fills a Jupyter server's state folder, so that its pages say the same at every start.

Usage: prepare.py FOLDER
"""

import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent

CHANGED_S = 1577934245
"""2020-01-02 03:04:05 UTC. Pages say how long ago that is: in years, which is the same tomorrow."""


def main(state: Path) -> None:
    shutil.copytree(HERE / "settings", state / "settings")
    files = shutil.copytree(HERE / "files", state / "files")
    # Without one, the first look at a notebook makes one, and every later look says when that was.
    checkpoints = files / ".ipynb_checkpoints"
    checkpoints.mkdir()
    shutil.copy(files / "waves.ipynb", checkpoints / "waves-checkpoint.ipynb")
    for path in files.rglob("*.*"):
        os.utime(path, (CHANGED_S, CHANGED_S))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

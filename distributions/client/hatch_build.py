"""Puts the files of files.txt into the client's wheel and sdist, from the repository or from an unpacked sdist."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ClientFiles(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        here = Path(self.root)
        source = here if (here / "perception").is_dir() else here.parents[1]
        for name in (here / "files.txt").read_text("utf-8").split():
            build_data["force_include"][str(source / name)] = name

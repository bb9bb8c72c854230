"""Leaves the client's files out of the service's wheel and sdist, which require the client instead, and those of the
labs, which only the repository has.

An editable install has the whole tree, and requires no client. A wheel that is built in the repository takes the client
from there, any other one the release of the same version.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CLIENT, LABS = "distributions/client", "distributions/labs.txt"


class WithoutClientAndLabs(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        client = Path(self.root, CLIENT)
        lists = (client / "files.txt", Path(self.root, LABS))
        files = [name for each in lists for name in each.read_text("utf-8").split()]
        target = self.build_config.target_config
        target["exclude"] = [*target.get("exclude", []), *(f"/{name}" for name in files)]
        self.metadata.core.scripts.clear()  # `perception` is the client's
        is_local = self.target_name == "wheel" and (client / "pyproject.toml").is_file()
        source = f" @ {client.resolve().as_uri()}" if is_local else f"=={self.metadata.version}"
        build_data["dependencies"].append(f"perception-client{source}")

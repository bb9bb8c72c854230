"""Commands of the shell as a user has them: a folder of their own, a service of their own."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.processes import perception


@dataclass(frozen=True)
class Shell:
    """A shell in a folder.

    Attributes:
        home: the user's folder.
        cwd: where its commands run.
        environment: in addition to this process's.
    """

    home: Path
    cwd: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name != "PERCEPTION_SESSION"}
        return kept | {"PERCEPTION_HOME": str(self.home)} | self.environment

    def start(self, *words: str) -> subprocess.Popen[str]:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command = perception(*words)
        return subprocess.Popen(command, text=True, cwd=self.cwd, env=self.env, start_new_session=True, **pipes)

    def run(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        process = self.start(*words)
        out, err = process.communicate(given, timeout=90)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def out(self, *words: str, given: str = "") -> str:
        """What a command prints that has to succeed."""
        done = self.run(*words, given=given)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def error(self, *words: str, given: str = "") -> tuple[int, str]:
        """The exit code and the one line of a command that has to fail."""
        done = self.run(*words, given=given)
        lines = done.stderr.splitlines()
        assert len(lines) == 1, done.stderr
        assert lines[0].startswith("error: "), done.stderr
        return done.returncode, lines[0].removeprefix("error: ")

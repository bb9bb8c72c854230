"""Makes the blocking client, perception/client/_sync, from the asyncio one in perception/client/_async.

Usage: .venv/bin/python .ci/sync_client.py [ROOT]   writes under ROOT, by default the repository itself.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import unasync

REPOSITORY = Path(__file__).parents[1]
SOURCE, MADE = "perception/client/_async", "perception/client/_sync"
NAMES = {
    "_async": "_sync",
    "aclosing": "closing",
    "aconnect": "connect",
    "astart": "start",
    "astop": "stop",
    "open_async_channel": "open_channel",
}
"""Replacements in addition to those of unasync (`async with`, `__aenter__`, `AsyncGenerator` and the like), and to
`AsyncPage` → `Page` and `PageServiceAsyncStub` → `PageServiceStub` of all classes of ours."""

OURS = re.compile(r"\b(?:Async(?!Generator|Iter|Context)[A-Z]\w+|\w+ServiceAsyncStub)\b")

PACKAGE = '"""The blocking form of the client, made from `_async` by .ci/sync_client.py. Not to be edited."""\n'


def main(root: Path) -> None:
    """Replaces the content of ROOT/perception/client/_sync."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        shutil.copytree(REPOSITORY / SOURCE, work / SOURCE, ignore=shutil.ignore_patterns("__pycache__"))
        paths = sorted((work / SOURCE).glob("*.py"))
        ours = {name for path in paths for name in OURS.findall(path.read_text("utf-8"))}
        names = NAMES | {name: name.replace("Async", "", 1) for name in ours}
        rule = unasync.Rule(f"/{SOURCE}/", f"/{MADE}/", additional_replacements=names)
        unasync.unasync_files([str(path) for path in paths], [rule])
        (work / MADE / "__init__.py").write_text(PACKAGE, "utf-8")
        shutil.copy(REPOSITORY / "pyproject.toml", work)
        ruff = [Path(sys.executable).with_name("ruff")]
        for command in (
            ["check", "--select", "I", "--fix", "--quiet", "--no-cache"],
            ["format", "--quiet", "--no-cache"],
        ):
            subprocess.run([*ruff, *command, MADE], cwd=work, check=True)
        shutil.rmtree(root / MADE, ignore_errors=True)
        shutil.copytree(work / MADE, root / MADE)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else REPOSITORY))

"""Makes the blocking client, perception/client/_sync, from the asyncio one in perception/client/_async.

Usage: .venv/bin/python .ci/sync_client.py [ROOT]   writes under ROOT, by default the repository itself.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import unasync

REPOSITORY = Path(__file__).parents[1]
SOURCE, MADE = "perception/client/_async", "perception/client/_sync"
NAMES = {
    "AsyncCalls": "Calls",
    "AsyncChannel": "Channel",
    "AsyncClient": "Client",
    "AsyncControl": "Control",
    "AsyncHumanControl": "HumanControl",
    "AsyncFiles": "Files",
    "AsyncLive": "Live",
    "AsyncNetwork": "Network",
    "AsyncPageTools": "PageTools",
    "AsyncPage": "Page",
    "AsyncSession": "Session",
    "AsyncSubroutines": "Subroutines",
    "AsyncTraces": "Traces",
    "AsyncVideos": "Videos",
    "_async": "_sync",
    "SessionServiceAsyncStub": "SessionServiceStub",
    "PerceptionServiceAsyncStub": "PerceptionServiceStub",
    "DetectionServiceAsyncStub": "DetectionServiceStub",
    "ActionServiceAsyncStub": "ActionServiceStub",
    "ExtractionServiceAsyncStub": "ExtractionServiceStub",
    "FileServiceAsyncStub": "FileServiceStub",
    "ControlServiceAsyncStub": "ControlServiceStub",
    "aclosing": "closing",
    "LiveServiceAsyncStub": "LiveServiceStub",
    "NetworkServiceAsyncStub": "NetworkServiceStub",
    "PageToolServiceAsyncStub": "PageToolServiceStub",
    "VideoServiceAsyncStub": "VideoServiceStub",
    "aconnect": "connect",
    "astart": "start",
    "astop": "stop",
    "open_async_channel": "open_channel",
}
"""Replacements in addition to those of unasync: `async with`, `__aenter__`, `AsyncGenerator` and the like."""

PACKAGE = '"""The blocking form of the client, made from `_async` by .ci/sync_client.py. Not to be edited."""\n'


def main(root: Path) -> None:
    """Replaces the content of ROOT/perception/client/_sync."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        shutil.copytree(REPOSITORY / SOURCE, work / SOURCE, ignore=shutil.ignore_patterns("__pycache__"))
        rule = unasync.Rule(f"/{SOURCE}/", f"/{MADE}/", additional_replacements=NAMES)
        unasync.unasync_files([str(path) for path in sorted((work / SOURCE).glob("*.py"))], [rule])
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

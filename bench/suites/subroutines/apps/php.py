"""PHP of Debian's packages, unpacked and not installed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

EXTENSIONS = (
    "dom",
    "mbstring",
    "pdo",
    "pdo_sqlite",
    "simplexml",
    "sqlite3",
    "tokenizer",
    "xml",
    "ctype",
    "iconv",
    "fileinfo",
    "posix",
    "gettext",
)


def php_command(folder: Path, state: Path, port: int, pages: Path) -> Sequence[str]:
    """PHP's own server of a folder of pages."""
    modules = next((folder / "usr/lib/php").glob("2*"))
    there = [name for name in EXTENSIONS if (modules / f"{name}.so").is_file()]
    options = [f"extension_dir={modules}", *(f"extension={name}" for name in there)]
    options += [f"session.save_path={state}", "display_errors=0", "date.timezone=UTC"]
    flags = [part for option in options for part in ("-d", option)]
    return (str(folder / "usr/bin/php8.2"), "-n", *flags, "-S", f"127.0.0.1:{port}", "-t", str(pages))


def php_environment(folder: Path) -> dict[str, str]:
    """Where its libraries are; four processes, since a page asks for several files at once."""
    libraries = [str(each) for each in (folder / "usr/lib").glob("*-linux-gnu")]
    return {"LD_LIBRARY_PATH": ":".join(libraries), "PHP_CLI_SERVER_WORKERS": "4"}

"""Compares wheels with the repository: the client's and the service's together must contain every file of every room
that git does not ignore, but for those of the labs, nothing else, no file twice, and those of one name the same.

Usage: python .ci/wheel_contents.py FOLDER...   folders with both wheels; exits with 1 and prints a line per difference.
"""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

ROOMS = ("bench", "datasets", "fusion", "server")
PARTS = ("browser", "cli", "client", "detectors", "extract", "render", "v1")


def repository_files() -> set[str]:
    """Paths that a wheel should have: the rooms are at the paths of their links in perception/."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "perception", *ROOMS]
    listed = subprocess.check_output(listing, text=True).split("\0")
    files = {
        path if path.startswith("perception/") else f"perception/{path}"
        for path in listed
        if Path(path).is_file() and not Path(path).is_symlink()
    }
    return files.difference(Path("distributions/labs.txt").read_text("utf-8").split())


def contents(wheel: Path) -> dict[str, str]:
    """Path → hash of every file in a wheel, except its own metadata."""
    with ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        return {name: sha256(archive.read(name)).hexdigest() for name in names}


def together(folder: Path) -> dict[str, str]:
    """The files of both wheels of a folder. Exits if one is in both."""
    client, service = (contents(next(folder.glob(f"perception_{name}-*.whl"))) for name in ("client", "service"))
    if twice := sorted(client.keys() & service.keys()):
        sys.exit(f"{folder}: both wheels have {', '.join(twice)}")
    return client | service


def problems(wheels: list[Path]) -> list[str]:
    wanted = repository_files()
    found = []
    held = [together(wheel) for wheel in wheels]
    for wheel, files in zip(wheels, held, strict=True):
        found += [f"{wheel}: {path} is missing" for path in sorted(wanted - files.keys())]
        found += [f"{wheel}: {path} is not in the repository" for path in sorted(files.keys() - wanted)]
        found += [
            f"{wheel}: perception/{part} is not a package"
            for part in (*ROOMS, *PARTS)
            if f"perception/{part}/__init__.py" not in files
        ]
        if not any(path.startswith("perception/browser/") and path.endswith(".js") for path in files):
            found.append(f"{wheel}: perception/browser has no .js file, and so no page walker")
        if not any(path.endswith(".html") for path in files):
            found.append(f"{wheel}: no .html file, and so no demo page")
    found += [f"{wheel} and {wheels[0]} differ" for wheel, files in zip(wheels, held, strict=True) if files != held[0]]
    return found


if __name__ == "__main__":
    paths = [Path(argument) for argument in sys.argv[1:]]
    wrong = problems(paths)
    print(
        "\n".join(wrong)
        or f"two wheels: {len(together(paths[0]))} files, each once, the same from the sdist and the tree"
    )
    sys.exit(bool(wrong))

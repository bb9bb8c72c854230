"""Proves that an environment with the client alone looks at a page by a service of another environment.

Usage: python .ci/client_alone.py CLIENT_VENV SERVICE_VENV   prints what the client takes on disk.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLIENT, SERVICE = (Path(argument) for argument in sys.argv[1:])
START_S = 60.0
LOOK = """
import sys, perception
from importlib.util import find_spec
from perception.client import connect
assert perception.connect is connect
assert not [name for name in ("numpy", "onnxruntime", "cv2", "scipy", "playwright", "lxml") if find_spec(name)]
with connect(sys.argv[1]) as client, client.open("data:text/html,<title>T</title><button>Pay now</button>") as page:
    print(page.snapshot().text)
"""
NEEDS_SERVICE = "this command needs the service: pip install perception-service"
NO_SERVICE = "starting a service needs the service"


def run(*command: str | Path) -> str:
    """What a command prints on both streams, and its exit code."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return f"{done.stdout}{done.stderr}exit code {done.returncode}"


def must_say(said: str, words: str, code: int) -> None:
    if words not in said or not said.endswith(f"exit code {code}"):
        sys.exit(f"not in this, or another exit code than {code}: {words}\n{said}")


def size_mb(folder: Path) -> float:
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return sum(path.stat().st_size for path in files) / 1e6


def main() -> None:
    python, perception = CLIENT / "bin/python", CLIENT / "bin/perception"
    packages = next(CLIENT.glob("lib/python3*/site-packages"))
    parts = ", ".join(f"{part.name} {size_mb(part):.0f}" for part in sorted(packages.iterdir()) if size_mb(part) >= 1)
    print(f"the client alone: {size_mb(packages):.1f} MB installed, of it {parts}")
    for name in ("serve", "doctor", "detectors"):
        must_say(run(perception, name), NEEDS_SERVICE, 1)
    must_say(run(perception, "--help"), "snapshot", 0)
    must_say(run(perception, "snapshot", "data:text/html,x"), NO_SERVICE, 1)
    with tempfile.TemporaryDirectory() as folder:
        address = f"unix:{folder}/socket"
        service = subprocess.Popen(
            [SERVICE / "bin/perception", "serve", "--address", address], stderr=subprocess.DEVNULL
        )
        try:
            ends = time.monotonic() + START_S
            while "SERVING" not in (said := run(perception, "health", "--address", address)):
                if service.poll() is not None or time.monotonic() > ends:
                    sys.exit(f"the service does not serve: {said}")
                time.sleep(0.5)
            must_say(run(python, "-I", "-c", LOOK, address), 'button "Pay now"', 0)
            command = ("snapshot", "data:text/html,<button>Buy</button>", "--address", address)
            must_say(run(perception, *command), 'button "Buy"', 0)
        finally:
            service.terminate()
            service.wait(START_S)
    print("it looks at a page by a service of another environment")


main()

"""Runs clients of examples/ against `perception serve` and a page on loopback.

Checks that clients which share no code with the service see the page, really click in it, can read an error, and cancel
a watch on the server, too; and that the service ends without leaving a browser behind.
Usage: .venv/bin/python .ci/clients.py python|node|go|grpcurl…   with what they need on PATH; see .ci/clients
"""

import contextlib
import json
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO

import psutil
import trustme

SERVE = [str(Path(sys.executable).with_name("perception")), "serve"]
CLIENTS = {
    "python": [sys.executable, "examples/python/look_and_click.py"],
    "node": ["node_client"],
    "go": ["go_client"],
    "grpcurl": ["examples/grpcurl/look_and_click.sh"],
}
BUF = ["buf", "curl", "--protocol", "grpc", "--http2-prior-knowledge", "-d", "{}"]
PAGE = b"""<!doctype html><title>Basket</title><h1>Basket</h1>
<button onclick="fetch('/clicked', {method: 'POST'})">Pay now</button>"""
EXPECTED = (
    'heading "Basket"',
    'button "Pay now"',
    'the button "Pay now"',
    "UNKNOWN_REF",
    "watching: s",
    "the watch is cancelled",
)
REF_IN_METADATA = re.compile(r"""ref["']?: ?["']?e999999""")
START_S = 60.0
RUN_S = 120.0


@contextlib.contextmanager
def page_on_loopback() -> Iterator[tuple[str, threading.Semaphore]]:
    """Yields the page's URL, and a semaphore that is released at each click of its button."""
    clicked = threading.Semaphore(0)

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(PAGE)

        def do_POST(self) -> None:
            clicked.release()
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    site = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{site.server_port}/", clicked
    finally:
        site.shutdown()


@contextlib.contextmanager
def service(log: IO[bytes], address: str, *options: str) -> Iterator[str]:
    """Yields the address of a running service, which is stopped by SIGTERM. Exits if it leaves a process behind.

    Args:
        log: receives its standard error.
        address: where it is to listen.
        options: further ones of `perception serve`.
    """
    process = psutil.Popen([*SERVE, "--address", address, "--allow-host", "127.0.0.1", *options], stderr=log)
    try:
        wait_until_ready(process, address)
        yield address
        children = process.children(recursive=True)
        process.send_signal(signal.SIGTERM)
        code = process.wait(timeout=START_S)
        _, left = psutil.wait_procs(children, timeout=START_S)
        if code or left:
            sys.exit(f"after SIGTERM the service exited with {code} and left {left or 'nothing'} behind")
    finally:
        if process.is_running():
            process.kill()


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}"


def wait_until_ready(process: psutil.Popen, address: str) -> None:
    """Returns when the service accepts calls; exits if it ended or did not start in time."""
    deadline = time.monotonic() + START_S
    family, where = (
        (socket.AF_UNIX, address.removeprefix("unix:"))
        if address.startswith("unix:")
        else (socket.AF_INET, ("127.0.0.1", int(address.rpartition(":")[2])))
    )
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.socket(family) as probe:
            probe.connect(where)
            return
        if process.poll() is not None:
            sys.exit(f"the service ended with {process.returncode} before it took a call")
        time.sleep(0.1)
    sys.exit(f"the service took no call within {START_S:.0f} s")


def run(name: str, address: str, url: str, clicked: threading.Semaphore) -> None:
    """Exits if the client does not do what it should."""
    client = subprocess.run([*CLIENTS[name], address, url], capture_output=True, text=True, timeout=RUN_S, check=False)
    print(f"-- {name}", client.stdout.rstrip(), sep="\n")
    missing = [text for text in EXPECTED if text not in client.stdout]
    if not REF_IN_METADATA.search(client.stdout):
        missing.append("the refused ref in the error's metadata")
    if client.returncode or missing:
        print(client.stderr, file=sys.stderr, end="")
        sys.exit(f"the {name} client exited with {client.returncode}; not in its output: {missing or 'nothing'}")
    if not clicked.acquire(timeout=START_S):
        sys.exit(f"the click that the service reported to the {name} client never reached the page")


def check_node_package(url: str, log: IO[bytes]) -> None:
    """Runs the agent's loop of examples/node over a Unix socket, and .ci/node_contract over TLS with a token."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with service(log, f"unix:{folder / 'socket'}") as address:
            must_say("done", ["node_loop", address])
        access = tls_files(folder)
        options = [
            "--tls-cert",
            f"{folder / 'cert'}",
            "--tls-key",
            f"{folder / 'key'}",
            "--token-file",
            f"{folder / 'tokens'}",
        ]
        with service(log, free_address(), *options, "--max-sessions", "3") as address:
            must_say("all of the contract holds", ["node_contract", address, url, json.dumps(access)])


def tls_files(folder: Path) -> dict[str, str]:
    """Writes a service's certificate, key and token file; returns what a client connects with."""
    authority, token = trustme.CA(), secrets.token_urlsafe(24)
    server = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(folder / "authority")
    server.cert_chain_pems[0].write_to_path(folder / "cert")
    for name, content in (("key", server.private_key_pem.bytes()), ("tokens", f"ana {token}\n".encode())):
        (folder / name).touch(0o600)
        (folder / name).write_bytes(content)
    return {"token": token, "rootCertificates": str(folder / "authority")}


def must_say(said: str, command: list[str]) -> None:
    """Exits unless the command succeeds and prints that."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=RUN_S, check=False)
    print(f"-- {command[0]}", done.stdout.rstrip(), sep="\n")
    if done.returncode or said not in done.stdout:
        print(done.stderr, file=sys.stderr, end="")
        sys.exit(f"{command[0]} exited with {done.returncode} and did not say: {said}")


def cancelled_watches(log: IO[bytes]) -> int:
    """The number of watches that the service logged as cancelled by their callers."""
    log.seek(0)
    lines = [json.loads(line) for line in log if line.startswith(b"{")]
    return sum(line.get("method", "").endswith("/WatchSnapshots") and line["code"] == "CANCELLED" for line in lines)


def main(names: list[str]) -> None:
    with tempfile.TemporaryFile() as log:
        with page_on_loopback() as (url, clicked), service(log, free_address()) as address:
            for name in names:
                run(name, address, url, clicked)
            listed = subprocess.run(
                [*BUF, f"http://{address}/perception.v1.SessionService/ListSessions"], capture_output=True, text=True
            )
            if listed.returncode or json.loads(listed.stdout):
                sys.exit(f"buf curl finds sessions that no client closed, or nothing: {listed.stdout}{listed.stderr}")
        if cancelled_watches(log) != len(names):
            sys.exit(f"{len(names)} watches were cancelled, the service logged {cancelled_watches(log)}")
    if "node" in names:
        with tempfile.TemporaryFile() as log, page_on_loopback() as (url, _):
            check_node_package(url, log)
    print(f"{', '.join(names)}: pages clicked, errors read, watches cancelled, and nothing left behind")


if __name__ == "__main__":
    main(sys.argv[1:])

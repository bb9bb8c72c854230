"""Runs examples/node/snapshot.mjs against `perception serve` and a page on loopback.

Proves that a client that shares no code with the service sees the page, really clicks in it and can read an error,
and that the service ends without leaving a browser behind. Usage: .venv/bin/python .ci/node_client.py
"""

import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import grpc
import psutil

SERVE = [str(Path(sys.executable).with_name("perception")), "serve"]
CLIENT = ["node", "examples/node/snapshot.mjs"]
PAGE = b"""<!doctype html><title>Basket</title><h1>Basket</h1>
<button onclick="fetch('/clicked', {method: 'POST'})">Pay now</button>"""
EXPECTED = ('heading "Basket"', 'button "Pay now"', 'the button "Pay now"', "NOT_FOUND, UNKNOWN_REF")
START_S = 60.0
RUN_S = 120.0


@contextlib.contextmanager
def page_on_loopback() -> Iterator[tuple[str, threading.Event]]:
    """The page's URL, and an event that is set once its button was clicked."""
    clicked = threading.Event()

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(PAGE)

        def do_POST(self) -> None:
            clicked.set()
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
def service() -> Iterator[str]:
    """The address of a running service, ended by SIGTERM afterwards; exits when it leaves a process behind."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    process = psutil.Popen([*SERVE, "--address", address, "--allow-host", "127.0.0.1"])
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


def wait_until_ready(process: psutil.Popen, address: str) -> None:
    """Returns once the service takes calls; exits when it ended instead, or is not there in time."""
    deadline = time.monotonic() + START_S
    with grpc.insecure_channel(address) as channel:
        ready = grpc.channel_ready_future(channel)
        while time.monotonic() < deadline:
            with contextlib.suppress(grpc.FutureTimeoutError):
                return ready.result(timeout=0.2)
            if process.poll() is not None:
                sys.exit(f"the service ended with {process.returncode} before it took a call")
    sys.exit(f"the service took no call within {START_S:.0f} s")


def main() -> None:
    with page_on_loopback() as (url, clicked), service() as address:
        client = subprocess.run([*CLIENT, address, url], capture_output=True, text=True, timeout=RUN_S, check=False)
        print(client.stdout, client.stderr, sep="", end="")
        missing = [text for text in EXPECTED if text not in client.stdout]
        if client.returncode or missing:
            sys.exit(f"the Node client exited with {client.returncode}; not in its output: {missing or 'nothing'}")
        if not clicked.wait(START_S):
            sys.exit("the click that the service reported never reached the page")
    print("the page was clicked, the error read, and nothing left behind")


if __name__ == "__main__":
    main()

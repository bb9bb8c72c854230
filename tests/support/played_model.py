"""An OpenAI-compatible endpoint on a local HTTP server: a test sets the answers, and looks at what was asked."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 1200, "completion_tokens": 10, "total_tokens": 1210}


@dataclass(slots=True)
class Reply:
    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False
    trickle: bool = False


def says(content: Any, usage: Any = USAGE) -> Reply:
    return Reply(
        json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}], "usage": usage}).encode()
    )


def fails(status: int, message: str = "no", **headers: str) -> Reply:
    return Reply(json.dumps({"error": {"message": message}}).encode(), status, headers)


class Played:
    """An endpoint that answers what is queued, the last again and again."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.arrived = threading.Event()
        self.released = threading.Event()
        played = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                played.asked.append((self.path, dict(self.headers), body))
                played.arrived.set()
                reply = played.replies.pop(0) if len(played.replies) > 1 else played.replies[0]
                if reply.hang:
                    played.released.wait(10)
                    return
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                while reply.trickle and not played.released.wait(0.02):
                    try:
                        self.wfile.write(b" ")
                    except ConnectionError:
                        return
                self.wfile.write(reply.body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()

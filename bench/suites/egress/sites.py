"""The two servers of an attempt: the allowed one, and the forbidden one, which counts connections."""

from __future__ import annotations

import socket
import socketserver
import threading
from urllib.parse import unquote

from perception.bench.pages.local_site import QuietServer, SiteHandler
from perception.bench.suites.egress.attempts import EgressAttempt


class ForbiddenServer:
    """Listens at one port of several addresses, TCP and UDP, and counts connections and datagrams."""

    def __init__(self, addresses: list[str]) -> None:
        self.hits = 0
        self._servers: list[socketserver.BaseServer] = []
        self.port = 0
        for address in addresses:
            self._listen(address)

    def _listen(self, address: str) -> None:
        forbidden = self

        class Counting(SiteHandler):
            def setup(self) -> None:
                forbidden.hits += 1
                super().setup()

            def do_GET(self) -> None:
                self.respond(b"ok")

            do_POST = do_HEAD = do_OPTIONS = do_GET

        class Datagram(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                forbidden.hits += 1

        family = socket.AF_INET6 if ":" in address else socket.AF_INET

        class Server(QuietServer):
            address_family = family

        class Datagrams(socketserver.UDPServer):
            address_family = family

        tcp = Server((address, self.port), Counting)
        self.port = tcp.server_address[1]
        for server in (tcp, Datagrams((address, self.port), Datagram)):
            self._servers.append(server)
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()


class AllowedSite(QuietServer):
    """Serves an attempt: its page, its files, and redirects at `/to/CODE?URL`."""

    def __init__(self, bad_port: int) -> None:
        super().__init__(("127.0.0.1", 0), _AllowedHandler)
        self.way = EgressAttempt("")
        self.places = {
            "GOODPORT": str(self.server_address[1]),
            "GOOD": f"127.0.0.1:{self.server_address[1]}",
            "BAD": f"127.0.0.1:{bad_port}",
        }

    def fill(self, text: str) -> str:
        for name, value in self.places.items():
            text = text.replace(name, value)
        return text


class _AllowedHandler(SiteHandler):
    server: AllowedSite

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        if path.startswith("/to/"):
            status = int(path.rpartition("/")[2])
            self.respond(b"", status=status, Location=unquote(query), Access_Control_Allow_Origin="*")
            return
        way = self.server.way
        kind, body = next(((kind, text) for name, kind, text in way.files if name == path), ("text/html", way.body))
        headers = {name: self.server.fill(value) for name, value in way.headers}
        self.respond(self.server.fill(body), f"{kind}; charset=utf-8", 200, **headers)

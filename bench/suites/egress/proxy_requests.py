"""Requests that a client may send to a session's proxy port itself, without a browser."""

from __future__ import annotations

import contextlib
import socket
import struct


def proxy_requests(port: int) -> dict[str, tuple[bytes, ...]]:
    """Data sent to the proxy's port: each part is sent after the answer to the previous one."""
    hello, there = b"\x05\x01\x00", struct.pack("!H", port)
    place = f"127.0.0.1:{port}".encode()

    def named(name: bytes) -> bytes:
        return b"\x05\x01\x00\x03" + bytes((len(name),)) + name + there

    return {
        "HTTP CONNECT": (b"CONNECT " + place + b" HTTP/1.1\r\nHost: " + place + b"\r\n\r\n",),
        "HTTP GET": (b"GET http://" + place + b"/ HTTP/1.1\r\nHost: " + place + b"\r\n\r\n",),
        "SOCKS4": (b"\x04\x01" + there + b"\x7f\x00\x00\x01\x00",),
        "SOCKS4a": (b"\x04\x01" + there + b"\x00\x00\x00\x01\x00localhost\x00",),
        "by IPv4": (hello, b"\x05\x01\x00\x01\x7f\x00\x00\x01" + there),
        "by IPv6": (hello, b"\x05\x01\x00\x04" + bytes(15) + b"\x01" + there),
        "by mapped IPv6": (hello, b"\x05\x01\x00\x04" + bytes(10) + b"\xff\xff\x7f\x00\x00\x01" + there),
        "by name": (hello, named(b"localhost")),
        "by name with NUL": (hello, named(b"example.com\x00.localhost")),
        "by name with a line's end": (hello, named(b"127.0.0.1\r\n")),
        "by name with a user": (hello, named(b"example.com@127.0.0.1")),
        "by name with a port": (hello, named(b"127.0.0.1:80")),
        "by a number": (hello, named(b"2130706433")),
        "by a zone": (hello, named(b"::1%lo")),
        "BIND": (hello, b"\x05\x02\x00\x01\x7f\x00\x00\x01" + there),
        "UDP ASSOCIATE": (hello, b"\x05\x03\x00\x01\x7f\x00\x00\x01" + there),
        "all at once": (hello + named(b"127.0.0.1") + b"GET / HTTP/1.1\r\n\r\n",),
        "two requests": (hello, named(b"127.0.0.1") + named(b"127.0.0.1")),
        "no request": (hello, b""),
    }


def send_parts(port: int, said: tuple[bytes, ...]) -> str:
    """The last answer, in hex."""
    answer = b""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as line:
        line.settimeout(1.0)
        for part in said:
            line.sendall(part)
            answer = line.recv(100)
    return answer[:2].hex() or "hung up"

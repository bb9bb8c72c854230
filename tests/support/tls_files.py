"""Certificates and tokens of a service, as files."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import trustme

from perception.server.settings import Settings

TOKEN = secrets.token_urlsafe(32)


class Files:
    """A service's files: certificates of an authority of its own, and a token file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authority = trustme.CA()
        self.ca = folder / "ca.pem"
        self.authority.cert_pem.write_to_path(str(self.ca))
        self.tokens = folder / "tokens"
        self.tokens.touch(0o600)
        self.tokens.write_text(f"me {TOKEN}\n")
        self.cert, self.key = self.issue("localhost", "127.0.0.1")

    def issue(self, *names: str, name: str = "service", **options: Any) -> tuple[Path, Path]:
        issued = self.authority.issue_cert(*names, **options)
        cert, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        cert.write_bytes(b"".join(each.bytes() for each in issued.cert_chain_pems))
        key.touch(0o600)
        key.write_bytes(issued.private_key_pem.bytes())
        return cert, key

    def settings(self, **changes: Any) -> Settings:
        given = {
            "address": "0.0.0.0:0",
            "token_file": self.tokens,
            "tls_cert": self.cert,
            "tls_key": self.key,
            "data_dir": self.folder,
        }
        return Settings(**{name: value for name, value in (given | changes).items() if value is not None})

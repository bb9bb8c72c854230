"""Whether the folder of a cluster is fit for use: for `perception doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature

from perception.errors import BadInputError
from perception.server.auth.edge_callers import EDGE
from perception.server.auth.private_file import read_private, read_regular
from perception.server.fitness import Finding, Level
from perception.server.placement.authority import AUTHORITY, WORKER, session_keys

NAME = "cluster"

SOON_DAYS = 30
"""Certificates are made again by hand, on all machines."""

_AGAIN = "make them again by `perception cluster init FOLDER`, and copy the folder to all edges and workers"


def check_cluster(folder: Path | None) -> list[Finding]:
    """What is wrong with the folder, else that it is well; nothing where there is none."""
    if folder is None:
        return []
    try:
        keys = session_keys(folder)
        wrong = list(_wrong(folder))
    except BadInputError as exc:
        return [Finding(NAME, Level.FAIL, f"{folder}: {exc}", _AGAIN)]
    return wrong or [Finding(NAME, Level.OK, f"{folder}: certificates and {len(keys)} keys")]


def _wrong(folder: Path) -> Iterator[Finding]:
    """Raises BadInputError for a file that is missing or cannot be used."""
    authority = _certificate(folder / f"{AUTHORITY}.pem")
    certificates = {each: _certificate(folder / f"{each}.pem") for each in (EDGE, WORKER)}
    for each in (EDGE, WORKER):
        read_private(folder / f"{each}.key", f"the key of {each}s")
    for name, certificate in {AUTHORITY: authority, **certificates}.items():
        yield from _judge(f"{name}.pem", certificate, authority)
    if (folder / f"{AUTHORITY}.key").exists():
        yield Finding(
            NAME,
            Level.WARN,
            f"{folder} holds {AUTHORITY}.key, by which whoever reads it makes edges and workers of this cluster",
            "move it to a machine that runs no edge and no worker, and keep it: nothing else makes certificates",
        )


def _judge(name: str, certificate: x509.Certificate, authority: x509.Certificate) -> Iterator[Finding]:
    left = certificate.not_valid_after_utc - datetime.now(UTC)
    if left.total_seconds() <= 0:
        yield Finding(NAME, Level.FAIL, f"{name} expired on {certificate.not_valid_after_utc:%Y-%m-%d}", _AGAIN)
    elif left.days < SOON_DAYS:
        yield Finding(NAME, Level.WARN, f"{name} expires in {left.days} days", _AGAIN)
    try:
        certificate.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature):
        yield Finding(NAME, Level.FAIL, f"{name} is not of this cluster's authority: files of two are mixed", _AGAIN)


def _certificate(path: Path) -> x509.Certificate:
    """Raises BadInputError."""
    try:
        return x509.load_pem_x509_certificate(read_regular(path, path.name))
    except ValueError as exc:
        raise BadInputError(f"{path.name} is not a PEM certificate: name one") from exc

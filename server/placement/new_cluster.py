"""The folder of a new cluster, and new keys in it."""

from __future__ import annotations

import base64
import os
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from perception.errors import BadInputError
from perception.paths import make_private
from perception.server.auth.edge_callers import EDGE
from perception.server.auth.private_file import read_private
from perception.server.auth.session_ids import KEY_BYTES, KEYS_NAME, MAX_KEYS, parse_keys
from perception.server.placement.authority import AUTHORITY, HOST, SESSION_KEYS, WORKER

DAYS = 825
"""How long certificates are valid by default."""

EARLY = timedelta(hours=1)
"""Certificates are valid from before they were made, for clocks that are late."""


@dataclass(frozen=True, slots=True)
class _Signer:
    name: x509.Name
    key: ec.EllipticCurvePrivateKey


def make_cluster(folder: Path, days: int = DAYS) -> None:
    """Makes the files of a new cluster.

    Raises:
        BadInputError: the folder holds a cluster, or cannot be written.
    """
    if folder.exists() and any(folder.iterdir()):
        raise BadInputError(f"{folder} is not empty: name a new folder, as replacing keys would lose all sessions")
    try:
        make_private(folder)
        signer = _Signer(_name("perception cluster"), ec.generate_private_key(ec.SECP256R1()))
        _write(folder, AUTHORITY, _certificate(signer, signer.name, signer.key, days, is_authority=True), signer.key)
        for name, usage in ((EDGE, ExtendedKeyUsageOID.CLIENT_AUTH), (WORKER, ExtendedKeyUsageOID.SERVER_AUTH)):
            key = ec.generate_private_key(ec.SECP256R1())
            _write(folder, name, _certificate(signer, _name(name), key, days, usage=usage), key)
        _write_private(folder / SESSION_KEYS, _new_key())
    except OSError as exc:
        raise BadInputError(f"{exc.filename or folder}: {exc.strerror}") from exc


def add_key(folder: Path) -> int:
    """Adds a key that signs from now on; those before it are still accepted. Returns how many there are.

    Raises:
        BadInputError: there is no key file, or it is full.
    """
    path = folder / SESSION_KEYS
    before = read_private(path, KEYS_NAME)
    count = len(parse_keys(before))
    if count >= MAX_KEYS:
        raise BadInputError(
            f"{path} has {count} keys, as many as may be: take out the last lines, which are the oldest"
        )
    _write_private(path, _new_key() + before)
    return count + 1


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _certificate(
    signer: _Signer,
    name: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    days: int,
    *,
    is_authority: bool = False,
    usage: x509.ObjectIdentifier | None = None,
) -> x509.Certificate:
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(signer.name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - EARLY)
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=0 if is_authority else None), critical=True)
    )
    if usage is not None:
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=True)
        host = HOST if usage == ExtendedKeyUsageOID.SERVER_AUTH else EDGE
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    return builder.sign(signer.key, hashes.SHA256())


def _write(folder: Path, name: str, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> None:
    pem = serialization.Encoding.PEM
    (folder / f"{name}.pem").write_bytes(certificate.public_bytes(pem))
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    _write_private(folder / f"{name}.key", private)


def _write_private(path: Path, data: bytes) -> None:
    """Writes a file that is either complete or as before, and that only its user can read."""
    part = path.with_name(f"{path.name}.part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(part, path)


def _new_key() -> bytes:
    return base64.b64encode(secrets.token_bytes(KEY_BYTES)) + b"\n"

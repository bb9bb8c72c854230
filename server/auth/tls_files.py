"""Files of TLS: the certificates and the key that a service shows, checked, and read again when they change."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import grpc
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from perception.errors import BadInputError
from perception.server.auth.private_file import Reread, read_private, read_regular


def server_credentials(cert: Path, key: Path, authority: Path | None) -> grpc.ServerCredentials:
    """TLS credentials, read again for each new connection.

    Args:
        cert: the service's certificates, PEM.
        key: their key, PEM, without a password.
        authority: certificates of the authority that callers' certificates are signed by, PEM; None asks for none.

    Raises:
        BadInputError: a file cannot be read, is not valid now, or the key is another one.
    """
    paths = [path for path in (cert, key, authority) if path is not None]
    shown = Reread(paths, "the certificates", lambda: _read_shown(cert, key, authority))
    given = shown.content

    def fetch() -> grpc.ServerCertificateConfiguration | None:
        """The new configuration; None for no change, as gRPC keeps the last one."""
        nonlocal given
        before, given = given, shown.content
        return None if given is before else given

    return grpc.dynamic_ssl_server_credentials(
        given,
        fetch,  # type: ignore[arg-type]  # the stub does not know of None, which gRPC's documentation asks for
        require_client_authentication=authority is not None,
    )


def _read_shown(cert: Path, key: Path, authority: Path | None) -> grpc.ServerCertificateConfiguration:
    """Raises BadInputError."""
    key_pem, chain_pem = read_private(key, "the key"), _read_certificates(cert, "the certificate")
    try:
        fits = (
            load_pem_private_key(key_pem, None).public_key() == x509.load_pem_x509_certificate(chain_pem).public_key()
        )
    except (ValueError, TypeError, UnsupportedAlgorithm):  # no key, or one with a password
        fits = False
    if not fits:
        raise BadInputError(
            "the certificate and the key do not fit, or the key is encrypted: give a PEM key without a password",
            field="tls_key",
        )
    roots = _read_certificates(authority, "the clients' authority") if authority else None
    return grpc.ssl_server_certificate_configuration([(key_pem, chain_pem)], root_certificates=roots)


def _read_certificates(path: Path, what: str) -> bytes:
    """Checks PEM certificates. Raises BadInputError for other content, or if the first one is not valid now."""
    data = read_regular(path, what)
    try:
        first = x509.load_pem_x509_certificates(data)[0]
    except ValueError as exc:
        raise BadInputError(f"{what} is not a PEM certificate: name one", field="tls") from exc
    now = datetime.now(UTC)
    if now > first.not_valid_after_utc:
        raise BadInputError(f"{what} expired on {first.not_valid_after_utc:%Y-%m-%d}: renew it", field="tls")
    if now < first.not_valid_before_utc:
        raise BadInputError(f"{what} is not valid before {first.not_valid_before_utc:%Y-%m-%d %H:%M} UTC", field="tls")
    return data

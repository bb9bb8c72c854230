"""The host names that a certificate is for."""

from __future__ import annotations

from pathlib import Path

from cryptography import x509

from perception.errors import BadInputError
from perception.named_files import read_limited

MAX_CERTIFICATE_BYTES = 2**20


def certificate_names(path: Path) -> tuple[str, ...]:
    """Names and addresses of a certificate file (PEM), as a URL has them: `view.example.org`, `*.example.org`,
    `10.0.0.5`, `[::1]`.

    Raises:
        BadInputError: it cannot be read, or names no host.
    """
    try:
        first = x509.load_pem_x509_certificates(read_limited(path, MAX_CERTIFICATE_BYTES))[0]
        shown = first.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except OSError as exc:
        raise BadInputError(f"the certificate cannot be read: {exc.strerror}", field="viewer") from exc
    except (ValueError, x509.ExtensionNotFound) as exc:
        raise BadInputError(
            f"{path} is not a certificate with the names of its hosts: people could not reach the viewer by any",
            field="viewer",
        ) from exc
    addresses = [f"[{ip}]" if ip.version == 6 else str(ip) for ip in shown.get_values_for_type(x509.IPAddress)]
    return (*(name.lower() for name in shown.get_values_for_type(x509.DNSName)), *addresses)

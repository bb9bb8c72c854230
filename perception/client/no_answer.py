"""Why no answer came from a service, in a sentence, from what gRPC says of the connection. Pure.

gRPC has no codes for these causes: its text is all there is (read with grpcio 1.7x and 1.8x). A text that is not known
is quoted.
"""

from __future__ import annotations

import re

_CONNECTING = re.compile(r"failed to connect to all addresses|errors resolving|Failed to create channel")

_CUT = (
    "the connection to the service was cut during this call: whether it was carried out is not known. Look before you "
    "repeat it; a request with a request_id can be repeated as it is"
)

_CAUSES = tuple(
    (re.compile(pattern), says)
    for pattern, says in (
        (
            r"WRONG_VERSION_NUMBER|HTTP_REQUEST",
            "{where} does not speak TLS, and this client does: leave out TLS and certificates (tls=False, no "
            "--tls-ca), or give the address of a service with TLS",
        ),
        (r"certificate has expired", "the certificate of {where}, or of its authority, has expired: renew it there"),
        (
            r"certificate is not yet valid",
            "the certificate of {where} is not valid yet: compare the clocks of both machines",
        ),
        (
            r"CERTIFICATE_VERIFY_FAILED",
            "the certificate of {where} is not signed by an authority that this client trusts: give the file of the "
            "authority that signed it (root_certificates, --tls-ca); after a change of authority, the new one",
        ),
        (
            r"Hostname Verification Check failed|is not in peer certificate",
            "the certificate of {where} is for other names: connect by a name that is in it",
        ),
        (
            r"Failed to create security handshaker|empty address list",
            "a certificate or key that was given to this client is not PEM, or they do not fit each other: check the "
            "files (root_certificates, client_certificate, client_key)",
        ),
        (
            r"CERTIFICATE_REQUIRED|ALERT_.*CERTIFICATE|UNKNOWN_CA",
            "{where} does not accept this client's certificate: give one that its authority signed "
            "(client_certificate and client_key, --tls-client-cert and --tls-client-key)",
        ),
        (
            r"http1\.x server|Failed parsing HTTP/2",
            "{where} is not a Perception service, but a web server or another program: check the port",
        ),
        (
            r"lookup|resolv",
            "the host of {where} is not known: check its name, and write HOST:PORT",
        ),
        (
            r"[Pp]ermission denied",
            "the socket of {where} belongs to another user: run as that user, or give the address of a service of your "
            "own",
        ),
    )
)

_NOBODY = re.compile(r"Connection refused|No such file or directory|[Tt]imed? ?out|[Uu]nreachable|No route to host")


def explain_failure(details: str, where: str = "the service", *, tls: bool | None = None) -> str:
    """One sentence that names the cause, and what to do.

    Args:
        details: gRPC's own text.
        where: names the service, such as `the service at localhost:50051`.
        tls: whether the client encrypts; None where that is not known.
    """
    for pattern, says in _CAUSES:
        if pattern.search(details):
            return says.format(where=where)
    if not _CONNECTING.search(details):
        return _CUT
    if _NOBODY.search(details):
        return f"{where} is not reached: it has ended, or was never there; check the address, and start it again"
    if tls is None:
        return (
            f"{where} closed the connection before it answered: check whether it still runs, and whether it speaks TLS"
        )
    if tls:
        return (
            f"{where} closed the connection at once: it wants a certificate of the client (client_certificate and "
            "client_key, --tls-client-cert and --tls-client-key), or is not a Perception service"
        )
    return (
        f"{where} closed the connection at once: it speaks TLS, and this client does not (give its authority: "
        "root_certificates, --tls-ca; or tls=True), or it is not a Perception service"
    )


def is_nobody(details: str) -> bool:
    """Whether gRPC says that nobody listens there."""
    return bool(_CONNECTING.search(details) and _NOBODY.search(details))

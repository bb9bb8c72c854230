"""Upstream proxies, as an operator or a client names them, with credentials of the secrets file.

Rule 1: credentials are read when a connection needs them: a file that changes holds at once, and no option holds them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from perception.browser.network.upstream import DEFAULT_PORTS, UpstreamProxy, check_credentials, parse_upstream
from perception.errors import SecretOriginError
from perception.secrets import NamedSecret
from perception.server.auth.secret_store import SecretStore
from perception.server.environment import how_to_set
from perception.server.settings import Settings


def service_upstream(settings: Settings, secrets: SecretStore) -> tuple[UpstreamProxy, ...]:
    """The proxy of all sessions; none where the operator names none.

    Raises:
        BadInputError: the URL or the credentials are wrong.
        UnknownSecretError: there is no such secret.
    """
    if not settings.upstream_proxy:
        return ()
    proxy = replace(parse_upstream(settings.upstream_proxy, how_to_set("upstream_proxy")), is_trusted=True)
    name = settings.upstream_proxy_secret
    return (_with_credentials(proxy, name, lambda: secrets.own(name)),)


def session_upstream(url: str, secret: str, secrets: SecretStore, principal: str) -> UpstreamProxy:
    """The proxy that a client names for its session.

    Raises:
        BadInputError: the URL or the credentials are wrong.
        UnknownSecretError: the client may use no such secret.
        SecretOriginError: the secret is not for this proxy.
    """
    proxy = parse_upstream(url, "options.upstream_proxy.url")
    return _with_credentials(proxy, secret, lambda: secrets.take(secret, principal))


def _with_credentials(proxy: UpstreamProxy, name: str, find: Callable[[], NamedSecret]) -> UpstreamProxy:
    """The proxy with the credentials of a secret; without, where none is named."""
    if not name:
        return proxy

    def read() -> str:
        secret = find()
        _require_origin(secret, proxy)
        check_credentials(secret.value, name)
        return secret.value

    read()
    return replace(proxy, secret=name, credentials=read)


def _require_origin(secret: NamedSecret, proxy: UpstreamProxy) -> None:
    origin = f"http://{proxy.place}".removesuffix(f":{DEFAULT_PORTS['http']}")
    if secret.origins and origin not in secret.origins:
        raise SecretOriginError(
            f"secret {secret.name} is not for the proxy {proxy.url}: add {origin} to its origins in the secrets file"
        )

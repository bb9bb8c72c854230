"""Who may reach an HTTP server: loopback without more, everybody else with TLS and a token of the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from perception.errors import BadInputError
from perception.mcp.http_options import HttpOptions, check_http, parse_http_address


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "give --tls-cert and --tls-key"),
        ({"certificate": Path("c"), "key": Path("k")}, "give --callers, or --address"),
        ({"certificate": Path("c"), "key": Path("k"), "by_token": True}, "--name HOST"),
        ({"certificate": Path("c")}, "go together"),
    ],
)
def test_an_address_that_others_reach_needs_tls_tokens_and_a_name(options: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInputError, match=told):
        check_http(HttpOptions("0.0.0.0", 8931, **options))
    check_http(HttpOptions("127.0.0.1", 8931))


@pytest.mark.parametrize("address", ["8931", "127.0.0.1", "127.0.0.1:http", "127.0.0.1:70000", ""])
def test_an_address_without_host_or_port_is_refused(address: str) -> None:
    with pytest.raises(BadInputError, match="HOST:PORT"):
        parse_http_address(address)

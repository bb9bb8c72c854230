"""Who is let in, by every rpc of the contract, and whose sessions they see. Nothing here is listed by hand."""

from __future__ import annotations

import secrets

import pytest
from google.protobuf.descriptor_pool import Default

from perception.client import connect
from perception.errors import BadInputError
from perception.server.app import SERVICES
from perception.server.auth.rights import BY_LEASE, RIGHT_OF, Right


def test_every_rpc_has_a_right() -> None:
    pool = Default()
    rpcs = {method.name for service in SERVICES for method in pool.FindServiceByName(service).methods}
    assert not rpcs - RIGHT_OF.keys()
    assert all(RIGHT_OF[rpc] is Right.ALL for rpc in BY_LEASE)
    assert rpcs >= BY_LEASE


@pytest.mark.parametrize("host", ["192.0.2.1:1", "example.org:1", "[2001:db8::1]:1", "127.0.0.1.evil.test:1"])
def test_token_is_never_sent_in_the_clear_to_another_machine(host: str) -> None:
    with pytest.raises(BadInputError, match="in the clear"):
        connect(host, token=secrets.token_urlsafe(32), tls=False)

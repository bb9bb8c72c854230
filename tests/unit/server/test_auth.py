"""Who is let in, by every rpc of the contract, and whose sessions they see. Nothing here is listed by hand."""

from __future__ import annotations

import secrets

import pytest

from perception.client import connect
from perception.errors import BadInputError
from perception.server.auth.rights import Right, right_needed, right_of
from perception.server.contract import methods
from perception.server.rpc_call import RpcCall


def test_an_rpc_of_which_the_contract_says_nothing_needs_all_rights() -> None:
    assert right_needed(RpcCall("/perception.v1.ActionService/Unheard", "id"), None) is Right.ALL


def test_only_what_needs_all_rights_is_done_with_a_lease_instead() -> None:
    by_lease = [each.rules for each in methods().values() if each.rules.right_by_lease]
    assert by_lease
    assert {right_of(each) for each in by_lease} == {Right.ALL}


@pytest.mark.parametrize("host", ["192.0.2.1:1", "example.org:1", "[2001:db8::1]:1", "127.0.0.1.evil.test:1"])
def test_token_is_never_sent_in_the_clear_to_another_machine(host: str) -> None:
    with pytest.raises(BadInputError, match="in the clear"):
        connect(host, token=secrets.token_urlsafe(32), tls=False)

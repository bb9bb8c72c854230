"""Which clusters may be joined. Needs no Ray."""

from __future__ import annotations

import socket
from pathlib import Path

import psutil
import pytest

from perception.ray_cluster.address import Naming, RayUnavailableError
from perception.ray_cluster.head import Cluster, try_cluster
from tests.unit.ray_cluster.conftest import VERSION, StartHead

NAMING = Naming("--on HOST:PORT", "--on auto")


def test_the_token_of_the_environment_opens_a_cluster(start_head: StartHead) -> None:
    address = start_head("secret")
    environment = {"RAY_AUTH_TOKEN": "secret", "RAY_AUTH_TOKEN_PATH": "/nosuch"}
    assert try_cluster(address, NAMING, environment) == Cluster(address, token_auth=True, version=VERSION)


@pytest.mark.parametrize("variable", ["RAY_AUTH_TOKEN_PATH", "HOME"])
def test_the_token_of_a_file_opens_a_cluster(
    variable: str, start_head: StartHead, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".ray").mkdir()
    file = tmp_path / ".ray/auth_token"
    file.write_text("secret\n")
    monkeypatch.setenv("HOME", str(tmp_path if variable == "HOME" else tmp_path / "nosuch"))
    environment = {} if variable == "HOME" else {variable: str(file)}
    assert try_cluster(start_head("secret"), NAMING, environment).token_auth


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        pytest.param({"RAY_AUTH_TOKEN": "other"}, "refuses the token of this process: use that of the", id="wrong"),
        pytest.param(
            {"RAY_AUTH_TOKEN_PATH": "/nosuch"},
            r"asks for a token, and here is none: copy ~/\.ray/auth_token of its head, or set RAY_AUTH_TOKEN_PATH",
            id="none",
        ),
    ],
)
def test_a_cluster_with_another_token_is_refused(environment: dict[str, str], said: str, start_head: StartHead) -> None:
    with pytest.raises(RayUnavailableError, match=said) as caught:
        try_cluster(start_head("secret"), NAMING, environment)
    assert "other" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_cluster_without_tokens_is_joined_on_loopback_only(start_head: StartHead) -> None:
    address = start_head()
    found = try_cluster(address, NAMING, {"RAY_AUTH_TOKEN": "secret"})
    assert found == Cluster(address, token_auth=False, version=VERSION)
    outside = [
        each.address
        for addresses in psutil.net_if_addrs().values()
        for each in addresses
        if each.family == socket.AF_INET and not each.address.startswith("127.")
    ]
    if not outside:
        pytest.skip("this machine has no address but loopback")
    with pytest.raises(RayUnavailableError, match="has no token authentication: whoever reaches its ports runs progr"):
        try_cluster(start_head(host=outside[0]), NAMING, {})


def test_nothing_there_is_said_within_the_time_limit() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(
            RayUnavailableError, match=rf"no Ray cluster answers at {address} \(UNAVAILABLE\)"
        ) as caught:
            try_cluster(address, NAMING, {})
    assert str(caught.value).endswith(
        "start its head there (`ray start --head`), or name another one by --on HOST:PORT"
    )


def test_another_service_is_no_head(start_head: StartHead) -> None:
    address = start_head(call="/other.Service/Call")
    with pytest.raises(RayUnavailableError, match=f"at {address} is another service, no head of a Ray cluster: name"):
        try_cluster(address, NAMING, {})


@pytest.mark.parametrize("answer", [b"\x0a\x00", b"\xff\xff", b"\x10\x05", b"\x12\x01\xff"])
def test_an_answer_without_a_version_is_one(answer: bytes, start_head: StartHead) -> None:
    assert try_cluster(start_head(answer=answer), NAMING, {}).version == ""

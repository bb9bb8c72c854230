"""Where the head of a cluster is. Needs no Ray."""

from __future__ import annotations

from pathlib import Path

import pytest

from perception.errors import BadInputError
from perception.loopback import is_loopback
from perception.ray_cluster.address import Naming, RayUnavailableError, find_address

NAMING = Naming("--on HOST:PORT", "--on auto", "on")


@pytest.mark.parametrize(
    ("named", "environment", "found"),
    [
        pytest.param("10.0.0.1:6379", {"RAY_ADDRESS": "10.0.0.2:1"}, "10.0.0.1:6379", id="a head"),
        pytest.param("auto", {"RAY_ADDRESS": " [::1]:2 "}, "[::1]:2", id="auto"),
    ],
)
def test_the_address_is_what_was_named_first(named: str, environment: dict[str, str], found: str) -> None:
    assert find_address(named, NAMING, environment) == found


@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({"RAY_TMPDIR": "here", "TMPDIR": "nosuch"}, id="RAY_TMPDIR"),
        pytest.param({"TMPDIR": "here", "RAY_ADDRESS": ""}, id="TMPDIR"),
        pytest.param({"TMPDIR": "here", "RAY_ADDRESS": "auto"}, id="RAY_ADDRESS is auto, too"),
    ],
)
def test_auto_is_what_ray_start_left_behind(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "here/ray").mkdir(parents=True)
    environment = {
        name: str(tmp_path / value) if name.endswith("TMPDIR") else value for name, value in environment.items()
    }
    (tmp_path / "here/ray/ray_current_cluster").write_text("10.0.0.5:6379\n")
    assert find_address("auto", NAMING, environment) == "10.0.0.5:6379"


@pytest.mark.parametrize("left", [None, b"", b"\xff", b"nonsense"])
def test_a_machine_of_no_cluster_is_told_how_to_be_of_one(left: bytes | None, tmp_path: Path) -> None:
    (tmp_path / "ray").mkdir()
    if left is not None:
        (tmp_path / "ray/ray_current_cluster").write_bytes(left)
    with pytest.raises(RayUnavailableError, match="is a node of no Ray cluster: make it one by `ray start") as caught:
        find_address("auto", NAMING, {"RAY_TMPDIR": str(tmp_path)})
    assert str(caught.value).endswith("If it is one, name it by --on HOST:PORT")


BAD = ["", "ray", "10.0.0.5", "ray://h:1", "h:", "h:0", "h:65536", "h:port", ":1", "h:" + "1" * 5000]


@pytest.mark.parametrize("address", BAD, ids=lambda each: each[:10])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(BadInputError, match="names no Ray cluster: write --on auto for the one") as caught:
        find_address(address, NAMING, {})
    assert caught.value.field == "on"
    assert "or --on HOST:PORT with the address of its head" in str(caught.value)
    assert len(str(caught.value)) < 300


def test_an_address_of_rays_own_client_is_said_to_be_in_its_variable() -> None:
    with pytest.raises(BadInputError, match="RAY_ADDRESS is 'ray://h:1', which is not an address") as caught:
        find_address("auto", NAMING, {"RAY_ADDRESS": "ray://h:1"})
    assert str(caught.value).endswith("make it HOST:PORT, or write --on HOST:PORT")


@pytest.mark.parametrize(
    ("address", "loopback"),
    [("127.0.0.2:1", True), ("[::1]:1", True), ("localhost:1", True), ("10.0.0.5:1", False), ("host:1", False)],
)
def test_which_addresses_only_this_machine_reaches(address: str, loopback: bool) -> None:
    assert is_loopback(address.rpartition(":")[0]) == loopback

"""Joining a cluster, with a head and a `ray` of our own. Needs no Ray."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from perception.ray_cluster import joining
from perception.ray_cluster.address import Naming, RayUnavailableError
from perception.ray_cluster.joining import JoinLateError, join
from tests.unit.ray_cluster.conftest import VERSION, StartHead

NAMING = Naming("--on HOST:PORT", "--on auto")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAY_AUTH_MODE", "RAY_USAGE_STATS_ENABLED"):
        monkeypatch.setenv(name, "set by nobody")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "secret")


@pytest.fixture
def use_ray(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts a module of that version, and that way to join, in Ray's place."""

    def use(version: str = VERSION, init: Callable[..., None] = lambda **_: None) -> None:
        monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(__version__=version, init=init))  # type: ignore[arg-type]

    return use


@pytest.mark.parametrize(("token", "mode"), [("secret", "token"), ("", "disabled")])
def test_ray_is_loaded_with_the_clusters_way_to_authenticate(
    token: str, mode: str, start_head: StartHead, use_ray: Callable[..., None]
) -> None:
    seen: dict[str, Any] = {}
    use_ray(init=lambda **options: seen.update(options, mode=os.environ["RAY_AUTH_MODE"]))
    address = start_head(token)
    joined = join(address, NAMING)
    assert (joined.address, joined.ray) == (address, sys.modules["ray"])
    assert (seen["address"], seen["namespace"], seen["mode"]) == (address, "perception", mode)
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"


def test_another_version_is_said_before_it_is_tried(start_head: StartHead, use_ray: Callable[..., None]) -> None:
    def init(**_: Any) -> None:
        raise AssertionError

    use_ray("2.52.1", init)
    with pytest.raises(
        RayUnavailableError, match=r"is of version 2\.60\.0, and here is 2\.52\.1: install the same one"
    ):
        join(start_head("secret"), NAMING)


def test_without_ray_its_extra_is_named(start_head: StartHead, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # type: ignore[arg-type]
    with pytest.raises(
        RayUnavailableError, match=r"Ray is not installed here: pip install 'perception-service\[ray\]'"
    ):
        join(start_head(), NAMING)


def test_why_ray_does_not_join_is_said_in_one_line(start_head: StartHead, use_ray: Callable[..., None]) -> None:
    def init(**_: Any) -> None:
        raise RuntimeError("Version mismatch:\n    Python: 3.11\n" + "x" * 1000)

    use_ray(init=init)
    with pytest.raises(RayUnavailableError, match=r"could not be joined: Version mismatch: Python: 3\.11 x") as caught:
        join(start_head(), NAMING)
    assert len(str(caught.value)) < 600
    assert not isinstance(caught.value, JoinLateError)


@pytest.fixture
def hangs() -> Iterator[Callable[..., None]]:
    """Returns when the test is over."""
    over = threading.Event()
    yield lambda **_: over.wait() and None
    over.set()


def test_a_join_that_hangs_is_given_up(
    start_head: StartHead, use_ray: Callable[..., None], hangs: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "JOIN_SECONDS", 0.05)
    use_ray(init=hangs)
    with pytest.raises(JoinLateError, match="could not be joined in 0 s: this machine has to be a node of it"):
        join(start_head(), NAMING)

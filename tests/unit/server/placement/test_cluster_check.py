"""A cluster's folder is judged as the service would find it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from perception.server.fitness import Level
from perception.server.placement.cluster_check import check_cluster
from perception.server.placement.new_cluster import make_cluster


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """As edges and workers have it."""
    make_cluster(tmp_path / "cluster")
    (tmp_path / "cluster/authority.key").unlink()
    return tmp_path / "cluster"


def test_a_whole_folder_is_well(folder: Path) -> None:
    assert check_cluster(None) == []
    (finding,) = check_cluster(folder)
    assert (finding.level, "certificates and 1 keys" in finding.detail) == (Level.OK, True)


def _open_keys(folder: Path) -> None:
    (folder / "session.keys").chmod(0o644)


def _mix(folder: Path) -> None:
    make_cluster(folder.parent / "other")
    shutil.copy(folder.parent / "other/worker.pem", folder / "worker.pem")


def _break(folder: Path) -> None:
    (folder / "edge.pem").write_text("none")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_open_keys, "read by other users"),
        (_mix, "worker.pem is not of this cluster's authority"),
        (_break, "edge.pem is not a PEM certificate"),
        (lambda folder: (folder / "worker.key").unlink(), "No such file"),
        (lambda folder: (folder / "session.keys").write_text("short\n"), ""),
        (shutil.rmtree, "No such file"),
    ],
    ids=["open keys", "mixed", "broken", "no key", "short key", "gone"],
)
def test_what_keeps_it_from_working_is_found(folder: Path, spoil: Callable[[Path], object], told: str) -> None:
    spoil(folder)
    (finding,) = check_cluster(folder)
    assert finding.level is Level.FAIL
    assert told in finding.detail
    assert "perception cluster init" in finding.fix


def test_certificates_that_end_soon_and_the_authoritys_key_are_warnings(tmp_path: Path) -> None:
    make_cluster(tmp_path / "cluster", days=5)
    found = check_cluster(tmp_path / "cluster")
    assert {each.level for each in found} == {Level.WARN}
    assert "authority.key" in found[-1].detail
    assert "rm " not in found[-1].fix
    assert "keep it" in found[-1].fix
    assert sum("expires in" in each.detail for each in found) >= 2

"""What goes along to the machine that runs a worker."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from perception.errors import BadInputError
from perception.server.placement.new_cluster import make_cluster
from perception.server.placement.ray.order import order_of
from perception.server.settings import Settings
from tests.support.scripted_workers import write_keys


def test_options_and_environment_go_along_as_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_cluster(tmp_path / "cluster")
    for name in [name for name in os.environ if name.startswith("PERCEPTION_")]:  # of who runs the tests
        monkeypatch.delenv(name)
    monkeypatch.setenv("PERCEPTION_OCR_THREADS", "3")
    monkeypatch.setenv("PERCEPTION_TOKEN", "secret")
    monkeypatch.setenv("PERCEPTION_SESSION_IDLE_S", "60")
    settings = Settings(
        worker=True, cluster=tmp_path / "cluster", max_sessions=4, allow_hosts=("a", "b"), data_dir=Path("data")
    )
    order = order_of(settings, 2.0)
    ours = {name: value for name, value in order.environment.items() if not name.startswith("OTEL_")}
    assert ours == {
        "PERCEPTION_ALLOW_HOSTS": "a,b",
        "PERCEPTION_DATA_DIR": str(Path("data").absolute()),
        "PERCEPTION_MAX_SESSIONS": "4",
        "PERCEPTION_OCR_THREADS": "3",
        "PERCEPTION_SESSION_IDLE_S": "60.0",
    }
    assert order.has_certificates
    assert "authority.key" not in order.files
    assert (order.files["session.keys"], order.cpus) == ((tmp_path / "cluster/session.keys").read_bytes(), 2.0)


def test_keys_alone_go_along_where_there_are_no_certificates(tmp_path: Path) -> None:
    order = order_of(Settings(worker=True, session_keys=write_keys(tmp_path / "keys", b"k" * 32)), 1.0)
    assert (list(order.files), order.has_certificates) == (["session.keys"], False)


def test_files_that_are_missing_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="workers share keys with their edges"):
        order_of(Settings(worker=True), 1.0)
    make_cluster(tmp_path / "cluster")
    (tmp_path / "cluster/worker.pem").unlink()
    with pytest.raises(BadInputError, match=r"worker\.pem cannot be read: No such file"):
        order_of(Settings(worker=True, cluster=tmp_path / "cluster"), 1.0)

"""Settings that can only fail are refused as the service starts, by the option's name."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from perception.errors import BadInputError
from perception.server.settings import Settings
from perception.server.start_check import check_settings

KEY = base64.b64encode(bytes(32))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of each kind."""
    (tmp_path / "text").write_text("no program")
    (tmp_path / "program").write_text("#!/bin/sh")
    (tmp_path / "program").chmod(0o755)
    for name, content in (("short", KEY[:20]), ("key", KEY)):
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o600)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "value", "option", "why"),
    [
        pytest.param("browser_path", "FOLDER/none", "--browser", "does not exist", id="no-browser"),
        pytest.param("browser_path", "FOLDER/text", "--browser", "not a program", id="browser-not-executable"),
        pytest.param("browser_path", "FOLDER", "--browser", "not a program", id="browser-is-a-folder"),
        pytest.param("profile_key", "FOLDER/none", "--profile-key", "No such file", id="no-key"),
        pytest.param("profile_key", "FOLDER", "--profile-key", "cannot be read", id="key-is-a-folder"),
        pytest.param("profile_key", "FOLDER/short", "--profile-key", "32 bytes", id="short-key"),
        pytest.param("cdp_endpoint", "browser", "--cdp-endpoint", "ws://", id="endpoint-without-scheme"),
        pytest.param("cdp_endpoint", "127.0.0.1:9222", "--cdp-endpoint", "ws://", id="endpoint-is-host-and-port"),
        pytest.param("cdp_endpoint", "ftp://127.0.0.1:9222", "--cdp-endpoint", "ws://", id="endpoint-of-ftp"),
        pytest.param("cdp_endpoint", "http://127.0.0.1:70000", "--cdp-endpoint", "ws://", id="endpoint-port"),
        pytest.param("cdp_endpoint", "http://", "--cdp-endpoint", "ws://", id="endpoint-without-host"),
        pytest.param("download_dir", "FOLDER/text", "--download-dir", "Not a directory", id="downloads-into-a-file"),
        pytest.param(
            "download_dir", "FOLDER/text/in", "--download-dir", "Not a directory", id="downloads-below-a-file"
        ),
        pytest.param("address", "127.0.0.1:65536", "PERCEPTION_ADDRESS", "65535", id="port"),
        pytest.param("viewer", "127.0.0.1:70000", "--viewer", "65535", id="port-of-the-viewer"),
        pytest.param("metrics_address", "127.0.0.1:70000", "--metrics-address", "65535", id="port-of-metrics"),
        pytest.param("health_address", "0.0.0.0:99999", "--health-address", "65535", id="port-of-health"),
    ],
)
def test_what_can_only_fail_is_refused(folder: Path, name: str, value: str, option: str, why: str) -> None:
    settings: dict[str, Any] = {name: value.replace("FOLDER", str(folder))}
    with pytest.raises(BadInputError) as caught:
        check_settings(Settings(**settings))
    assert option in str(caught.value)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({}, id="defaults"),
        pytest.param({"browser_path": "FOLDER/program", "address": "127.0.0.1:0"}, id="browser"),
        pytest.param({"profile_key": "FOLDER/key"}, id="key"),
        pytest.param({"profile_key": "keyring"}, id="keyring"),
        pytest.param({"cdp_endpoint": "http://127.0.0.1:9222"}, id="http"),
        pytest.param({"cdp_endpoint": "wss://[::1]/devtools/browser/1"}, id="wss"),
        pytest.param({"cdp_endpoint": "http://a", "browser_path": "FOLDER/none"}, id="browser-that-is-not-used"),
        pytest.param({"download_dir": "FOLDER/new", "address": "unix:/tmp/a:70000"}, id="new-folder"),
        pytest.param({"placement": "static=127.0.0.1:7000", "browser_path": "FOLDER/none"}, id="edge"),
    ],
)
def test_what_may_work_is_taken_and_nothing_is_made(folder: Path, settings: dict[str, str]) -> None:
    before = sorted(folder.iterdir())
    check_settings(Settings(**{name: each.replace("FOLDER", str(folder)) for name, each in settings.items()}))  # type: ignore[arg-type]
    assert sorted(folder.iterdir()) == before


def test_too_few_open_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perception.host_os.open_file_limit", lambda: 100)
    with pytest.raises(BadInputError, match=r"only 100 files may be open here, and 256 are needed: run ulimit -n"):
        check_settings(Settings())

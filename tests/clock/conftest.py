"""Tests whose claim is a time. They run last, on a quieter machine."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.import_plugin("tests.support.live")

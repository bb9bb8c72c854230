"""Tests that need Ray: `.ci/ray` runs them in an environment that has it."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.import_plugin("tests.support.live")

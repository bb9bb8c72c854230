"""Tests of benchmarks, data sets, training, docs and examples, and of the repository's own tools."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.import_plugin("tests.support.live")

"""What all lanes share: options, generated examples, how files are handed out. It imports no service and no browser."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis.database import DirectoryBasedExampleDatabase

from tests.paths import GOLDENS, ROOT
from tests.seconds import over_budget, read_seconds, write_seconds

pytest.register_assert_rewrite("tests.support")

# Speed is measured in bench/, never asserted.
settings.register_profile("fixed", deadline=None, derandomize=True, max_examples=40, database=None)
settings.register_profile(
    "random",
    deadline=None,
    max_examples=200,
    database=DirectoryBasedExampleDatabase(ROOT / ".hypothesis" / "examples"),
    print_blob=True,
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--refresh-goldens", action="store_true", help="write tests/golden again, to be reviewed as a diff"
    )
    parser.addoption("--changes", type=int, default=60, help="random changes in each test that makes some")
    parser.addoption("--cuts", type=int, help="steps at which each rpc is cancelled; 0 for all")
    parser.addoption("--file-order-seed", default="", help="runs the files in the random order of this seed; needs -n")
    parser.addoption("--write-seconds", action="store_true", help="writes what each file took into tests/seconds.toml")
    parser.addoption(
        "--random-examples",
        action="store_true",
        help="Hypothesis draws other examples than the last time; the header says how to repeat them",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if config.option.random_examples and config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(random.SystemRandom().randrange(2**32))  # workers get the same one
    # pytest-asyncio asks for the loop before its own, and Python 3.11 would make one.
    asyncio.set_event_loop(None)
    config.addinivalue_line("markers", "quarantine(reason): fails now and then, and is being mended")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(FileSeconds())
        config.pluginmanager.register(FailuresAtOnce(config))
    settings.load_profile("random" if config.option.random_examples else "fixed")


def pytest_report_header(config: pytest.Config) -> str | None:
    if not config.option.random_examples:
        return None
    return f"random examples: repeat them by --random-examples --hypothesis-seed={config.option.hypothesis_seed}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    from tests.scheduling import make_scheduler

    return make_scheduler(config, log) if config.getoption("dist") == "load" else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, as tests of pages wait a good part of their time; each takes about 1.5 GB."""
    return min(os.cpu_count() or 1, 4) + 1


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if (mark := item.get_closest_marker("quarantine")) is not None:
            item.add_marker(pytest.mark.xfail(reason=f"in quarantine: {mark.args[0]}", strict=False))
    if hasattr(config, "workerinput"):  # a worker of pytest-xdist
        from tests.scheduling import order_files

        order_files(items, config.option.file_order_seed)


class FileSeconds:
    """Adds up what each test file takes."""

    def __init__(self) -> None:
        self.took: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = report.nodeid.split("::", 1)[0]
        self.took[file] = self.took.get(file, 0.0) + report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        if config.option.write_seconds:
            write_seconds(self.took)
        for file, seconds, allowed in over_budget(self.took, read_seconds()):
            terminalreporter.write_line(f"slow: {file} took {seconds:.1f} s, and was to take {allowed:.1f} s")


class FailuresAtOnce:
    """Writes why a test failed at once, as a paragraph: a run that breaks off has no summary."""

    LAST_LINES = 30

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.failed:
            return
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        terminal.ensure_newline()
        terminal.write_line(f"{'FAILED' if report.when == 'call' else 'ERROR'} {report.nodeid}")
        lines = [line for line in report.longreprtext.splitlines() if line.strip()]
        for line in lines[-self.LAST_LINES :]:
            terminal.write_line(f"    {line}")
        terminal.write_line("")


@pytest.fixture
def check_golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Holds a text to the file of that name in tests/golden, or writes it with --refresh-goldens."""

    def check(name: str, text: str) -> None:
        path = GOLDENS / name
        if request.config.getoption("--refresh-goldens"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        assert text == path.read_text("utf-8")

    return check

"""Detectors tell nobody of what they do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

LOOK = """
import numpy
from perception.deadline import Deadline
from perception.detectors.ppocr import PLUGIN
PLUGIN.make().detect(numpy.full((64, 64, 3), 255, numpy.uint8), Deadline.of(60))
"""


def test_the_model_runtime_keeps_no_records_to_send(tmp_path: Path) -> None:
    """With its telemetry on it keeps a queue of events below the home, and a session's name in the temporary folder."""
    own = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    subprocess.run([sys.executable, "-c", LOOK], env={**environment, **own}, check=True, timeout=120)
    kept = {path.name for path in tmp_path.rglob("*")}
    assert not {".ses", "Microsoft"} & kept

"""The garbage collector waits while modules load, and works afterwards."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import gc
from contextlib import suppress
from perception.loading import loading

with suppress(ZeroDivisionError), loading():
    before = gc.isenabled()
    1 / 0
print(before, gc.isenabled(), gc.get_freeze_count() > 1000)
"""


def test_the_collector_waits_while_modules_load_and_leaves_them_alone_afterwards() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "True"]

"""Environment variables of the project: how errors name a setting, and which names mean nothing to anyone."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from perception.server.serve_option import Commands
from perception.server.serve_options import OPTIONS
from perception.server.settings import Settings

PREFIX = "PERCEPTION_"

FLAGS = {each.setting: each.flag for each in OPTIONS if each.of is not Commands.NEITHER}
"""Settings that `perception serve` or `perception worker` has an option for, by the name of the setting."""

OTHERS = frozenset(
    """PERCEPTION_AGENT_BROWSER PERCEPTION_FASTERPADDLE_MODEL PERCEPTION_FASTERPADDLE_THREADS PERCEPTION_HOME
    PERCEPTION_OCR_THREADS PERCEPTION_ONNX_DETECTOR PERCEPTION_ONNX_SCORE PERCEPTION_ONNX_SIZE PERCEPTION_PADDLE_DET
    PERCEPTION_PADDLE_REC PERCEPTION_PADDLE_THREADS PERCEPTION_RAY_ADDRESS PERCEPTION_SESSION
    PERCEPTION_TESSERACT_LANGUAGES PERCEPTION_TLS_CA PERCEPTION_TLS_CLIENT_CERT PERCEPTION_TLS_CLIENT_KEY
    PERCEPTION_TOKEN""".split()
)
"""Variables that are not settings of the service: of the client, the detectors, the data folders, the bench."""


def variable_of(setting: str) -> str:
    """The environment variable of a setting: `PERCEPTION_MAX_SESSIONS`."""
    return f"{PREFIX}{setting.upper()}"


def how_to_set(setting: str) -> str:
    """How an operator sets it: `--max-sessions or PERCEPTION_MAX_SESSIONS`."""
    variable = variable_of(setting)
    return f"{FLAGS[setting]} or {variable}" if setting in FLAGS else variable


def unknown_variables(names: Iterable[str]) -> list[str]:
    """A warning for each name of an environment variable that begins like ours and does not exist."""
    known = OTHERS | {variable_of(each) for each in Settings.model_fields}
    warnings = []
    for name in sorted({each.upper() for each in names}):  # settings are read in any case
        if name.startswith(PREFIX) and name not in known:
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
            warnings.append(f"the environment variable {name} means nothing here: did you mean {close[0]}?")
    return warnings

"""Which session a command means that names none: that of its terminal, or without a terminal that of its folder."""

from __future__ import annotations

import os

from perception.errors import BadInputError

MAX_NAME = 200


def session_name(given: str | None) -> str:
    """The name of the session.

    Args:
        given: `--session` or `PERCEPTION_SESSION`; None for the default.

    Raises:
        BadInputError: it is not a name.
    """
    if given is None:
        return f"terminal {os.getsid(0)}" if _has_terminal() else f"folder {os.getcwd()}"
    if not given.strip() or len(given) > MAX_NAME or not given.isprintable():
        raise BadInputError(f"--session takes a name of up to {MAX_NAME} printable characters, not {given[:60]!r}")
    return given.strip()


def _has_terminal() -> bool:
    """Whether a terminal controls this process: its shell leads the processes of `os.getsid`."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True

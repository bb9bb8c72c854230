"""Clients' scripts and their results."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from perception.browser.page.dialogs import Dialog
from perception.browser.page.target_types import TargetNode


class EvaluateEngine(Enum):
    """What runs a script. AUTO is CDP, and Playwright for scripts that CDP does not accept."""

    AUTO = "auto"
    CDP = "cdp"
    PLAYWRIGHT = "playwright"


@dataclass(frozen=True, slots=True)
class Script:
    """What to run.

    Attributes:
        source: an expression or a function; with a `node`, a function of its element.
        timeout_s: the script's own limit, in seconds; infinite for none but the call's.
        node: the element that the function takes; None for none.
        await_promise: waits until a promise that it returns is settled.
        engine: what runs it.
        world: name of an isolated world of the top document to run it in, by CDP only; empty for the page's own.
    """

    source: str
    timeout_s: float = math.inf
    node: TargetNode | None = None
    await_promise: bool = False
    engine: EvaluateEngine = EvaluateEngine.AUTO
    world: str = ""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The result of a script.

    Attributes:
        value: as JSON has it; None for undefined.
        exception: what the script threw; empty where it returned.
        stack: the exception's stack.
        engine: what ran it.
        fallback: why CDP did not run it, as a label; empty where it did.
        dialogs: those that it opened, which were dismissed.
    """

    value: Any = None
    exception: str = ""
    stack: str = ""
    engine: EvaluateEngine = EvaluateEngine.CDP
    fallback: str = ""
    dialogs: list[Dialog] = field(default_factory=list)

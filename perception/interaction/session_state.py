"""What later steps in a session refer to: its last snapshot, its last screenshot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from perception.client import AsyncPage
from perception.interaction.image import ImageFrame
from perception.render.untrusted import Fence


@dataclass(slots=True)
class SessionState:
    """A session, and what later calls refer to.

    Attributes:
        page: the client's page.
        fence: the marks around its words in sentences of the tools.
        snapshot_id: the last snapshot that was shown; empty before the first one.
        look: the options of that snapshot.
        whole_look: those of the last look at the whole tab, which diffs of actions have too.
        image: how the pixels of the last screenshot lie in the viewport; None before the first one.
        console: errors that pages logged during actions, oldest first.
    """

    page: AsyncPage
    fence: Fence = field(default_factory=Fence)
    snapshot_id: str = ""
    look: Mapping[str, Any] = field(default_factory=dict)
    whole_look: Mapping[str, Any] = field(default_factory=dict)
    image: ImageFrame | None = None
    console: list[str] = field(default_factory=list)

"""The interface of placements: where a new session opens, and where an open one is.

`local` is this process. An edge has placements whose places are workers.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

Place = TypeVar("Place")
"""Where a session is: a slot of this process, or a worker."""


class Placement(Protocol[Place]):
    """Where sessions are.

    Rule 1: a session stays where it was opened: nothing moves it, and its id never leads to another owner.
    Rule 2: a claim is released once, whatever became of it.
    """

    def claim(self) -> Place:
        """A place for a new session.

        Raises:
            SessionLimitError: all slots are taken.
            ShuttingDownError: no sessions are taken any more.
        """

    def locate(self, session_id: str) -> Place:
        """Where a session is.

        Raises:
            SessionIdForgedError: the id is not of this service's making.
            SessionLostError: the process that had the session is gone, or was restarted.
            UnknownSessionError: there is no such session.
        """

    def release(self, place: Place) -> None:
        """Gives a claim back: the session has ended, or did not open."""

    def drain(self) -> None:
        """Refuses claims from now on. Open sessions stay."""

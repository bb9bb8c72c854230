"""What a command works with: its values, its deadline, the session and the client of the session's service."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perception.cli.shell import store
from perception.cli.shell.naming import session_name
from perception.cli.shell.parsing import Values
from perception.client._async.calls import AsyncCalls
from perception.client._async.page import AsyncPage
from perception.client.access import Access, open_async_channel, prepare_access
from perception.client.errors import RemoteError
from perception.client.user_folder import shell_folder
from perception.errors import (
    BadInputError,
    DeadlineError,
    EvaluateDisabledError,
    NetworkNotRecordedError,
    PerceptionError,
)
from perception.interaction.answers import ENDED, ToolNames
from perception.interaction.session_state import SessionState

if TYPE_CHECKING:
    from perception.client.shared_service import SharedService

IDLE_SECONDS = 1800.0
"""The shell's service ends when nobody has called it for so long."""

NAMES = ToolNames(
    open="`perception open URL`",
    dialog="`perception dialog accept` or `dismiss`",
    tabs="`perception tabs`",
    look="`perception look`",
)
LEAST_S = 0.001


@dataclass
class Context:
    """One command that runs.

    Attributes:
        command: its name.
        values: its arguments.
        end_s: on `time.monotonic`, when to give up.
    """

    command: str
    values: Values
    end_s: float
    _calls: dict[str, AsyncCalls] = field(default_factory=dict)

    @cached_property
    def name(self) -> str:
        """The name of the session."""
        return session_name(self.values["session"])

    @cached_property
    def folder(self) -> Path:
        """The folder of the shell, which is there."""
        return shell_folder()

    def own_service(self) -> SharedService:
        """The service of this user's shells."""
        from perception.client.shared_service import SharedService

        minutes = self.values.get("idle_minutes")
        idle_s = minutes * 60 if minutes else IDLE_SECONDS
        # A session lives as long as the service that has nothing else to do, unless the user's settings say how long.
        lives = {"PERCEPTION_SESSION_IDLE_S": f"{idle_s:g}"}
        return SharedService(self.folder, idle_s, ("--trust-named-hosts",), lives)

    @property
    def left_s(self) -> float:
        """What is left of the deadline."""
        return max(self.end_s - time.monotonic(), LEAST_S)

    def known(self) -> store.Known | None:
        """What is kept of the session; None where there is none. Raises BadInputError for a damaged file."""
        return store.read(store.file_of(self.folder, self.name))

    def session(self) -> Session:
        """The session.

        Raises:
            BadInputError: no session has this name.
        """
        known = self.known()
        if known is None:
            others = [each.name for each in store.all_known(self.folder)]
            named = f" (there is --session {', '.join(map(repr, others[:5]))})" if others else ""
            raise BadInputError(f"there is no session {self.name!r}{named}: open one with {NAMES.open}")
        return self.session_of(known)

    def session_of(self, known: store.Known) -> Session:
        """A session by what is kept of it."""
        page = AsyncPage(self.calls(known.address, known.access), known.session_id)
        state = SessionState(
            page, snapshot_id=known.snapshot_id, look=dict(known.look), whole_look=dict(known.whole_look)
        )
        return Session(known, state)

    def calls(self, address: str, access: Any) -> AsyncCalls:
        """A client of the service at an address, which is not called yet."""
        if address not in self._calls:
            shown = prepare_access(address, **access) if access else Access()
            self._calls[address] = AsyncCalls(open_async_channel(address, shown), 60.0)
        return self._calls[address]

    def keep(self, session: Session) -> None:
        """Keeps what later commands refer to."""
        state, known = session.state, session.known
        now = {"snapshot_id": state.snapshot_id, "look": dict(state.look), "whole_look": dict(state.whole_look)}
        if now != {name: getattr(known, name) for name in now}:
            store.update(self.folder, self.name, known.session_id, **now)


@dataclass(frozen=True, slots=True)
class Session:
    """The session of a command: what was kept of it, and what it has come to."""

    known: store.Known
    state: SessionState

    @property
    def page(self) -> AsyncPage:
        return self.state.page


def is_lost(error: PerceptionError) -> bool:
    """Whether a session, or the service that had it, is not there any more."""
    return isinstance(error, RemoteError) and (error.reason in ENDED or _has_no_answer(error))


def _has_no_answer(error: RemoteError) -> bool:
    return error.code.name == "UNAVAILABLE" and not error.reason


def explained(error: PerceptionError, name: str) -> PerceptionError:
    """The error in the words of the shell, where the client's say nothing of sessions by name.

    Args:
        error: of a call in a session.
        name: of the session.
    """
    if error.reason == EvaluateDisabledError.reason:
        return EvaluateDisabledError(
            f"session {name!r} was opened with --no-evaluate: `perception open URL --new` opens one that runs scripts"
        )
    if error.reason == NetworkNotRecordedError.reason:
        return NetworkNotRecordedError(
            f"session {name!r} was opened without --record: `perception open URL --new --record` opens one that keeps "
            "its requests"
        )
    if not isinstance(error, RemoteError):
        return error
    if _has_no_answer(error):
        message = f"the service of session {name!r} is gone, and its pages with it: open a new one with {NAMES.open}"
    elif error.transport and error.reason == DeadlineError.reason:
        message = (
            "the service did not answer in time: give it more (--timeout-ms); one that hangs is ended by "
            "`perception close --all`"
        )
    else:
        return error
    return RemoteError(error.code, message, error.reason, error.metadata)

"""Ends what a token began once it may no longer do it: its line is gone from the token file, or has fewer rights.

Rule 1: the file counts as changed when two looks in a row say so: editors empty a file before they write it.
Rule 2: a stream ends between two messages, so that its caller learns why. One whose caller takes no message is cut off.
Rule 3: nothing runs while nothing is watched.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from perception.errors import PerceptionError, RightMissingError, UnauthenticatedError
from perception.server.auth.rights import Right
from perception.server.auth.token_file import BearerToken
from perception.server.rpc_call import RpcCall

LOOK_SECONDS = 0.4
"""Between two looks at the file, each of which is a `stat`. Two of them and SEND_SECONDS are less than 2 s."""

SEND_SECONDS = 0.6
"""How long a caller may take for a message that is being sent to it when its stream is to end."""

End = Callable[[PerceptionError], None]


@dataclass(eq=False, slots=True)
class _Use:
    """What a token began, the right that it needs, and what ends it."""

    token: BearerToken
    needed: Right
    end: End
    is_in_doubt: bool = False


class TokenWatch:
    """What the tokens of one service have under way.

    Args:
        tokens: returns the tokens of the file as it is now; the same object while it does not change.
    """

    def __init__(self, tokens: Callable[[], tuple[BearerToken, ...]]) -> None:
        self._tokens = tokens
        self._uses: set[_Use] = set()
        self._known: tuple[BearerToken, ...] = ()
        self._next_look: asyncio.TimerHandle | None = None

    @property
    def uses(self) -> int:
        """How many things end with their tokens now."""
        return len(self._uses)

    def watch(self, token: BearerToken, needed: Right, end: End) -> Callable[[], None]:
        """Calls `end` once, with the reason, when the token no longer has this right. The result stops the watch."""
        use = _Use(token, needed, end)
        self._uses.add(use)
        self._look_later()
        return lambda: self._uses.discard(use)

    @asynccontextmanager
    async def guard(self, call: RpcCall, token: BearerToken, needed: Right) -> AsyncIterator[None]:
        """Ends a call whose token loses the right to it.

        Raises:
            UnauthenticatedError: the token is gone.
            RightMissingError: it has fewer rights now.
        """
        guarded = _GuardedCall(call)
        stop = self.watch(token, needed, guarded.end)
        call.while_allowed = partial(self.watch, token)
        try:
            yield
        except (Exception, asyncio.CancelledError):
            guarded.raise_reason()
            raise
        else:
            guarded.raise_reason()
        finally:
            stop()

    def _look_later(self) -> None:
        if self._next_look is None and self._uses:
            self._next_look = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look)

    def _look(self) -> None:
        self._next_look = None
        now = self._tokens()
        if now is not self._known or any(use.is_in_doubt for use in self._uses):
            self._known = now
            by_digest = {each.digest: each for each in now}
            for use in tuple(self._uses):
                self._judge(use, _refusal(use, by_digest.get(use.token.digest)))
        self._look_later()

    def _judge(self, use: _Use, refusal: PerceptionError | None) -> None:
        if refusal is not None and use.is_in_doubt:
            self._uses.discard(use)
            use.end(refusal)
        use.is_in_doubt = refusal is not None


class _GuardedCall:
    """A call, and the task that serves it."""

    def __init__(self, call: RpcCall) -> None:
        self._call = call
        self._task = asyncio.current_task()
        self._cancels = 0
        self._before = self._task.cancelling() if self._task is not None else 0

    def end(self, reason: PerceptionError) -> None:
        """Has the call end with this error."""
        self._call.ended = reason
        if self._call.is_sending:
            asyncio.get_running_loop().call_later(SEND_SECONDS, self._cut_off)
        else:
            self._cancel()

    def raise_reason(self) -> None:
        """Raises what the call was ended with, unless its caller has left as well."""
        if self._call.ended is None:
            return
        left = self._task.uncancel() if self._task is not None and self._cancels else self._before
        if left <= self._before:
            raise self._call.ended from None

    def _cut_off(self) -> None:
        if self._call.is_sending:
            self._cancel()

    def _cancel(self) -> None:
        if self._task is not None and not self._task.done():
            self._cancels += 1
            self._task.cancel()


def _refusal(use: _Use, now: BearerToken | None) -> PerceptionError | None:
    """Why something must end; None where it may go on."""
    if now is None or now.principal != use.token.principal:
        return UnauthenticatedError(
            "this token is no longer in the token file: what it had under way has ended. Ask who runs the service for "
            "another one"
        )
    if now.right < use.needed:
        return RightMissingError(
            f"this token has lost the right {use.needed.name.lower()!r} in the token file: what needed it has ended",
            right=now.right.name.lower(),
            needed=use.needed.name.lower(),
        )
    return None

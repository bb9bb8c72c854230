"""At most once: a repeated request gets the result of the first request of its id."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from perception.deadline import Deadline
from perception.errors import CalledOffError, PerceptionError
from perception.server.sessions.results import KeptResults, RequestKey

Result = TypeVar("Result")


async def run_once(
    results: KeptResults,
    key: RequestKey,
    deadline: Deadline,
    run: Callable[[], Awaitable[Result]],
    size_of: Callable[[Result], int] = lambda _: 0,
) -> Result:
    """Runs a request, or returns what the first one of its id returned.

    An error, or a cancellation, is kept once input was sent: running the request again could act twice.

    Args:
        key: the request's; without an id it runs always.
        size_of: bytes that a result takes; 0 for a small one.

    Raises:
        RequestIdReusedError: the first request of this id had other parameters.
        What `run` raises, and for a repeated request what it raised then.
    """
    if not key.request_id:
        return await run()
    before = results.find(key)
    if isinstance(before, PerceptionError):
        raise before
    if before is not None:
        return before  # type: ignore[no-any-return]  # what `run` returned then
    with results.running(key):
        try:
            result = await run()
        except PerceptionError as error:
            if deadline.dispatched:
                results.keep(key, error)
            raise
        except asyncio.CancelledError:
            if deadline.dispatched:
                cancelled = CalledOffError(
                    f"{key.method} was cancelled after its input had been sent: look at the page before you repeat it"
                )
                results.keep(key, cancelled)
            raise
        except Exception:
            if deadline.dispatched:
                broken = PerceptionError(
                    f"{key.method} failed by a defect of the service; its input was sent: look before you repeat it"
                )
                results.keep(key, broken)
            raise
    results.keep(key, result, size_of(result))
    return result

"""At most once: a request that is repeated under its id gets what came of the first one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from perception.budget import Budget
from perception.errors import CalledOffError, PerceptionError
from perception.server.sessions import Session

Response = TypeVar("Response")


async def remembered(
    session: Session, method: str, request_id: str, budget: Budget, do: Callable[[], Awaitable[Response]]
) -> Response:
    """Does what was not done before under that id; what it came to is remembered once input has been sent."""
    key = (method, request_id)
    before = session.results.get(key) if request_id else None
    if isinstance(before, PerceptionError):
        raise before
    if before is not None:
        return before  # type: ignore[no-any-return]  # what `do` returned then
    try:
        result = await do()
    except PerceptionError as error:
        if request_id and budget.dispatched:
            session.remember(key, error)
        raise
    except asyncio.CancelledError:
        if request_id and budget.dispatched:
            session.remember(key, CalledOffError(f"{method} was called off after its input had been sent"))
        raise
    if request_id:
        session.remember(key, result)
    return result

"""The one element that a request is limited to by its `scope_selector`."""

from __future__ import annotations

from perception.browser.browser_session import Tab
from perception.browser.input.aiming import TargetNode, Targets
from perception.deadline import Deadline
from perception.errors import AmbiguousTargetError, BadSelectorError, NoMatchError

FIELD = "scope_selector"


async def find_scope(tab: Tab, selector: str, deadline: Deadline) -> TargetNode | None:
    """The element that a scope selector matches; None for an empty one, which is the whole page.

    Raises:
        BadSelectorError, NoMatchError, AmbiguousTargetError: as `Targets.find_selector`, in words of the scope.
    """
    if not selector:
        return None
    try:
        return await Targets(tab.link).find_selector(selector, deadline)
    except BadSelectorError as exc:
        raise BadSelectorError(f"{FIELD}: {exc.marked}", field=FIELD) from exc
    except (NoMatchError, AmbiguousTargetError) as exc:
        raise type(exc)(f"{FIELD}: {exc.marked}", **exc.metadata) from exc

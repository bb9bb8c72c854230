"""The one element that a request is limited to by its `scope_selector`."""

from __future__ import annotations

from perception.browser.session import Tab
from perception.browser.targets import Node, Targets
from perception.budget import Budget
from perception.errors import AmbiguousTargetError, BadSelectorError, NoMatchError

FIELD = "scope_selector"


async def find_scope(tab: Tab, selector: str, budget: Budget) -> Node | None:
    """The element that a scope selector matches; None for an empty one, which is the whole page.

    Raises:
        BadSelectorError, NoMatchError, AmbiguousTargetError: as `Targets.find_selector`, in words of the scope.
    """
    if not selector:
        return None
    try:
        return await Targets(tab.link).find_selector(selector, budget)
    except BadSelectorError as exc:
        raise BadSelectorError(f"{FIELD} {exc}", field=FIELD) from exc
    except NoMatchError as exc:
        raise NoMatchError(
            f"{FIELD} {selector!r} matches nothing on the page: leave it out for the whole page, or take a snapshot to "
            "see what is there"
        ) from exc
    except AmbiguousTargetError as exc:
        count = exc.metadata.get("count", "several")
        raise AmbiguousTargetError(
            f"{FIELD} {selector!r} matches {count} elements: make it match one", count=count
        ) from exc

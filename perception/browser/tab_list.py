"""The tabs of a session: their order, their names, and which of them is selected."""

from __future__ import annotations

from playwright.async_api import Page

from perception.browser.tab import Tab
from perception.errors import BadInputError, TabLimitError, UnknownTabError


class TabList:
    """The tabs of one session.

    Args:
        limit: how many there may be.

    Attributes:
        selected: id of the tab that calls without an id go to; empty while there is none.
        last: number of the newest tab; 0 before the first one.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._tabs: dict[str, Tab] = {}
        self.selected = ""
        self.last = 0

    def __len__(self) -> int:
        return len(self._tabs)

    @property
    def all(self) -> tuple[Tab, ...]:
        return tuple(self._tabs.values())

    def next_id(self) -> str:
        """The id of a new tab."""
        self.last += 1
        return f"t{self.last}"

    def add(self, tab: Tab) -> None:
        """Puts a tab at the end; the first one is selected."""
        self._tabs[tab.tab_id] = tab
        self.selected = self.selected or tab.tab_id

    def remove(self, tab: Tab) -> bool:
        """Takes a tab out; where it was selected, its opener is, or the last one. Returns whether it was there."""
        if self._tabs.pop(tab.tab_id, None) is None:
            return False
        if self.selected == tab.tab_id:
            self.selected = tab.opener if tab.opener in self._tabs else next(reversed(self._tabs), "")
        return True

    def replace_by(self, tab: Tab) -> None:
        """Takes out a new tab whose page another tab gets."""
        del self._tabs[tab.tab_id]

    def find(self, tab_id: str = "") -> Tab:
        """A tab by id or name, the selected one for an empty id. Raises UnknownTabError with those that there are."""
        tab = self._tabs.get(self.id_of(tab_id) or self.selected)
        if tab is None:
            there = ", ".join(f"{each.tab_id} ({each.name})" if each.name else each.tab_id for each in self.all)
            raise UnknownTabError(f"no tab {tab_id[:40]!r}: this session has {there or 'none'}", tab=tab_id[:40])
        return tab

    def id_of(self, name: str) -> str:
        """The id of the tab of a name; any other text as it is."""
        return next((each.tab_id for each in self.all if name and each.name == name), name)

    def of_page(self, page: Page | None) -> Tab | None:
        """The tab that shows a page of Playwright's."""
        return next((tab for tab in self.all if tab.page is page), None)

    def name(self, tab: Tab, name: str) -> None:
        """Gives a tab a name; empty takes it away. Raises BadInputError where another tab has this name."""
        self.check_name(name, tab)
        tab.name = name

    def check_name(self, name: str, tab: Tab | None = None) -> None:
        """Raises BadInputError where another tab has this name."""
        other = next((each for each in self.all if name and each.name == name and each is not tab), None)
        if other is not None:
            raise BadInputError(f"tab {other.tab_id} is named {name!r} already: choose another name", field="name")

    def is_full(self, opening: int) -> bool:
        """Whether no further tab may be opened, with those that are being opened."""
        return len(self) + opening >= self._limit

    def check_room(self, opening: int, name: str = "") -> None:
        """Checks that another tab may be opened, with a name.

        Raises:
            TabLimitError: there are too many.
            BadInputError: another tab has this name.
        """
        self.check_name(name)
        if self.is_full(opening):
            raise TabLimitError(
                f"the session has {len(self)} tabs, its limit: close one, or start the service with more",
                limit=str(self._limit),
            )

    def move(self, tab: Tab, index: int) -> None:
        """Puts a tab at another place. Raises BadInputError where there is no such place."""
        if not 0 <= index < len(self):
            raise BadInputError(
                f"index {index} is not the index of a tab: this session has {len(self)}, 0 to {len(self) - 1}",
                field="index",
            )
        order = [each for each in self.all if each is not tab]
        order.insert(index, tab)
        self._tabs = {each.tab_id: each for each in order}

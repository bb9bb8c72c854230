"""What the client of a session was shown of its pages, and what is remembered of that for the next look."""

from __future__ import annotations

from dataclasses import dataclass, field

from perception.detectors.frame_cache import DetectionCache
from perception.engine.cache import SnapshotCache
from perception.refs import RefTable
from perception.server.extraction.pagination import PagedAnswers, PagedContent, PagedInteractables
from perception.server.sessions.kept_snapshots import KeptSnapshots


def _contents() -> PagedAnswers[PagedContent]:
    return PagedAnswers("c", "cursor")


def _lists() -> PagedAnswers[PagedInteractables]:
    return PagedAnswers("x", "page_token")


@dataclass(frozen=True, slots=True)
class Shown:
    """What was shown of all tabs of one session.

    Attributes:
        refs: the refs that the client was given.
        snapshots: what it may refer to by id.
        cache: the last snapshot of each tab, for as long as the page does not change.
        memory: what detectors saw in the last frame of each tab.
        contents, lists: answers that are served in pages.
    """

    refs: RefTable = field(default_factory=RefTable)
    snapshots: KeptSnapshots = field(default_factory=KeptSnapshots)
    cache: SnapshotCache = field(default_factory=SnapshotCache)
    memory: DetectionCache = field(default_factory=DetectionCache)
    contents: PagedAnswers[PagedContent] = field(default_factory=_contents)
    lists: PagedAnswers[PagedInteractables] = field(default_factory=_lists)

    def drop_tab(self, tab_id: str) -> None:
        """Forgets a tab that has closed."""
        for each in (self.refs, self.snapshots, self.cache, self.memory, self.contents, self.lists):
            each.drop_tab(tab_id)

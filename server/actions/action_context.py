"""What one action on one tab works with, and what it notes on the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from perception.browser.browser_session import Tab
from perception.browser.input.aiming import Targets
from perception.browser.input.dispatch import InputDispatcher
from perception.deadline import Deadline
from perception.detectors.pool import DetectorPool
from perception.engine.presented import PresentedSnapshot
from perception.errors import PerceptionError
from perception.geometry import Point
from perception.instrumentation.stages import Stages
from perception.server.rpc_call import is_by_person
from perception.server.sessions.session import Session

DIFF_SETTLE_SECONDS = 0.5
"""How long an answer with a diff waits for the page to come to rest, unless its caller says otherwise: transitions of
the common component libraries take 0.15 to 0.3 s."""


DIFF_TOKENS = 400
"""Limit for the text of an answer's diff, unless its caller says otherwise: about half of a usual page's text. Chosen
by hand."""


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """What the answer to an action says.

    Attributes:
        with_diff: how the page changed.
        settle_s: how long the diff waits at most for the page to come to rest.
        diff_tokens: limit for the text of the diff; 0 for none.
        always_settles: an answer without a diff waits so long, too.
    """

    with_diff: bool = True
    settle_s: float = DIFF_SETTLE_SECONDS
    diff_tokens: int = DIFF_TOKENS
    always_settles: bool = False


USUAL_ANSWER, WITHOUT_DIFF = AnswerOptions(), AnswerOptions(with_diff=False)


@dataclass(frozen=True, slots=True)
class TabBaseline:
    """A tab and its session before an action, to tell what the action changed.

    Attributes:
        commits: navigations of the tab, those within a document included.
        documents: those of them that brought another document.
        windows: windows that its pages have opened.
        windows_unasked: those of them that no input called for.
        tab_ids: the session's tabs.
        downloads: downloads that the session has begun.
        files_refused: requests of the tab for files that nobody can answer.
        errors: console errors that the tab has logged.
        tabs_refused: windows of its pages that were closed at once.
        errors_skipped: uncaught errors of the session that were not read.
    """

    commits: int
    documents: int
    windows: int
    windows_unasked: int
    tab_ids: frozenset[str]
    downloads: int
    files_refused: int
    errors: int
    tabs_refused: int
    errors_skipped: int


@dataclass(slots=True, eq=False)
class ActionContext:
    """One action on one tab. Made by `begin`.

    Attributes:
        session, tab: what it acts on. The caller holds the tab's lock.
        pool: detectors, for the diff.
        deadline: the call's.
        answer: what its answer says.
        before: the snapshot that the diff leads from; None for no diff.
        baseline: the tab before the action.
        input, targets: real input, and where it goes.
        stages: how long each phase took.
        point: where input went, CSS px of the viewport; None for nowhere.
        notes: what the caller should know beside the effects.
        console_notes: the same, of the page's console.
    """

    session: Session
    tab: Tab
    pool: DetectorPool
    deadline: Deadline
    answer: AnswerOptions
    before: PresentedSnapshot | None
    baseline: TabBaseline
    input: InputDispatcher
    targets: Targets
    stages: Stages = field(default_factory=Stages)
    point: Point | None = None
    notes: list[str] = field(default_factory=list)
    console_notes: list[str] = field(default_factory=list)

    @classmethod
    def begin(
        cls,
        session: Session,
        tab: Tab,
        pool: DetectorPool,
        deadline: Deadline,
        answer: AnswerOptions = USUAL_ANSWER,
    ) -> ActionContext:
        """Begins an action: a navigation that an earlier one began and did not finish is not this one's."""
        tab.link.navigation.forget()
        baseline = TabBaseline(
            commits=tab.link.commits,
            documents=tab.link.documents,
            windows=tab.link.windows_opened,
            windows_unasked=tab.link.windows_unasked,
            tab_ids=frozenset(each.tab_id for each in session.browser.tabs),
            downloads=session.browser.downloads.count,
            files_refused=tab.link.file_choosers.refused,
            errors=tab.error_count,
            tabs_refused=session.browser.tabs_refused,
            errors_skipped=session.browser.errors_skipped,
        )
        # A person's own calls must not take from the agent what it has not seen yet.
        before = session.shown.snapshots.base_of(tab.tab_id) if answer.with_diff and not is_by_person() else None
        return cls(
            session=session,
            tab=tab,
            pool=pool,
            deadline=deadline,
            answer=answer,
            before=before,
            baseline=baseline,
            input=InputDispatcher(tab),
            targets=Targets(tab.link),
        )

    def begin_next(self) -> ActionContext:
        """The next action of the same call, on the same tab."""
        return ActionContext.begin(self.session, self.tab, self.pool, self.deadline, self.answer)


@contextmanager
def saying_input(deadline: Deadline) -> Iterator[None]:
    """An error that passes says so where input had been sent to the page before it."""
    try:
        yield
    except PerceptionError as error:
        if deadline.dispatched:
            error.metadata.setdefault("input_dispatched", "true")
        raise

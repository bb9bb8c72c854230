"""CaptureSnapshot in three parts: what is asked for, the look while the tab is held, and the answer."""

from __future__ import annotations

from dataclasses import dataclass

from perception.browser.browser_session import Tab
from perception.deadline import Deadline
from perception.engine.changes import describe_changes
from perception.engine.ocr_redaction import redact_screenshot
from perception.engine.presented import PresentedSnapshot, require_comparable
from perception.engine.request import SnapshotOptions
from perception.render.diff import diff_elements
from perception.server.convert.elements import diff_message
from perception.server.convert.snapshots import PLAIN, decode_mode, snapshot_options
from perception.server.rpc_call import is_by_person
from perception.server.services.service_context import OfService
from perception.server.services.snapshot_pages import annotated_image, png_image
from perception.server.sessions.document_notes import document_notes
from perception.server.sessions.kept_snapshots import Purpose
from perception.server.sessions.session import Session
from perception.server.sessions.slowing import slowing_notes
from perception.server.sessions.snapshot_taking import take_kept_snapshot
from perception.server.sessions.turn_notes import take_turn_notes
from perception.types import Mode, Scope, View
from perception.v1 import perception_service_pb2 as pb


@dataclass(frozen=True, slots=True)
class CapturePlan:
    """What a CaptureSnapshot asks for.

    Attributes:
        request: the request itself.
        options: how it looks.
        before: the snapshot that its diff leads from; None for no diff.
    """

    request: pb.CaptureSnapshotRequest
    options: SnapshotOptions
    before: PresentedSnapshot | None


@dataclass(frozen=True, slots=True)
class TakenSnapshot:
    """A snapshot, and what its reader should know beside it.

    Attributes:
        presented: the snapshot.
        notes: remarks.
        before_turn: what the agent saw of the tab before a person had control; None where nobody had since, or where
            the two do not list the same.
    """

    presented: PresentedSnapshot
    notes: tuple[str, ...]
    before_turn: PresentedSnapshot | None = None


class SnapshotCaptures(OfService):
    """Takes snapshots that clients ask for, and writes the answers."""

    def plan(self, session: Session, request: pb.CaptureSnapshotRequest) -> CapturePlan:
        """What a request without a cursor asks for. Raises BadInputError, UnknownSnapshotError and as `options`."""
        with_pixels = request.include_screenshot or request.include_annotated
        options = self.options(session, request.options, with_pixels=with_pixels)
        before = session.shown.snapshots.get(request.since_snapshot_id) if request.since_snapshot_id else None
        return CapturePlan(request, options, before)

    async def take(self, session: Session, tab: Tab, plan: CapturePlan, deadline: Deadline) -> TakenSnapshot:
        """Looks at a tab, which the caller holds. Raises as `take_kept_snapshot` and `require_comparable`."""
        if plan.before is not None:
            require_comparable(plan.before, tab.tab_id, plan.options)
        by_person, before = is_by_person(), session.shown.snapshots.base_of(tab.tab_id)
        purpose = Purpose.AID if by_person else Purpose.LOOK
        taken = await take_kept_snapshot(session, tab, self._service.pool, plan.options, deadline, purpose)
        notes = (*document_notes(tab), *await slowing_notes(session, tab, deadline))
        is_wanted = session.control.unread and not by_person and plan.before is None
        if not is_wanted or before is None or before.options.list_settings() != plan.options.list_settings():
            before = None
        return TakenSnapshot(taken, notes, before)

    async def write(
        self, session: Session, plan: CapturePlan, taken: TakenSnapshot, deadline: Deadline
    ) -> pb.CaptureSnapshotResponse:
        """The answer."""
        presented, before = taken.presented, plan.before or taken.before_turn
        response = pb.CaptureSnapshotResponse(snapshot=self._service.pages.write(presented, 0, session.fence))
        response.snapshot.notes.extend(taken.notes)
        if before is not None:
            changes = describe_changes(before, presented, diff_elements(before.listed, presented.listed))
            response.snapshot.diff.CopyFrom(diff_message(changes, session.fence))
        response.snapshot.notes.extend(take_turn_notes(session))
        shot = redact_screenshot(presented.snapshot, session.masker)
        if shot is not None and plan.request.include_screenshot:
            response.screenshot.CopyFrom(await png_image(shot))
        if shot is not None and plan.request.include_annotated:
            response.annotated.CopyFrom(await annotated_image(shot, presented.listed, deadline))
        return response

    def options(
        self,
        session: Session,
        options: pb.SnapshotOptions,
        *,
        with_pixels: bool = False,
        scope: Scope | None = None,
        view: View | None = None,
    ) -> SnapshotOptions:
        """See `snapshot_options`. Raises for detectors that do not exist, too."""
        defaults = session.shown.snapshots.defaults or PLAIN
        detectors: tuple[str, ...] = ()
        if decode_mode(options, defaults) is not Mode.TEXT or options.verify or defaults.verify:
            detectors = self._service.detector_names(options.detectors or defaults.detectors)
        return snapshot_options(
            options, session.shown.snapshots, detectors, with_pixels=with_pixels, scope=scope, view=view
        )

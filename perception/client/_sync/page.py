"""A session as a program uses it: look at the page, act on it, read it."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Unpack

import grpc

from perception.client._sync.actions import Actions
from perception.client._sync.control import Control
from perception.client._sync.network import Network
from perception.client._sync.page_tools import PageTools
from perception.client._sync.traces import Traces
from perception.client._sync.videos import Videos
from perception.client.errors import RemoteError
from perception.client.fields import (
    ActionFields,
    EvaluateFields,
    InteractablesFields,
    SnapshotFields,
)
from perception.client.message_fields import timeout_of
from perception.client.plain_values import value_of
from perception.client.requests import (
    TargetLike,
    batch_request,
    evaluate_request,
    explain_request,
    files_of,
    find_request,
    interactables_request,
    next_page_request,
    screenshot_request,
    snapshot_request,
    wait_condition,
    watch_request,
)
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import extraction_service_pb2 as extraction_pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import types_pb2 as pb

LEAST_S = 0.001
"""What is left of a deadline that has passed: the next call ends with DEADLINE_EXCEEDED at once."""


class Page(Actions, Videos, Network, PageTools, Traces, Control):
    """A session and its pages. A context manager that closes it.

    Every method takes `timeout_s`, seconds for all of it; the client's when None. Every method raises RemoteError where
    the service refuses the call, and BadInputError, before anything is sent, for arguments that make no request.
    """

    def snapshot(
        self, *, since: str | pb.Snapshot = "", timeout_s: float | None = None, **options: Unpack[SnapshotFields]
    ) -> pb.Snapshot:
        """Captures what is on the page.

        Args:
            since: an earlier snapshot, or its id: adds `diff`, what changed since then.
            timeout_s: seconds for all of it; the client's when None.
            options: fields of SnapshotOptions. Enums go by short names (`view="digest"`, `style="compact"`), `root` by
                a ref, selector or coordinate, `settle_timeout` by seconds. `tab_id` for another tab than the selected.
        """
        return self._capture(snapshot_request(self.session_id, since, options), timeout_s)

    def next_page(self, snapshot: pb.Snapshot, *, timeout_s: float | None = None) -> pb.Snapshot:
        """What did not fit into a snapshot; go on while `snapshot.next_cursor` is set.

        Raises:
            BadInputError: the snapshot has no further page.
        """
        return self._capture(next_page_request(self.session_id, snapshot), timeout_s)

    def _capture(self, request: perception_pb.CaptureSnapshotRequest, timeout_s: float | None) -> pb.Snapshot:
        reply = self._client.call(self._client.perception.CaptureSnapshot, request, timeout_s)
        snapshot: pb.Snapshot = reply.snapshot
        return snapshot

    def screenshot(
        self,
        *,
        full_page: bool = False,
        jpeg_quality: int = 0,
        annotated: bool = False,
        timeout_s: float | None = None,
        **options: Unpack[SnapshotFields],
    ) -> bytes:
        """Captures an image file: a PNG, or a JPEG of that quality (1 to 100).

        Args:
            full_page: the whole document.
            jpeg_quality: 0 for a PNG.
            annotated: with the boxes and refs of a snapshot with these options drawn on it.
            options: `tab_id`, `reveal_sensitive`, and with `annotated` all of `snapshot`.
        """
        request = screenshot_request(
            self.session_id, full_page=full_page, jpeg_quality=jpeg_quality, annotated=annotated, options=options
        )
        reply = self._client.call(self._client.perception.CaptureScreenshot, request, timeout_s)
        data: bytes = reply.image.data
        return data

    def watch(
        self, *, min_interval: float | None = None, timeout_s: float | None = None, **options: Unpack[SnapshotFields]
    ) -> Generator[pb.Snapshot, None]:
        """A snapshot, then one with a `diff` for each change, until the tab or this generator is closed.

        Args:
            min_interval: least seconds between two; the service's default when None.
            timeout_s: seconds for all of it; no limit when None.
            options: as of `snapshot`.
        """
        request = watch_request(self.session_id, min_interval, options)
        timeout_s = None if timeout_s is None else timeout_of(timeout_s, 0.0)
        stream = self._client.perception.WatchSnapshots(request, timeout=timeout_s, metadata=self._client.metadata)
        try:
            for reply in stream:
                yield reply.snapshot
        except grpc.RpcError as exc:
            raise RemoteError.of(exc) from exc
        finally:
            stream.cancel()

    def explain(
        self,
        target: TargetLike | None = None,
        *,
        text: str = "",
        timeout_s: float | None = None,
        **options: Unpack[SnapshotFields],
    ) -> perception_pb.ExplainElementResponse:
        """What became of a node or pixel at each stage of a look, and why it is listed as it is, or not at all.

        Args:
            target: a ref, a CSS selector, or a coordinate (x, y); None where `text` is given.
            text: words on the page, painted or not, in place of a target.
            options: as of the `snapshot` that is asked about.
        """
        request = explain_request(self.session_id, target, text, options)
        reply: perception_pb.ExplainElementResponse = self._client.call(
            self._client.perception.ExplainElement, request, timeout_s
        )
        return reply

    def find(
        self,
        query: str = "",
        *,
        role: str = "",
        name: str = "",
        text: str = "",
        at: tuple[float, float] | None = None,
        limit: int = 0,
        timeout_s: float | None = None,
        **options: Unpack[SnapshotFields],
    ) -> list[perception_pb.ElementMatch]:
        """Elements that fit a description, best first.

        For example `found = page.find("the Save button next to Title")`, then `found[0].element.ref`.

        Args:
            query: the description, in words.
            role, name, text: what the element must have.
            at: a point in the viewport that it must cover, CSS px.
            limit: most matches; the service's default when 0.
            options: as of `snapshot`.
        """
        criteria = {"role": role, "name": name, "text": text, "limit": limit}
        request = find_request(self.session_id, query, criteria, at, options)
        reply = self._client.call(self._client.perception.FindElements, request, timeout_s)
        return list(reply.matches)

    def interactables(
        self,
        scope: str = "",
        *,
        hidden: bool = False,
        roles: Sequence[str] = (),
        timeout_s: float | None = None,
        **fields: Unpack[InteractablesFields],
    ) -> list[extraction_pb.Interactable]:
        """What can be acted on, each with a selector that survives a reload: `page.click(found.selector)`.

        Args:
            scope: a selector; only the content of its element.
            hidden: also what is not visible now.
            roles: only these.
            timeout_s: seconds for all of it; the client's when None.
            fields: those of ExtractInteractablesRequest, `settle_timeout` by seconds.
        """
        request = interactables_request(self.session_id, scope, hidden, roles, fields)
        found: list[extraction_pb.Interactable] = []
        end_s = time.monotonic() + timeout_of(timeout_s, self._client.timeout_s)
        while True:
            left_s = max(end_s - time.monotonic(), LEAST_S)
            reply = self._client.call(self._client.extraction.ExtractInteractables, request, left_s)
            found += reply.interactables
            if not reply.next_page_token:
                return found
            request.page_token = reply.next_page_token

    def check(
        self,
        target: TargetLike,
        checked: bool = True,
        *,
        timeout_s: float | None = None,
        **action: Unpack[ActionFields],
    ) -> action_pb.ActionResult:
        """Makes a checkbox, radio button or switch checked, or not."""
        return self._act("Click", {"target": target, "checked": checked}, timeout_s, action)

    def upload(
        self,
        target: TargetLike | None,
        *paths: str,
        contents: Mapping[str, bytes] | None = None,
        uploads: Sequence[str] = (),
        drop: bool = False,
        data: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
        **action: Unpack[ActionFields],
    ) -> action_pb.ActionResult:
        """Gives files to a file field, or to the file chooser that is open when the target is None: from the service's
        upload directory, by name and content, or by the ids of `send_file`, which takes large ones. With `drop` they
        are dropped on the target, as from a window of another program, and so are the texts of `data`, by MIME type."""
        given = {
            "target": target,
            "paths": paths,
            "files": files_of(contents or {}),
            "upload_ids": uploads,
            "drop": drop,
            "data": data,
        }
        return self._act("UploadFiles", given, timeout_s, action)

    def upload_local(
        self,
        target: TargetLike | None,
        *paths: str | os.PathLike[str],
        drop: bool = False,
        timeout_s: float | None = None,
        **action: Unpack[ActionFields],
    ) -> action_pb.ActionResult:
        """Gives files of this machine to a file field, of any size that the session takes. As `upload` otherwise."""
        sent = [self.send_file(path, timeout_s=timeout_s) for path in paths]
        return self.upload(target, uploads=sent, drop=drop, timeout_s=timeout_s, **action)

    def wait_for(
        self,
        *,
        element: TargetLike | None = None,
        vanished: TargetLike | None = None,
        text: str = "",
        url: str = "",
        settled: bool = False,
        timeout_s: float | None = None,
        **action: Unpack[ActionFields],
    ) -> action_pb.ActionResult:
        """Waits for one thing until `timeout_s`, the client's when None, is over.

        Args:
            element: a target that is there.
            vanished: a target that is not there any more.
            text: words that are visible on the page.
            url: a glob that the tab's address matches.
            settled: nothing is pending and no pixels change.
            action: as of `click`.
        """
        conditions = {"element": element, "vanished": vanished, "text": text, "url": url, "settled": settled}
        return self._act("WaitFor", wait_condition(conditions), timeout_s, action)

    def batch(
        self, steps: Sequence[action_pb.BatchStep], *, timeout_s: float | None = None, **action: Unpack[ActionFields]
    ) -> action_pb.BatchResponse:
        """Runs up to 50 steps in one tab, checked before the first one runs: `page.batch([steps.type_text("e3", "Ada"),
        steps.click(steps.named("button", "Save"))])`, with `steps` of `perception.client`.

        Args:
            steps: see `perception.client.steps`.
            timeout_s: seconds for all of them; the client's when None.
            action: as of `click`, for all of them and their one diff.

        Returns:
            What each step did, and what all did together. `stop` is set where a step failed, took the tab to another
            document without `may_navigate`, or opened a dialog.

        Raises:
            RemoteError: a step is wrong; its `metadata` has the index as `step`. No input was sent.
        """
        request = batch_request(self.session_id, steps, action)
        reply: action_pb.BatchResponse = self._client.call(self._client.actions.Batch, request, timeout_s)
        return reply

    def evaluate(
        self,
        expression: str,
        target: TargetLike | None = None,
        *,
        timeout_s: float | None = None,
        **fields: Unpack[EvaluateFields],
    ) -> Any:
        """Runs a script, in a session with `allow_evaluate`, and returns its value. A promise is awaited.

        Args:
            expression: an expression, or a function; it is called with the target's element if there is one.
            target: a ref, selector or coordinate.
            timeout_s: seconds for the call; the client's when None.
            fields: those of EvaluateRequest: `timeout` (seconds for the script alone), `tab_id`, `request_id`.

        Raises:
            ScriptError: the script threw an exception.
        """
        request = evaluate_request(self.session_id, expression, target, fields)
        reply = self._client.call(self._client.actions.Evaluate, request, timeout_s)
        return value_of(reply)

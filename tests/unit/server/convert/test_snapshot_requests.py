"""Requests for snapshots as values."""

from __future__ import annotations

import pytest
from google.protobuf.duration_pb2 import Duration

from perception.engine.request import BackendNodeTarget, PointTarget, RefTarget, SelectorTarget, SnapshotOptions, Target
from perception.errors import BadInputError, UnknownSnapshotError
from perception.geometry import Point
from perception.render.untrusted import PAIR_TOKENS
from perception.search.find import Question
from perception.server.convert.snapshots import (
    annotated_options,
    decode_cursor,
    find_question,
    jpeg_quality,
    snapshot_options,
)
from perception.server.convert.targets import decode_target
from perception.server.sessions.kept_snapshots import KeptSnapshots
from perception.types import Engine, Mode, Scope, TextStyle, View
from perception.v1 import perception_service_pb2 as pb
from perception.v1 import types_pb2


@pytest.mark.parametrize(
    ("message", "target"),
    [
        pytest.param(types_pb2.Target(ref="e5"), RefTarget("e5"), id="ref"),
        pytest.param(types_pb2.Target(selector="#a"), SelectorTarget("#a"), id="selector"),
        pytest.param(types_pb2.Target(backend_node_id=7), BackendNodeTarget(7), id="node"),
        pytest.param(
            types_pb2.Target(coordinate=types_pb2.Coordinate(x=1, y=2)), PointTarget(Point(1, 2)), id="coordinate"
        ),
    ],
)
def test_a_target_is_what_it_names(message: types_pb2.Target, target: Target) -> None:
    assert decode_target(message, KeptSnapshots()) == target


def test_a_target_that_names_nothing_is_refused() -> None:
    with pytest.raises(BadInputError, match="no target"):
        decode_target(types_pb2.Target(), KeptSnapshots())


def test_a_coordinate_of_a_snapshot_that_is_not_kept_is_refused() -> None:
    target = types_pb2.Target(coordinate=types_pb2.Coordinate(x=1, y=2, snapshot_id="s9"))
    with pytest.raises(UnknownSnapshotError, match="s9"):
        decode_target(target, KeptSnapshots())


def test_empty_options_are_the_defaults() -> None:
    assert snapshot_options(pb.SnapshotOptions(), KeptSnapshots(), ()) == SnapshotOptions()


def test_options_are_converted() -> None:
    message = pb.SnapshotOptions(
        mode=pb.MODE_TEXT,
        engine=pb.ENGINE_AX,
        scope=pb.SCOPE_VIEWPORT,
        view=pb.VIEW_DIGEST,
        style=pb.TEXT_STYLE_COMPACT,
        max_tokens=500,
        reveal_sensitive=True,
        settle_timeout=Duration(seconds=2),
        include_selectors=True,
        include_boxes=True,
        root=types_pb2.Target(ref="e5"),
    )
    assert snapshot_options(message, KeptSnapshots(), ("text",), with_pixels=True) == SnapshotOptions(
        mode=Mode.TEXT,
        engine=Engine.AX,
        scope=Scope.VIEWPORT,
        view=View.DIGEST,
        style=TextStyle.COMPACT,
        max_tokens=500 - PAIR_TOKENS,
        detectors=("text",),
        with_pixels=True,
        reveal=True,
        settle_s=2.0,
        root=RefTarget("e5"),
        selectors=True,
        boxes=True,
    )


@pytest.mark.parametrize(
    ("message", "default", "scope"),
    [
        pytest.param(pb.SnapshotOptions(), Scope.VIEWPORT, Scope.VIEWPORT, id="the-default"),
        pytest.param(pb.SnapshotOptions(), Scope.PAGE, Scope.PAGE, id="another-default"),
        pytest.param(pb.SnapshotOptions(root=types_pb2.Target(ref="e1")), Scope.VIEWPORT, Scope.PAGE, id="a-root"),
        pytest.param(
            pb.SnapshotOptions(root=types_pb2.Target(ref="e1"), scope=pb.SCOPE_VIEWPORT),
            Scope.PAGE,
            Scope.VIEWPORT,
            id="what-was-asked-for",
        ),
    ],
)
def test_a_root_is_listed_whole_unless_a_scope_is_named(
    message: pb.SnapshotOptions, default: Scope, scope: Scope
) -> None:
    assert snapshot_options(message, KeptSnapshots(), (), scope=default).scope is scope


@pytest.mark.parametrize(
    ("message", "field"),
    [
        pytest.param(pb.SnapshotOptions(max_tokens=5), "options.max_tokens", id="small-deadline"),
        pytest.param(pb.SnapshotOptions(view=99), "options.view", id="view-of-another-version"),  # type: ignore[arg-type]  # on purpose
        pytest.param(pb.SnapshotOptions(settle_timeout=Duration(seconds=-1)), "options.settle_timeout", id="negative"),
    ],
)
def test_options_that_cannot_be_served_are_refused(message: pb.SnapshotOptions, field: str) -> None:
    with pytest.raises(BadInputError) as caught:
        snapshot_options(message, KeptSnapshots(), ())
    assert caught.value.field == field


@pytest.mark.parametrize(("cursor", "decoded"), [("s3.1", ("s3", 1)), ("s12.0", ("s12", 0)), (".7", ("", 7))])
def test_a_cursor_names_a_snapshot_and_a_page(cursor: str, decoded: tuple[str, int]) -> None:
    assert decode_cursor(cursor) == decoded


@pytest.mark.parametrize("cursor", ["", "s3", "s3.", "s3.x", "s3.-1", "s3.1.2", "s3.1234567"])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(BadInputError, match="is not a cursor"):
        decode_cursor(cursor)


def test_a_question_is_stripped_and_limited_to_ten() -> None:
    question = find_question(pb.FindElementsRequest(query=" save ", role="button"))
    assert question == Question(query="save", role="button", name="", text="", limit=10)


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(pb.FindElementsRequest(), id="nothing"),
        pytest.param(pb.FindElementsRequest(query="  "), id="blank"),
        pytest.param(pb.FindElementsRequest(query="a", limit=-1), id="negative-limit"),
        pytest.param(pb.FindElementsRequest(name="a" * 1001), id="too-long"),
    ],
)
def test_what_is_no_question_is_refused(request_: pb.FindElementsRequest) -> None:
    with pytest.raises(BadInputError):
        find_question(request_)


def test_a_jpeg_has_a_quality_and_a_png_has_none() -> None:
    jpeg = pb.IMAGE_FORMAT_JPEG
    assert jpeg_quality(pb.CaptureScreenshotRequest(quality=7)) == 0
    assert jpeg_quality(pb.CaptureScreenshotRequest(format=jpeg)) == 80
    assert jpeg_quality(pb.CaptureScreenshotRequest(format=jpeg, quality=7)) == 7
    with pytest.raises(BadInputError, match="quality is 101: give 0 to 100"):
        jpeg_quality(pb.CaptureScreenshotRequest(format=jpeg, quality=101))


def test_an_annotated_screenshot_shows_what_can_be_acted_on() -> None:
    assert annotated_options(pb.CaptureScreenshotRequest()).view == pb.VIEW_INTERACTIVE
    asked = pb.CaptureScreenshotRequest(options=pb.SnapshotOptions(), reveal_sensitive=True)
    options = annotated_options(asked)
    assert (options.view, options.reveal_sensitive) == (pb.VIEW_UNSPECIFIED, True)
    assert not asked.options.reveal_sensitive

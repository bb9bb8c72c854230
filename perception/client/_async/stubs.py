"""The stubs of the services.

Made from proto/ by .ci/client_methods.py. Not to be edited.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from perception.client.access import AsyncChannel

if TYPE_CHECKING:
    from perception.v1.action_service_pb2_grpc import ActionServiceAsyncStub
    from perception.v1.control_service_pb2_grpc import ControlServiceAsyncStub
    from perception.v1.detection_service_pb2_grpc import DetectionServiceAsyncStub
    from perception.v1.extraction_service_pb2_grpc import ExtractionServiceAsyncStub
    from perception.v1.file_service_pb2_grpc import FileServiceAsyncStub
    from perception.v1.live_service_pb2_grpc import LiveServiceAsyncStub
    from perception.v1.network_service_pb2_grpc import NetworkServiceAsyncStub
    from perception.v1.page_tool_service_pb2_grpc import PageToolServiceAsyncStub
    from perception.v1.perception_service_pb2_grpc import PerceptionServiceAsyncStub
    from perception.v1.session_service_pb2_grpc import SessionServiceAsyncStub
    from perception.v1.video_service_pb2_grpc import VideoServiceAsyncStub


class AsyncStubs:
    """The stubs of a channel. Each is loaded when it is used first: one call waits for one only."""

    channel: AsyncChannel

    @cached_property
    def sessions(self) -> SessionServiceAsyncStub:
        from perception.v1.session_service_pb2_grpc import SessionServiceStub

        return SessionServiceStub(self.channel)

    @cached_property
    def perception(self) -> PerceptionServiceAsyncStub:
        from perception.v1.perception_service_pb2_grpc import PerceptionServiceStub

        return PerceptionServiceStub(self.channel)

    @cached_property
    def detection(self) -> DetectionServiceAsyncStub:
        from perception.v1.detection_service_pb2_grpc import DetectionServiceStub

        return DetectionServiceStub(self.channel)

    @cached_property
    def actions(self) -> ActionServiceAsyncStub:
        from perception.v1.action_service_pb2_grpc import ActionServiceStub

        return ActionServiceStub(self.channel)

    @cached_property
    def extraction(self) -> ExtractionServiceAsyncStub:
        from perception.v1.extraction_service_pb2_grpc import ExtractionServiceStub

        return ExtractionServiceStub(self.channel)

    @cached_property
    def files(self) -> FileServiceAsyncStub:
        from perception.v1.file_service_pb2_grpc import FileServiceStub

        return FileServiceStub(self.channel)

    @cached_property
    def live(self) -> LiveServiceAsyncStub:
        from perception.v1.live_service_pb2_grpc import LiveServiceStub

        return LiveServiceStub(self.channel)

    @cached_property
    def network(self) -> NetworkServiceAsyncStub:
        from perception.v1.network_service_pb2_grpc import NetworkServiceStub

        return NetworkServiceStub(self.channel)

    @cached_property
    def page_tools(self) -> PageToolServiceAsyncStub:
        from perception.v1.page_tool_service_pb2_grpc import PageToolServiceStub

        return PageToolServiceStub(self.channel)

    @cached_property
    def control(self) -> ControlServiceAsyncStub:
        from perception.v1.control_service_pb2_grpc import ControlServiceStub

        return ControlServiceStub(self.channel)

    @cached_property
    def video(self) -> VideoServiceAsyncStub:
        from perception.v1.video_service_pb2_grpc import VideoServiceStub

        return VideoServiceStub(self.channel)

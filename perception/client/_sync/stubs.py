"""The stubs of the services.

Made from proto/ by .ci/client_methods.py. Not to be edited.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from perception.client.access import Channel

if TYPE_CHECKING:
    from perception.v1.action_service_pb2_grpc import ActionServiceStub
    from perception.v1.control_service_pb2_grpc import ControlServiceStub
    from perception.v1.detection_service_pb2_grpc import DetectionServiceStub
    from perception.v1.extraction_service_pb2_grpc import ExtractionServiceStub
    from perception.v1.file_service_pb2_grpc import FileServiceStub
    from perception.v1.live_service_pb2_grpc import LiveServiceStub
    from perception.v1.network_service_pb2_grpc import NetworkServiceStub
    from perception.v1.page_tool_service_pb2_grpc import PageToolServiceStub
    from perception.v1.perception_service_pb2_grpc import PerceptionServiceStub
    from perception.v1.session_service_pb2_grpc import SessionServiceStub
    from perception.v1.video_service_pb2_grpc import VideoServiceStub


class Stubs:
    """The stubs of a channel. Each is loaded when it is used first: one call waits for one only."""

    channel: Channel

    @cached_property
    def sessions(self) -> SessionServiceStub:
        from perception.v1.session_service_pb2_grpc import SessionServiceStub

        return SessionServiceStub(self.channel)

    @cached_property
    def perception(self) -> PerceptionServiceStub:
        from perception.v1.perception_service_pb2_grpc import PerceptionServiceStub

        return PerceptionServiceStub(self.channel)

    @cached_property
    def detection(self) -> DetectionServiceStub:
        from perception.v1.detection_service_pb2_grpc import DetectionServiceStub

        return DetectionServiceStub(self.channel)

    @cached_property
    def actions(self) -> ActionServiceStub:
        from perception.v1.action_service_pb2_grpc import ActionServiceStub

        return ActionServiceStub(self.channel)

    @cached_property
    def extraction(self) -> ExtractionServiceStub:
        from perception.v1.extraction_service_pb2_grpc import ExtractionServiceStub

        return ExtractionServiceStub(self.channel)

    @cached_property
    def files(self) -> FileServiceStub:
        from perception.v1.file_service_pb2_grpc import FileServiceStub

        return FileServiceStub(self.channel)

    @cached_property
    def live(self) -> LiveServiceStub:
        from perception.v1.live_service_pb2_grpc import LiveServiceStub

        return LiveServiceStub(self.channel)

    @cached_property
    def network(self) -> NetworkServiceStub:
        from perception.v1.network_service_pb2_grpc import NetworkServiceStub

        return NetworkServiceStub(self.channel)

    @cached_property
    def page_tools(self) -> PageToolServiceStub:
        from perception.v1.page_tool_service_pb2_grpc import PageToolServiceStub

        return PageToolServiceStub(self.channel)

    @cached_property
    def control(self) -> ControlServiceStub:
        from perception.v1.control_service_pb2_grpc import ControlServiceStub

        return ControlServiceStub(self.channel)

    @cached_property
    def video(self) -> VideoServiceStub:
        from perception.v1.video_service_pb2_grpc import VideoServiceStub

        return VideoServiceStub(self.channel)

"""DetectionService: vision without a browser."""

from __future__ import annotations

import asyncio
from typing import Any

from perception.errors import BadInputError
from perception.images import decode_image
from perception.pipeline import parse
from perception.render.text import PagedText
from perception.server.services.base import Rooms
from perception.server.services.perception import annotated_image, detector_names, serve_page
from perception.types import Screenshot
from perception.untrusted import Fence
from perception.v1 import detection_service_pb2 as pb
from perception.v1.detection_service_pb2_grpc import DetectionServiceServicer


class DetectionRpcs(DetectionServiceServicer):
    """See detection_service.proto."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    async def ParseImage(self, request: pb.ParseImageRequest, context: Any) -> pb.ParseImageResponse:  # noqa: N802
        budget = self._rooms.budget(context)
        scale = request.scale or 1.0
        if not 0.1 <= scale <= 10:
            raise BadInputError(f"scale {scale:g} is not in 0.1 to 10", field="scale")
        names = detector_names(self._rooms, request.detectors)
        async with budget.phase("decoding the image"):
            pixels = await asyncio.to_thread(decode_image, request.image)
        shot = Screenshot(pixels, scale)
        snapshot = await parse(shot, names, self._rooms.pool, budget)
        response = pb.ParseImageResponse(
            snapshot=serve_page(snapshot, snapshot.elements, PagedText(snapshot.elements), "", 0, Fence())
        )
        if request.include_annotated:
            response.annotated.CopyFrom(await annotated_image(shot, snapshot.elements, budget))
        return response

    async def ListDetectors(self, request: pb.ListDetectorsRequest, context: Any) -> pb.ListDetectorsResponse:  # noqa: N802
        statuses = await asyncio.to_thread(self._rooms.registry.describe_all)
        return pb.ListDetectorsResponse(
            detectors=[
                pb.Detector(
                    name=status.info.name,
                    description=status.info.description,
                    licence=status.info.licence,
                    version=status.info.version,
                    kinds=status.info.kinds,
                    languages=status.info.languages,
                    limits=status.info.limits,
                    installed=status.installed,
                    missing=status.missing,
                    model_bytes=status.info.model_bytes,
                    default_enabled=status.info.default_enabled,
                )
                for status in statuses
            ]
        )

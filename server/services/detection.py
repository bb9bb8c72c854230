"""DetectionService: vision without a browser."""

from __future__ import annotations

import asyncio
from typing import Any

from perception.engine.parse import parse
from perception.imaging.codec import decode_image
from perception.render.text import PagedText
from perception.render.untrusted import Fence
from perception.server.convert.message_fields import require_within
from perception.server.services.service_context import OfService
from perception.server.services.snapshot_pages import annotated_image, write_page
from perception.types import Screenshot
from perception.v1 import detection_service_pb2 as pb
from perception.v1.detection_service_pb2_grpc import DetectionServiceServicer


class DetectionRpcs(OfService, DetectionServiceServicer):
    """See detection_service.proto."""

    async def ParseImage(self, request: pb.ParseImageRequest, context: Any) -> pb.ParseImageResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        scale = request.scale
        if scale:
            require_within(scale, 0.1, 10, "scale")
        names = self._service.detector_names(request.detectors)
        async with deadline.phase("decoding the image"):
            pixels = await asyncio.to_thread(decode_image, request.image)
        snapshot = await parse(pixels, scale, names, self._service.pool, deadline)
        response = pb.ParseImageResponse(
            snapshot=write_page(snapshot, snapshot.elements, PagedText(snapshot.elements), "", 0, Fence())
        )
        if request.include_annotated:
            shot = Screenshot(pixels, scale or 1.0)
            response.annotated.CopyFrom(await annotated_image(shot, snapshot.elements, deadline))
        return response

    async def ListDetectors(self, request: pb.ListDetectorsRequest, context: Any) -> pb.ListDetectorsResponse:  # noqa: N802
        statuses = await asyncio.to_thread(self._service.registry.describe_all, self._service.settings.detectors)
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

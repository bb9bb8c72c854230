"""`perception parse`: what detectors see in an image."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from perception.cli.command_options import Address, Annotate, Timeout, service_command
from perception.cli.printing import print_snapshot, write_image
from perception.cli.service import service_client
from perception.errors import BadInputError
from perception.terminal import Output, OutputFormat, check_writable
from perception.v1 import detection_service_pb2 as pb


@service_command
def parse(
    image: Annotated[Path, typer.Argument(help="A screenshot: PNG, JPEG, WebP, BMP or GIF.")],
    detector: Annotated[list[str] | None, typer.Option(help="Detector to use; may be repeated.")] = None,
    output: Output = OutputFormat.TEXT,
    annotate: Annotate = None,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Find what is in any screenshot, by its pixels alone."""
    check_writable(annotate)
    try:
        data = image.read_bytes()
    except OSError as exc:
        raise BadInputError(f"{image} cannot be read: {exc.strerror}") from exc
    request = pb.ParseImageRequest(image=data, detectors=detector or [], include_annotated=annotate is not None)
    with service_client(address, (), timeout) as client:
        reply: pb.ParseImageResponse = client.call(client.detection.ParseImage, request)
    print_snapshot(reply.snapshot, output)
    write_image(annotate, reply.annotated, "annotated image")

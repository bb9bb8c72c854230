"""`perception parse`: what detectors see in an image."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from perception.cli.command_options import Address, Annotate, Timeout, service_command
from perception.cli.printing import print_snapshot, write_image
from perception.cli.service import service_client
from perception.client.requests import image_bytes
from perception.terminal import Output, OutputFormat, check_writable


@service_command
def parse(
    image: Annotated[Path, typer.Argument(help="A screenshot: PNG, JPEG, WebP, BMP or GIF.")],
    detector: Annotated[list[str] | None, typer.Option(help="Detector to use; may be repeated.")] = None,
    scale: Annotated[
        float | None,
        typer.Option(
            min=0.1,
            max=10,
            help="Image px for each unit of the boxes: 2 for two device px per CSS px. Default: guessed.",
        ),
    ] = None,
    output: Output = OutputFormat.TEXT,
    annotate: Annotate = None,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Find what is in any screenshot, by its pixels alone."""
    check_writable(annotate)
    data = image_bytes(image)
    with service_client(address, (), timeout) as client:
        reply = client.parse_image(data, detectors=detector or (), scale=scale or 0, annotated=annotate is not None)
    print_snapshot(reply.snapshot, output)
    write_image(annotate, reply.annotated, "annotated image")

"""`perception parse` and `perception detectors`: what detectors see in an image, and which detectors there are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from perception.cli.command_options import Address, Annotate, Timeout, service_command
from perception.cli.printing import print_json, print_snapshot, write_image
from perception.cli.service import service_client
from perception.errors import BadInputError
from perception.terminal import Output, OutputFormat, check_writable, tame
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


@service_command
def detectors(output: Output = OutputFormat.TEXT, address: Address = "", timeout: Timeout = 60.0) -> None:
    """List detectors: what is installed, what is missing and how to get it."""
    with service_client(address, (), timeout) as client:
        reply = client.call(client.detection.ListDetectors, pb.ListDetectorsRequest())
    if output is OutputFormat.JSON:
        print_json(reply)
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for each in reply.detectors:
        state = "used by default" if each.default_enabled else "installed"
        rows = [
            ("what", each.description),
            ("finds", ", ".join(each.kinds)),
            ("licence", each.licence),
            ("models", f"{each.model_bytes / 2**20:.0f} MB" if each.model_bytes else ""),
            ("languages", ", ".join(each.languages)),
            ("limits", "; ".join(each.limits)),
        ]
        table.add_row(f"[bold]{_plain(each.name)}[/]", state if each.installed else _plain(each.missing))
        for name, text in rows:
            if text:
                table.add_row(f"  {name}", _plain(text))
    Console(highlight=False).print(table)


def _plain(text: str) -> str:
    """A plug-in's text: neither markup nor commands to the terminal."""
    return escape(tame(text))

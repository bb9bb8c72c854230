"""How commands print the service's answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToJson

from perception.terminal import OutputFormat, err, write
from perception.v1 import types_pb2 as pb


def print_json(message: Any) -> None:
    """Prints a message in the protobuf JSON form."""
    text = MessageToJson(message, always_print_fields_with_no_presence=False, ensure_ascii=False)
    write(json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n")


def print_snapshot(message: pb.Snapshot, output: OutputFormat) -> None:
    """Prints a snapshot: its text, and on standard error the page's title, skipped detectors, sizes and times."""
    if output is OutputFormat.JSON:
        print_json(message)
        return
    if message.url:
        err.print(f"{message.title} — {message.url}", markup=False)
    write(message.text)
    if message.settle.verdict == pb.Settle.VERDICT_PENDING:
        err.print(f"not at rest: {', '.join(message.settle.pending)}", markup=False)
    for skipped in message.skipped:
        err.print(f"skipped {skipped.name}: {skipped.reason}", markup=False)
    for note in message.notes:
        err.print(f"note: {note}", markup=False)
    spent = ", ".join(f"{timing.stage} {timing.milliseconds:.0f}" for timing in message.timings)
    left_out = f", {message.omitted_count} left out" if message.omitted_count else ""
    err.print(f"{len(message.elements)} elements{left_out}, {message.token_count} tokens; ms: {spent}", markup=False)
    if message.omitted_count:
        say_left_out(f"{message.omitted_count} elements", "--scope takes one of the regions above")


def say_left_out(amount: str, instead: str) -> None:
    """The last line where a limit cut the text: how much is left, and how to get it."""
    err.print(f"left out by --max-tokens: {amount}; {instead}, --max-tokens 0 prints all", markup=False)


def write_image(path: Path | None, image: pb.Image, what: str) -> None:
    """Writes an image file, if one was asked for, and names it on standard error as `what`."""
    if path is not None:
        path.write_bytes(image.data)
        err.print(f"{what}: {path}", markup=False)

"""`perception detectors`: which detectors there are, and those on a Ray cluster."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from perception.cli.command_options import Address, Timeout, service_command
from perception.cli.printing import print_json
from perception.cli.service import service_client
from perception.errors import BadInputError
from perception.terminal import Output, OutputFormat, out, reporting_errors, tame, write
from perception.v1 import detection_service_pb2 as pb

app = typer.Typer(help="List detectors, and run them on a Ray cluster.")

Name = Annotated[str, typer.Argument(help="A detector, as `perception detectors` lists it.")]
Ray = Annotated[
    str,
    typer.Option(
        "--ray", help="HOST:PORT of the cluster's head. Default: PERCEPTION_RAY_ADDRESS, else the one of this machine."
    ),
]


@app.callback(invoke_without_command=True)
@service_command
def detectors(
    context: typer.Context, output: Output = OutputFormat.TEXT, address: Address = "", timeout: Timeout = 60.0
) -> None:
    """List detectors: what is installed, what is missing and how to get it. `serve` runs one on a Ray cluster."""
    if context.invoked_subcommand is not None:
        return
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


@app.command()
def serve(
    name: Name,
    ray: Ray = "",
    replicas: Annotated[int, typer.Option(min=1, help="Processes that each load the detector.")] = 1,
    cpus: Annotated[float, typer.Option(min=0, help="Processors that each of them reserves.")] = 1.0,
    gpus: Annotated[float, typer.Option(min=0, help="GPUs that each of them reserves; 0.5: two share one.")] = 0.0,
    batch: Annotated[int, typer.Option(min=1, help="Most calls that are looked at together.")] = 8,
    batch_wait_ms: Annotated[float, typer.Option(min=0, help="How long the first of them waits for others.")] = 0.0,
    queue: Annotated[
        int, typer.Option(min=1, help="Most calls of one service that wait; further ones are skipped.")
    ] = 64,
    wait: Annotated[float, typer.Option(min=1, help="Seconds until it must run.")] = 120.0,
) -> None:
    """Run a detector on a Ray cluster, for all services that name it `ray:NAME`. Again: change how it runs."""
    from perception.detectors.ray_serve.deploy import Deployment, check_name, serve_detector
    from perception.detectors.ray_serve.serve_cluster import join_cluster

    deployment = Deployment(replicas, cpus, gpus, batch, batch_wait_ms / 1000, queue)
    with reporting_errors():
        check_name(name)
        head = join_cluster(ray)
        serve_detector(name, deployment, wait)
    out.print(f"{name} runs on Ray at {head}: use it as ray:{name}", markup=False)


@app.command()
def served(ray: Ray = "", output: Output = OutputFormat.TEXT) -> None:
    """List the detectors on a Ray cluster."""
    from perception.detectors.ray_serve.deploy import served_detectors
    from perception.detectors.ray_serve.serve_cluster import join_cluster

    with reporting_errors():
        head = join_cluster(ray)
        found = served_detectors()
    if output is OutputFormat.JSON:
        write(json.dumps({"detectors": [asdict(each) for each in found]}, indent=2) + "\n")
        return
    if not found:
        out.print(f"Ray at {head} has no detectors: perception detectors serve NAME", markup=False)
    for each in found:
        counts = f"{each.running} of {each.replicas} replicas run"
        out.print(f"ray:{each.name}  {each.state}  {counts}  {each.message}".rstrip(), markup=False)


@app.command()
def stop(name: Name, ray: Ray = "") -> None:
    """Take a detector away from a Ray cluster."""
    from perception.detectors.ray_serve.deploy import stop_detector
    from perception.detectors.ray_serve.serve_cluster import join_cluster

    with reporting_errors():
        head = join_cluster(ray)
        if not stop_detector(name):
            raise BadInputError(f"Ray at {head} has no detector {name}: see `perception detectors served`")
    out.print(f"{name} is gone from Ray at {head}", markup=False)


@app.command()
def preset(
    name: Annotated[str, typer.Argument(help="A preset; without it, all are listed.")] = "",
    model: Annotated[Path | None, typer.Argument(help="The model: an .onnx file.")] = None,
) -> None:
    """Write the settings of a published detector beside its .onnx file, and try it."""
    from perception.detectors.onnx_presets import apply_preset, load_presets
    from perception.detectors.onnx_settings import PATH_VARIABLE

    if not name:
        for each in load_presets().values():
            out.print(f"{each.name}: {each.about} {each.licence}\n    {each.source}", markup=False)
        return
    with reporting_errors():
        if model is None:
            raise BadInputError(f"no model is named: perception detectors preset {name} FILE.onnx")
        file = apply_preset(name, model)
    out.print(f"{file} has its settings. Use it: {PATH_VARIABLE}={model} and the detector onnx", markup=False)


def _plain(text: str) -> str:
    """A plug-in's text: neither markup nor commands to the terminal."""
    return escape(tame(text))

"""The command line. Results go to standard output, everything else to standard error.

Exit codes: 0 done, 1 failure, 2 bad input with one clear line.

The service is imported where it is run: most commands only talk to one, in another process, and its libraries take
more than a second to load.
"""

from __future__ import annotations

import asyncio
import os
import sys
from enum import Enum
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import grpc
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from perception.client import Client, RemoteError, connect
from perception.errors import BadInputError
from perception.requests import options_of
from perception.server.extract_command import extract
from perception.server.subroutine_commands import app as subroutine_app
from perception.server.subroutine_commands import record
from perception.server.terminal import (
    BAD_INPUT,
    FAILED,
    SETTLE_SECONDS,
    Address,
    Timeout,
    access_options,
    check_writable,
    err,
    failing_clearly,
    hosts_of,
    out,
    page_url_of,
    print_json,
    service_client,
    talks_to_service,
    write,
)
from perception.v1 import detection_service_pb2 as detection_pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

if TYPE_CHECKING:
    from perception.server.settings import Settings

cli = typer.Typer(
    name="perception",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _say_version(asked: bool) -> None:
    if asked:
        out.print(version("perception-service"))
        raise typer.Exit


@cli.callback()
def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Say it, and end.")
    ] = False,
) -> None:
    """The eyes and hands of web agents: fused snapshots of pages, and actions on them, over gRPC."""


class ModeName(Enum):
    """Which senses are used."""

    TEXT = "text"
    FUSED = "fused"
    VISION = "vision"


class EngineName(Enum):
    """Whose word on roles and names is taken."""

    WALKER = "walker"
    AX = "ax"


class ViewName(Enum):
    """How much is said of it."""

    FULL = "full"
    INTERACTIVE = "interactive"
    DIGEST = "digest"


class StyleName(Enum):
    """How elements are written."""

    ROLE_REF = "role-ref"
    COMPACT = "compact"


class FormatName(Enum):
    """What is printed."""

    TEXT = "text"
    JSON = "json"


Annotate = Annotated[Path | None, typer.Option(help="Write the annotated screenshot here (PNG).")]
Output = Annotated[FormatName, typer.Option("--format", help="Text for reading, or the protobuf JSON form.")]


@cli.command()
def serve(
    address: Annotated[str | None, typer.Option(help="HOST:PORT or unix:PATH. Default: 127.0.0.1:50051.")] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Private host that pages may reach: HOST, HOST:PORT, *.NAME, 10.0.0.0/8 or *."),
    ] = None,
    browser: Annotated[
        Path | None, typer.Option(help="Chromium to start. Default: Playwright's, else the system's.")
    ] = None,
    token_file: Annotated[Path | None, typer.Option(help="Who may call: NAME TOKEN on each line.")] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="The service's certificate and its chain (PEM).")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its key (PEM).")] = None,
    tls_client_ca: Annotated[
        Path | None, typer.Option(help="Authority whose certificates clients must show (PEM).")
    ] = None,
    secrets: Annotated[Path | None, typer.Option(help="What clients may have typed by its name (TOML).")] = None,
    cdp_endpoint: Annotated[str | None, typer.Option(help="Use a running Chromium at this CDP address.")] = None,
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser's windows.")] = False,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Accept the risk of Chromium without sandbox.")
    ] = False,
    max_sessions: Annotated[int | None, typer.Option(min=1, help="Sessions open at once. Default: 32.")] = None,
    upload_dir: Annotated[Path | None, typer.Option(help="Folder whose files clients may upload by name.")] = None,
    download_dir: Annotated[
        Path | None, typer.Option(help="Where downloads are kept. Default: they go with their session.")
    ] = None,
    metrics_address: Annotated[
        str | None, typer.Option(help="HOST:PORT where Prometheus fetches metrics. Default: nowhere.")
    ] = None,
    metrics_public: Annotated[
        bool, typer.Option("--metrics-public", help="Let metrics be read from other machines, by anybody.")
    ] = False,
    until_stdin_closes: Annotated[bool, typer.Option(hidden=True)] = False,
) -> None:
    """Run the gRPC service until SIGTERM or Ctrl-C."""
    from perception.server import app as service
    from perception.server import logs
    from perception.server.exposition import served_metrics
    from perception.server.tracing import exported

    given: dict[str, Any] = {
        "address": address,
        "allow_hosts": tuple(allow_host) if allow_host else None,
        "browser_path": browser,
        "token_file": token_file,
        "tls_cert": tls_cert,
        "tls_key": tls_key,
        "tls_client_ca": tls_client_ca,
        "secrets_file": secrets,
        "cdp_endpoint": cdp_endpoint,
        "headless": False if headed else None,
        "sandbox": False if no_sandbox else None,
        "max_sessions": max_sessions,
        "upload_dir": upload_dir,
        "download_dir": download_dir,
        "metrics_address": metrics_address,
        "metrics_public": True if metrics_public else None,
    }
    settings = _settings({name: value for name, value in given.items() if value is not None})

    def ready(port: int) -> None:
        where = settings.address if settings.address.startswith("unix:") else _with_port(settings.address, port)
        if not until_stdin_closes:
            err.print(f"perception serves on {where}")

    with failing_clearly():
        logs.set_up(settings.log_level, settings.log_format, for_good=True)
        with exported(), served_metrics(settings.metrics_address, public=settings.metrics_public):
            asyncio.run(service.serve(settings, ready, service.stdin_closed if until_stdin_closes else None))
    # A model at work in native code cannot be stopped, and the interpreter's own end would abort in the middle of it.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


@cli.command()
@talks_to_service
def snapshot(
    url: Annotated[str, typer.Argument(help="The page, or `demo` for the bundled demo page.")],
    mode: Annotated[ModeName, typer.Option(help="Page facts, both senses, or pixels alone.")] = ModeName.FUSED,
    engine: Annotated[
        EngineName, typer.Option(help="Our walker, or Chromium's accessibility tree.")
    ] = EngineName.WALKER,
    scope: Annotated[
        str | None,
        typer.Option(
            help="viewport, page, or a ref or CSS selector: that part alone. Default: viewport, all of a root."
        ),
    ] = None,
    root: Annotated[
        str, typer.Option(help="Only what lies in this ref (as this command prints it) or CSS selector.")
    ] = "",
    view: Annotated[
        ViewName, typer.Option(help="Everything, what can be acted on, or a line for each region.")
    ] = ViewName.FULL,
    style: Annotated[
        StyleName, typer.Option(help="A line for each element, or as few tokens as can be.")
    ] = StyleName.ROLE_REF,
    output: Output = FormatName.TEXT,
    max_tokens: Annotated[int, typer.Option(min=0, help="Limit on the text (o200k tokens); 0 for none.")] = 0,
    settle: Annotated[
        float, typer.Option(min=0, help="Seconds to wait at most for the page to come to rest.")
    ] = SETTLE_SECONDS,
    image: Annotated[Path | None, typer.Option(help="Write the screenshot here (PNG).")] = None,
    annotate: Annotate = None,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Open a page and print what is on it."""
    with failing_clearly():
        check_writable(image, annotate)
        with page_url_of(url) as page_url, service_client(address, hosts_of(url, page_url), timeout) as client:
            named = {"mode": mode.value, "engine": engine.value, "view": view.value, "style": style.value}
            asked = {"max_tokens": max_tokens, "settle_timeout": settle, **_part_of(scope, root)}
            options = options_of({**named, **asked})
            reply = _look(client, page_url, options, with_image=image is not None, with_annotated=annotate is not None)
        _print_snapshot(reply.snapshot, output)
        _write(image, reply.screenshot, "screenshot")
        _write(annotate, reply.annotated, "annotated image")


cli.command()(talks_to_service(extract))
cli.command()(talks_to_service(record))
cli.add_typer(subroutine_app, name="subroutine")

token_app = typer.Typer(help="Tokens, by which callers are told apart.", no_args_is_help=True)
cli.add_typer(token_app, name="token")


@token_app.callback()
def _tokens() -> None:
    """Tokens, by which callers are told apart."""


@token_app.command("new")
def token_new(name: Annotated[str, typer.Argument(help="Who will show it.")]) -> None:
    """Print a new line for a token file."""
    from perception.server.doors import new_token

    with failing_clearly():
        out.print(new_token(name), markup=False)


@cli.command()
@talks_to_service
def parse(
    image: Annotated[Path, typer.Argument(help="A screenshot: PNG, JPEG, WebP, BMP or GIF.")],
    detector: Annotated[list[str] | None, typer.Option(help="Detector to use; may be repeated.")] = None,
    output: Output = FormatName.TEXT,
    annotate: Annotate = None,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Find what is on any screenshot, by its pixels alone."""
    with failing_clearly():
        check_writable(annotate)
        try:
            data = image.read_bytes()
        except OSError as exc:
            raise BadInputError(f"{image} cannot be read: {exc.strerror}") from exc
        request = detection_pb.ParseImageRequest(
            image=data, detectors=detector or [], include_annotated=annotate is not None
        )
        with service_client(address, (), timeout) as client:
            reply: detection_pb.ParseImageResponse = client.call(client.detection.ParseImage, request)
        _print_snapshot(reply.snapshot, output)
        _write(annotate, reply.annotated, "annotated image")


@cli.command()
@talks_to_service
def detectors(output: Output = FormatName.TEXT, address: Address = "", timeout: Timeout = 60.0) -> None:
    """List detectors: what is installed, what is missing and how to get it."""
    with failing_clearly():
        with service_client(address, (), timeout) as client:
            reply = client.call(client.detection.ListDetectors, detection_pb.ListDetectorsRequest())
        if output is FormatName.JSON:
            print_json(reply)
            return
        table = Table(show_header=False, box=None, pad_edge=False)
        for each in reply.detectors:
            state = "used by default" if each.default_enabled else "installed"
            table.add_row(f"[bold]{each.name}[/]", state if each.installed else escape(each.missing))
            table.add_row("  what", escape(each.description))
            table.add_row("  finds", ", ".join(each.kinds))
            table.add_row("  licence", escape(each.licence))
            if each.model_bytes:
                table.add_row("  models", f"{each.model_bytes / 2**20:.0f} MB")
            if each.languages:
                table.add_row("  languages", ", ".join(each.languages))
            table.add_row("  limits", escape("; ".join(each.limits)))
        Console(highlight=False).print(table)


@cli.command()
@talks_to_service
def health(
    address: Annotated[str, typer.Option(help="HOST:PORT or unix:PATH of the service.")] = "127.0.0.1:50051",
    service: Annotated[
        str, typer.Option(help="One of its services, such as perception.v1.ActionService. Default: all of it.")
    ] = "",
    output: Output = FormatName.TEXT,
    timeout: Timeout = 5.0,
) -> None:
    """Ask a running service whether it serves: exit code 0 if it does, 1 if it does not or nobody answers."""
    with failing_clearly():
        try:
            with connect(address, timeout_s=timeout, **access_options()) as client:
                status = "SERVING" if client.is_serving(service) else "NOT_SERVING"
        except RemoteError as exc:
            if exc.code is grpc.StatusCode.NOT_FOUND and service:
                raise BadInputError(
                    f"{address} has no service {service!r}: ask without --service, or see proto/"
                ) from exc
            if output is FormatName.TEXT or exc.code is not grpc.StatusCode.UNAVAILABLE:
                raise
            status = "UNREACHABLE"
        if output is FormatName.JSON:
            out.print_json(data={"address": address, "service": service, "status": status})
        else:
            out.print(status)
        if status != "SERVING":
            raise typer.Exit(FAILED)


_MARKS = {"ok": "[green]ok[/]  ", "warn": "[yellow]WARN[/]", "fail": "[red]FAIL[/]"}


@cli.command()
def doctor(
    address: Annotated[str | None, typer.Option(help="Where the service is to listen. Default: as for serve.")] = None,
    output: Output = FormatName.TEXT,
) -> None:
    """Check this machine, and say what to fix: exit code 1 if something keeps the service from its work."""
    from perception.server import logs
    from perception.server.doctor import check_machine
    from perception.server.fitness import is_fit

    logs.set_up("error")
    findings = asyncio.run(check_machine(_settings({"address": address} if address else {})))
    if output is FormatName.JSON:
        out.print_json(data={"fit": is_fit(findings), "findings": [finding.json() for finding in findings]})
    else:
        for finding in findings:
            out.print(f"{_MARKS[finding.level.value]} {finding.name}: {escape(finding.detail)}")
            if finding.fix:
                out.print(f"     fix: {escape(finding.fix)}")
    if not is_fit(findings):
        raise typer.Exit(FAILED)


def main() -> None:
    """The `perception` program. Rooms that the server may not import add their commands by entry points."""
    for point in entry_points(group="perception.commands"):
        command = point.load()
        if isinstance(command, typer.Typer):
            cli.add_typer(command, name=point.name)
        else:
            cli.command(point.name)(command)
    cli()


def _part_of(scope: str | None, root: str) -> dict[str, str]:
    """The options that --scope and --root mean.

    Raises:
        BadInputError: the two name different parts, or one names none.
    """
    if scope in ("viewport", "page"):
        return {"scope": scope, **({"root": root} if root else {})}
    part = scope if scope is not None else root
    if root and root != part:
        raise BadInputError(f"--scope {scope} and --root {root} name two parts: give one of them")
    if scope is not None and not scope.strip():
        raise BadInputError("--scope is empty: give viewport, page, a ref or a CSS selector")
    return {"root": part} if part else {}


def _look(
    client: Client, url: str, options: perception_pb.SnapshotOptions, *, with_image: bool, with_annotated: bool
) -> perception_pb.CaptureSnapshotResponse:
    created = client.call(client.sessions.CreateSession, session_pb.CreateSessionRequest(url=url))
    session_id = created.session.session_id
    try:
        if options.root.ref:
            _give_refs(client, session_id, options)
        request = perception_pb.CaptureSnapshotRequest(
            session_id=session_id, options=options, include_screenshot=with_image, include_annotated=with_annotated
        )
        reply: perception_pb.CaptureSnapshotResponse = client.call(client.perception.CaptureSnapshot, request)
        return reply
    finally:
        client.call(client.sessions.CloseSession, session_pb.CloseSessionRequest(session_id=session_id))


def _give_refs(client: Client, session_id: str, options: perception_pb.SnapshotOptions) -> None:
    """A session of its own knows no refs yet: a look like the one that printed them gives them out again, those in
    view first, and those out of view after them."""
    first = perception_pb.SnapshotOptions()
    first.CopyFrom(options)
    first.ClearField("root")
    for scope in (perception_pb.SCOPE_VIEWPORT, perception_pb.SCOPE_PAGE):
        first.scope = scope
        request = perception_pb.CaptureSnapshotRequest(session_id=session_id, options=first)
        reply = client.call(client.perception.CaptureSnapshot, request)
        if any(element.ref == options.root.ref for element in reply.snapshot.elements):
            return


def _print_snapshot(message: pb.Snapshot, output: FormatName) -> None:
    if output is FormatName.JSON:
        print_json(message)
        return
    if message.url:
        err.print(f"{message.title} — {message.url}", markup=False)
    write(message.text)
    for skipped in message.skipped:
        err.print(f"skipped {skipped.name}: {skipped.reason}", markup=False)
    spent = ", ".join(f"{timing.stage} {timing.milliseconds:.0f}" for timing in message.timings)
    left_out = f", {message.omitted_count} left out" if message.omitted_count else ""
    err.print(f"{len(message.elements)} elements{left_out}, {message.token_count} tokens; ms: {spent}", markup=False)


def _write(path: Path | None, image: pb.Image, what: str) -> None:
    if path is not None:
        path.write_bytes(image.data)
        err.print(f"{what}: {path}", markup=False)


def _settings(given: dict[str, Any]) -> Settings:
    from pydantic import ValidationError

    from perception.server.settings import Settings

    try:
        return Settings(**given)
    except ValidationError as exc:
        first = exc.errors()[0]
        err.print(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", markup=False)
        raise typer.Exit(BAD_INPUT) from exc
    except OSError as exc:  # of a folder in one that is closed to this user
        err.print(f"{exc.filename}: {exc.strerror}", markup=False)
        raise typer.Exit(BAD_INPUT) from exc


def _with_port(address: str, port: int) -> str:
    return f"{address.rsplit(':', 1)[0]}:{port}"


if __name__ == "__main__":
    main()

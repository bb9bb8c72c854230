"""Commands that run the service's own code: `serve`, `doctor` and `token`. They come into the program by entry points.

What they run is imported when they run, as its libraries take more than a second to load.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from copy import copy
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from perception import host_os
from perception.errors import BadInputError
from perception.loading import loading
from perception.server.serve_option import Commands, ServeOption
from perception.server.serve_options import OPTIONS
from perception.terminal import FAILED, Output, OutputFormat, err, out, reporting_errors, tame

token = typer.Typer(help="Tokens, which identify callers.", no_args_is_help=True)

_LABELS = {"ok": "[green]ok[/]  ", "warn": "[yellow]WARN[/]", "fail": "[red]FAIL[/]"}


def serve(
    *,
    workers: Annotated[
        str | None,
        typer.Option(
            hidden=True,
            help="With --placement ray: how many to start, or MIN-MAX for as many as sessions ask for. Default: 1.",
        ),
    ] = None,
    idle_worker: Annotated[
        float | None,
        typer.Option(
            hidden=True, min=1, help="With --workers MIN-MAX: an idle one ends after so many s. Default: 300."
        ),
    ] = None,
    cpus: Annotated[
        float | None,
        typer.Option(
            hidden=True, min=0, help="With --placement ray: CPUs of its node that each one takes. Default: 1."
        ),
    ] = None,
    until_stdin_closes: Annotated[bool, typer.Option(hidden=True)] = False,
    ready_file: Annotated[Path | None, typer.Option(hidden=True)] = None,
    **options: Any,
) -> None:
    """Run the gRPC service until SIGTERM or Ctrl-C."""
    given = settings_of(options)
    placement = given.get("placement")
    with reporting_errors():
        of_ray = {"--workers": workers, "--cpus": cpus, "--idle-worker": idle_worker}
        if not given.get("worker"):
            own = {each.flag: given.get(each.setting) for each in OPTIONS if each.of is Commands.WORKER}
            _refuse(own | of_ray, "worker")
        elif _is_on_ray(placement):
            own = {"--worker-name": given.get("worker_name"), "--address": given.get("address")}
            _refuse(own, "worker without --placement ray")
            _start_on_ray(given, workers or "1", 1.0 if cpus is None else cpus, idle_worker)
            return
        else:
            _refuse(of_ray, "worker --placement ray")
        _run_service(given, until_stdin_closes=until_stdin_closes, ready_file=ready_file)
    # A model at work in native code cannot be stopped, and the interpreter's own end would abort in the middle of it.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


OF_RAY_WORKERS = ("workers", "idle_worker", "cpus")
"""Parameters of `serve` that are options of `worker` only, and set no setting."""


def settings_of(options: dict[str, Any]) -> dict[str, Any]:
    """The settings that options set; without those that are not given."""
    by_setting = {each.setting: each for each in OPTIONS}
    return {
        name: by_setting[name].sets if value is True else tuple(value) if isinstance(value, list) else value
        for name, value in options.items()
        if value is not None and value is not False and value != []
    }


def _refuse(given: dict[str, Any], whose: str) -> None:
    """Raises BadInputError for an option that is given and is another command's."""
    for option, value in given.items():
        if value is not None:
            raise BadInputError(f"{option} is an option of `perception {whose}`: use that, or leave it out")


def _is_on_ray(placement: str | None) -> bool:
    """Whether a worker is to run on a Ray cluster, by its option or the environment."""
    from perception.server.placement.ray.address import is_ray

    return is_ray(placement or os.environ.get("PERCEPTION_PLACEMENT", ""))


def _start_on_ray(given: dict[str, Any], wanted: str, cpus: float, idle_s: float | None) -> None:
    """Has nodes of a Ray cluster run workers, and prints each one that serves."""
    from perception.ray_cluster.joining import join
    from perception.server.placement.ray.address import PLACEMENT, address_in
    from perception.server.placement.ray.fleet import start_fleet
    from perception.server.placement.ray.growth import bounds_in
    from perception.server.placement.ray.operating import count_workers, start_workers
    from perception.server.placement.ray.order import order_of

    where = address_in(given.get("placement") or os.environ["PERCEPTION_PLACEMENT"])
    order = order_of(_read_settings(given | {"placement": "local"}), cpus)
    bounds = bounds_in(wanted, idle_s)
    ray = join(where, PLACEMENT).ray
    for each in start_workers(ray, order, bounds.least - count_workers(ray) if bounds.is_fleet else bounds.least):
        out.print(f"{each.name} serves on {each.address}", markup=False)
    if bounds.is_fleet:
        start_fleet(ray, order, bounds)
        out.print(f"{bounds.least} to {bounds.most} workers, as sessions ask for them")


def worker(**given: Any) -> None:
    """Run a worker: it has sessions, and takes calls from edges alone.

    With --placement ray the nodes of a Ray cluster run workers from then on: this command ends when they serve.
    """
    serve(**given, worker=True)


def _parameter(option: ServeOption, **changes: Any) -> inspect.Parameter:
    """The parameter of a command that takes an option."""
    is_flag = option.kind is bool
    shown = {"help": option.help, "min": option.least} | changes
    kind: Any = option.kind if is_flag else option.kind | None
    annotation = Annotated[kind, typer.Option(option.flag, **shown)]
    default = False if is_flag else None
    return inspect.Parameter(option.setting, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _give_options() -> None:
    """Gives `serve` and `worker` the options that set settings, so that each is written once, where the setting is."""
    written = inspect.signature(serve, eval_str=True).parameters.values()
    own = [each for each in written if each.kind is inspect.Parameter.KEYWORD_ONLY]
    hidden = (Commands.WORKER, Commands.NEITHER)
    _take(serve, [*(_parameter(each, hidden=each.of in hidden) for each in OPTIONS), *own])
    where = {"help": "Where it runs: here, or on the nodes of a Ray cluster: ray=auto or ray=HOST:PORT."}
    of_worker = [
        _parameter(each, **where if each.setting == "placement" else {})
        for each in OPTIONS
        if each.of in (Commands.BOTH, Commands.WORKER)
    ]
    shown = [each.replace(annotation=_shown(each.annotation)) if each.name in OF_RAY_WORKERS else each for each in own]
    _take(worker, [*of_worker, *shown])


def _take(command: Any, parameters: list[inspect.Parameter]) -> None:
    command.__signature__ = inspect.Signature(parameters, return_annotation=None)
    command.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": None}


def _shown(kind: Any) -> Any:
    """The annotation of an option that help shows."""
    option = copy(kind.__metadata__[0])
    option.hidden = False
    return Annotated[kind.__origin__, option]


_give_options()


def _run_service(given: dict[str, Any], *, until_stdin_closes: bool, ready_file: Path | None) -> None:
    """Serves until the service is stopped.

    Args:
        given: settings by name; those that are left out come from the environment, or have their default.
        until_stdin_closes: stop also when standard input ends, and say nothing of the address.
        ready_file: file that gets the address as soon as the service listens there.
    """
    with loading():
        from perception.server.process import serve as run_service
        from perception.server.process import stdin_closed
        from perception.server.start_check import check_settings
        from perception.server.telemetry import logs
        from perception.server.telemetry.exposition import served_metrics
        from perception.server.telemetry.trace_export import exported

        settings = _read_settings(given)
    host_os.allow_open_files()
    check_settings(settings)

    def report_ready(port: int, viewer_link: str) -> None:
        where = settings.address if settings.address.startswith("unix:") else _with_port(settings.address, port)
        if ready_file is not None:
            _write_whole(ready_file, where)
        if not until_stdin_closes:
            err.print(f"perception serves on {where}", markup=False)
            if viewer_link:
                err.print(f"the viewer is at {viewer_link}", markup=False)

    logs.set_up(settings.log_level, settings.log_format, for_good=True)
    with exported(), served_metrics(settings.metrics_address, public=settings.metrics_public):
        asyncio.run(run_service(_make, settings, report_ready, stdin_closed if until_stdin_closes else None))


async def _make(settings: Any) -> Any:
    """What is to run: an edge starts without what only sessions need."""
    from perception.server.settings import LOCAL

    with loading():
        if settings.placement == LOCAL:
            return await _make_service(settings)
        from perception.server.placement.edge import Edge

        return Edge(settings)


async def _make_service(settings: Any) -> Any:
    """A service. A browser that is to start ahead does so while the service's own modules load."""
    browsers = (await asyncio.to_thread(import_module, "perception.server.sessions.browsers")).Browsers(settings)
    if settings.start_browser:
        browsers.begin_start()
    try:
        app = await asyncio.to_thread(import_module, "perception.server.app")
    except BaseException:
        await browsers.end_all()
        raise
    return app.Service(settings, browsers=browsers)


def doctor(
    address: Annotated[
        str | None, typer.Option(help="Where the service is to listen. Default: as for `perception serve`.")
    ] = None,
    cluster: Annotated[Path | None, typer.Option(help="Also check this folder of `perception cluster init`.")] = None,
    output: Output = OutputFormat.TEXT,
) -> None:
    """Check this machine, and print what to fix: exit code 1 if something keeps the service from working."""
    from perception.server.doctor import check_machine
    from perception.server.fitness import is_fit
    from perception.server.telemetry import logs

    with reporting_errors():
        logs.set_up("error")
        findings = asyncio.run(check_machine(_read_settings({"address": address, "cluster": cluster})))
    if output is OutputFormat.JSON:
        out.print_json(data={"fit": is_fit(findings), "findings": [finding.json() for finding in findings]})
    else:
        for finding in findings:
            out.print(f"{_LABELS[finding.level.value]} {finding.name}: {escape(tame(finding.detail))}")
            if finding.fix:
                out.print(f"     fix: {escape(finding.fix)}")
    if not is_fit(findings):
        raise typer.Exit(FAILED)


@token.callback()
def _token() -> None:
    """Tokens, which identify callers."""


@token.command("new")
def new_token(
    name: Annotated[str, typer.Argument(help="Who will use it.")],
    rights: Annotated[str, typer.Option(help="What it may do: view, view,control or all. Default: all.")] = "",
) -> None:
    """Print a new line for a token file."""
    from perception.server.auth import token_file

    with reporting_errors():
        out.print(token_file.new_token(name, rights), markup=False)


def _read_settings(given: dict[str, Any]) -> Any:
    """Settings of the options that are given, the environment and the defaults.

    Raises:
        BadInputError: one of them is not valid, or names a folder that cannot be read.
    """
    from pydantic import ValidationError

    from perception.server.environment import how_to_set, unknown_variables
    from perception.server.settings import Settings

    for warning in unknown_variables(os.environ):
        err.print(f"warning: {warning}", markup=False)
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as exc:
        first = exc.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else ""
        where = f"{how_to_set(name)}: " if name in Settings.model_fields else ""
        raise BadInputError(f"{where}{first['msg']}, not {str(first['input'])[:60]!r}") from exc
    except OSError as exc:  # of a folder in one that is closed to this user
        raise BadInputError(f"{exc.filename}: {exc.strerror}") from exc


def _with_port(address: str, port: int) -> str:
    return f"{address.rsplit(':', 1)[0]}:{port}"


def _write_whole(path: Path, text: str) -> None:
    """Writes a file that is either complete or not there."""
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, "utf-8")
    os.replace(part, path)

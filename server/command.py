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

from perception.errors import BadInputError
from perception.terminal import FAILED, Output, OutputFormat, err, out, reporting_errors, tame

token = typer.Typer(help="Tokens, which identify callers.", no_args_is_help=True)

_LABELS = {"ok": "[green]ok[/]  ", "warn": "[yellow]WARN[/]", "fail": "[red]FAIL[/]"}


def serve(
    address: Annotated[str | None, typer.Option(help="HOST:PORT or unix:PATH. Default: 127.0.0.1:50051.")] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Private host that pages may reach: HOST, HOST:PORT, *.NAME, 10.0.0.0/8 or *."),
    ] = None,
    browser: Annotated[
        Path | None, typer.Option(help="Chromium to start. Default: Playwright's, else the system's.")
    ] = None,
    token_file: Annotated[Path | None, typer.Option(help="Who may call: NAME TOKEN [RIGHTS] on each line.")] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="The service's certificate and its chain (PEM).")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="The certificate's private key (PEM).")] = None,
    tls_client_ca: Annotated[
        Path | None, typer.Option(help="Authority that must have signed clients' certificates (PEM).")
    ] = None,
    secrets: Annotated[Path | None, typer.Option(help="Secrets that clients may have typed by name (TOML).")] = None,
    upstream_proxy: Annotated[
        str | None, typer.Option(help="Proxy for public addresses: http://HOST:PORT or socks5://HOST:PORT.")
    ] = None,
    upstream_proxy_secret: Annotated[
        str | None, typer.Option(help="Secret that holds the proxy's USER:PASSWORD.")
    ] = None,
    profile_key: Annotated[
        str | None,
        typer.Option(help="File with the key of profiles (32 bytes in base64), or `keyring`. Default: one of its own."),
    ] = None,
    cdp_endpoint: Annotated[str | None, typer.Option(help="Use a running Chromium at this CDP address.")] = None,
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser's windows.")] = False,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Accept the risk of Chromium without sandbox.")
    ] = False,
    max_sessions: Annotated[int | None, typer.Option(min=1, help="Sessions open at once. Default: 32.")] = None,
    no_look_ahead: Annotated[
        bool, typer.Option("--no-look-ahead", help="Look at pages only when a client asks.")
    ] = False,
    upload_dir: Annotated[Path | None, typer.Option(help="Folder whose files clients may upload by name.")] = None,
    download_dir: Annotated[
        Path | None, typer.Option(help="Where downloads are kept. Default: removed with their session.")
    ] = None,
    metrics_address: Annotated[
        str | None, typer.Option(help="HOST:PORT where Prometheus fetches metrics. Default: none.")
    ] = None,
    metrics_public: Annotated[
        bool, typer.Option("--metrics-public", help="Let other machines read the metrics, without a token.")
    ] = False,
    health_address: Annotated[
        str | None, typer.Option(help="HOST:PORT that answers health alone, to anybody, without TLS. Default: none.")
    ] = None,
    viewer: Annotated[
        str | None, typer.Option(help="HOST:PORT where people watch sessions in a browser. Default: none.")
    ] = None,
    start_browser: Annotated[
        bool, typer.Option("--start-browser", help="Start the browser at once, not with the first session.")
    ] = False,
    idle_exit: Annotated[
        float | None, typer.Option(min=1, help="End after this many seconds without a call. Default: never.")
    ] = None,
    trust_named_hosts: Annotated[
        bool,
        typer.Option(
            "--trust-named-hosts", help="On a Unix socket: a session may reach the host of each URL that it opens."
        ),
    ] = False,
    placement: Annotated[
        str | None,
        typer.Option(
            help="Where sessions are: local, static=HOST:PORT,… of workers, or ray=auto or ray=HOST:PORT for the "
            "workers of a Ray cluster. Default: local."
        ),
    ] = None,
    claim_wait: Annotated[
        float | None,
        typer.Option(
            min=0, help="How many seconds a session waits at an edge for a slot. Default: 0, refused at once."
        ),
    ] = None,
    cluster: Annotated[
        Path | None,
        typer.Option(help="Folder of `perception cluster init`: certificates and keys of edges and workers."),
    ] = None,
    session_keys: Annotated[
        Path | None, typer.Option(help="Keys that session ids are signed with: 32 bytes in base64 a line.")
    ] = None,
    worker: Annotated[bool, typer.Option("--worker", hidden=True)] = False,
    worker_name: Annotated[
        str | None,
        typer.Option(hidden=True, help="Name of this worker, another one for each. Default: its host and port."),
    ] = None,
    grace: Annotated[
        float | None,
        typer.Option(hidden=True, min=0, help="How many seconds its sessions go on when it is to end. Default: 300."),
    ] = None,
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
) -> None:
    """Run the gRPC service until SIGTERM or Ctrl-C."""
    given: dict[str, Any] = {
        "address": address,
        "allow_hosts": tuple(allow_host) if allow_host else None,
        "browser_path": browser,
        "token_file": token_file,
        "tls_cert": tls_cert,
        "tls_key": tls_key,
        "tls_client_ca": tls_client_ca,
        "secrets_file": secrets,
        "upstream_proxy": upstream_proxy,
        "upstream_proxy_secret": upstream_proxy_secret,
        "profile_key": profile_key,
        "cdp_endpoint": cdp_endpoint,
        "headless": False if headed else None,
        "sandbox": False if no_sandbox else None,
        "max_sessions": max_sessions,
        "look_ahead": False if no_look_ahead else None,
        "upload_dir": upload_dir,
        "download_dir": download_dir,
        "metrics_address": metrics_address,
        "metrics_public": True if metrics_public else None,
        "health_address": health_address,
        "viewer": viewer,
        "start_browser": True if start_browser else None,
        "idle_exit_s": idle_exit,
        "trust_named_hosts": True if trust_named_hosts else None,
        "placement": placement,
        "claim_wait_s": claim_wait,
        "cluster": cluster,
        "session_keys": session_keys,
        "worker": True if worker else None,
        "worker_name": worker_name,
        "drain_grace_s": grace,
    }
    with reporting_errors():
        if not worker:
            own = {"--worker-name": worker_name, "--grace": grace, "--workers": workers, "--cpus": cpus}
            _refuse(own | {"--idle-worker": idle_worker}, "worker")
        elif _is_on_ray(placement):
            _refuse({"--worker-name": worker_name, "--address": address}, "worker without --placement ray")
            _start_on_ray(given, workers or "1", 1.0 if cpus is None else cpus, idle_worker)
            return
        else:
            own = {"--workers": workers, "--cpus": cpus, "--idle-worker": idle_worker}
            _refuse(own, "worker --placement ray")
        _run_service(given, until_stdin_closes=until_stdin_closes, ready_file=ready_file)
    # A model at work in native code cannot be stopped, and the interpreter's own end would abort in the middle of it.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


NOT_OF_WORKERS = (
    "claim_wait",
    "viewer",
    "worker",
    "token_file",
    "tls_cert",
    "tls_key",
    "tls_client_ca",
    "trust_named_hosts",
)
"""Options of `serve` that a worker has not: edges authenticate callers."""


OF_WORKERS_ALONE = ("worker_name", "grace", "workers", "cpus", "idle_worker")
"""Parameters of `serve` that are options of `worker` only."""


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

    where = address_in(given["placement"] or os.environ["PERCEPTION_PLACEMENT"])
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


def _give_options_of_serve() -> None:
    """Gives `worker` the options of `serve`, so that each is written once."""
    whole = inspect.signature(serve, eval_str=True)
    kept = [
        each.replace(annotation=_shown(each.annotation)) if name in OF_WORKERS_ALONE else each
        for name, each in whole.parameters.items()
        if name not in NOT_OF_WORKERS
    ]
    where = Annotated[
        str | None,
        typer.Option(help="Where it runs: here, or on the nodes of a Ray cluster: ray=auto or ray=HOST:PORT."),
    ]
    kept = [each.replace(annotation=where) if each.name == "placement" else each for each in kept]
    worker.__signature__ = whole.replace(parameters=kept)  # type: ignore[attr-defined]
    worker.__annotations__ = {each.name: each.annotation for each in kept} | {"return": None}


def _shown(kind: Any) -> Any:
    """The annotation of an option that help shows."""
    option = copy(kind.__metadata__[0])
    option.hidden = False
    return Annotated[kind.__origin__, option]


_give_options_of_serve()


def _run_service(given: dict[str, Any], *, until_stdin_closes: bool, ready_file: Path | None) -> None:
    """Serves until the service is stopped.

    Args:
        given: settings by name; None for those that the environment or the default gives.
        until_stdin_closes: stop also when standard input ends, and say nothing of the address.
        ready_file: file that gets the address as soon as the service listens there.
    """
    from perception.server.process import serve as run_service
    from perception.server.process import stdin_closed
    from perception.server.start_check import check_settings
    from perception.server.telemetry import logs
    from perception.server.telemetry.exposition import served_metrics
    from perception.server.telemetry.trace_export import exported

    settings = _read_settings(given)
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

    if settings.placement != LOCAL:
        from perception.server.placement.edge import Edge

        return Edge(settings)
    return await _make_service(settings)


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
    from perception.server.auth import authenticator as doors

    with reporting_errors():
        out.print(doors.new_token(name, rights), markup=False)


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

"""`perception bench` and `perception ab`: run a suite, compare, report. Reports go to standard output as Markdown, and
to files as HTML, Markdown or JSON; everything else goes to standard error.

Exit codes: 0 done, 1 something failed or got worse, 2 bad input, 130 interrupted (the same command goes on).
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perception.bench.names import Suite
from perception.bench.report.files import put_out

if TYPE_CHECKING:
    from perception.bench.report.model import Report
    from perception.bench.runner import RunReport
    from perception.bench.runstore import Run
    from perception.datasets.manifest import Page
    from perception.datasets.progress import ConsoleProgress

app = typer.Typer(help="Measure, side by side with the peers; compare; report.", no_args_is_help=True)

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130

Datasets = Annotated[
    list[str] | None,
    typer.Option(
        "--dataset", help="A built data set, LAYOUT:FOLDER or FOLDER, of it #train, #dev or #test; repeatable."
    ),
]
Workers = Annotated[int, typer.Option(min=1, max=64, help="Processes side by side. Default: one a core.")]
Limit = Annotated[int, typer.Option(min=0, help="Only the first so many samples of each data set, or pages; 0: all.")]
Html = Annotated[Path | None, typer.Option("--html", help="Write the report as one HTML file.")]
Markdown = Annotated[Path | None, typer.Option("--markdown", help="Write the report as Markdown.")]
Json = Annotated[Path | None, typer.Option("--json", help="Write every number as JSON.")]
Cases = Annotated[int, typer.Option(min=0, help="How many of the worst samples the HTML shows.")]

ROUNDS, SEEDS = 3, 5

CORES = len(os.sched_getaffinity(0))


@app.command()
def run(
    suite: Annotated[Suite, typer.Argument(help="What is measured.")],
    dataset: Datasets = None,
    variant: Annotated[list[str] | None, typer.Option(help="A variant's TOML file or name; may be repeated.")] = None,
    detector: Annotated[list[str] | None, typer.Option(help="For detectors: which; default: all installed.")] = None,
    page: Annotated[
        list[str] | None,
        typer.Option(
            help="For agreement, clicks, content, speed, vision, miniwob: page or task, or `all`; for hangs: part of a "
            "way's name; repeatable."
        ),
    ] = None,
    size: Annotated[
        list[int] | None, typer.Option(min=1, help="For growth: how many controls a page has; repeatable.")
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(min=1, help="For speed, vision, growth, hangs: visits to each page (3); for miniwob: seeds (5)."),
    ] = None,
    workers: Workers = CORES,
    limit: Limit = 0,
    html: Html = None,
    markdown: Markdown = None,
    json_file: Json = None,
) -> None:
    """Run a suite. What an interrupted run of the same has done is kept. Exits with 1 when a sample failed."""
    lost = 0
    with _telling():
        _check_files(html, markdown, json_file)
        if suite is Suite.SPEED:
            found = _speed(page or [], rounds or ROUNDS)
        elif suite is Suite.VISION:
            found = _vision(page or [], rounds or ROUNDS)
        elif suite is Suite.GROWTH:
            found = _growth(size or [], rounds or ROUNDS)
        elif suite is Suite.HANGS:
            found = _hangs(page or [], rounds or ROUNDS)
        elif suite is Suite.MINIWOB:
            found = _miniwob(page or [], variant, rounds or SEEDS)
        elif suite is Suite.AGREEMENT:
            found = _agreement(page or [], limit)
            lost = len(found.skipped)
        elif suite is Suite.CLICKS:
            found, lost = _clicks(page or [], limit)
        elif suite is Suite.SELECTORS:
            found, lost = _selectors(page or [], limit)
        elif suite is Suite.CONTENT:
            found, lost = _content(page or [], limit)
        elif suite is Suite.HIDDEN:
            found = _hidden(page or [], dataset, limit)
            lost = len(found.skipped)
        elif suite is Suite.DETECTORS:
            found, lost = _detectors(dataset, detector or [], workers, limit)
        else:
            found, lost = _lists(suite, dataset, variant, workers, limit)
        put_out(found, html, markdown, json_file)
    if lost:
        raise typer.Exit(FAILED)


@app.command("list")
def list_runs() -> None:
    """The stored runs, the latest first."""
    from perception.bench.runstore import load_run, run_names
    from perception.datasets.packages import home_folder
    from perception.errors import BadInputError

    home = home_folder()
    for name in run_names(home):
        try:
            stored = load_run(home, name)
        except BadInputError as exc:  # one of another version hides no other
            typer.echo(f"left out {exc}", err=True)
            continue
        typer.echo(
            f"{name}  {stored.facts.started}  {len(stored.done())} samples of {', '.join(stored.facts.datasets)}  "
            f"commit {stored.facts.machine.get('commit', '?')}"
        )


@app.command()
def compare(
    before: Annotated[str, typer.Argument(help="A run's name, the beginning of it, or its folder.")],
    after: Annotated[str, typer.Argument(help="The run to hold against it.")],
    html: Html = None,
    markdown: Markdown = None,
    json_file: Json = None,
) -> None:
    """Hold two stored runs against each other. Exits with 1 when a measure got worse."""
    from perception.bench.regress import compare_stored
    from perception.bench.runstore import load_run
    from perception.datasets.packages import home_folder

    with _telling():
        _check_files(html, markdown, json_file)
        home = home_folder()
        found, worse = compare_stored(load_run(home, before), load_run(home, after), home, _command())
        put_out(found, html, markdown, json_file)
    if worse:
        raise typer.Exit(FAILED)


@app.command()
def report(
    stored: Annotated[str, typer.Argument(help="A run's name, the beginning of it, or its folder.")],
    html: Html = None,
    markdown: Markdown = None,
    json_file: Json = None,
    cases: Cases = 12,
) -> None:
    """Make the report of a stored run again, with the scores of today's code."""
    from perception.bench.runstore import load_run
    from perception.datasets.packages import home_folder

    with _telling():
        _check_files(html, markdown, json_file)
        home = home_folder()
        put_out(_report_of(load_run(home, stored), home, cases), html, markdown, json_file)


def ab(
    a: Annotated[str, typer.Argument(help="A variant's TOML file, or the name of one: text, fused, vision.")],
    b: Annotated[str, typer.Argument(help="The variant to hold against it.")],
    dataset: Datasets = None,
    workers: Workers = CORES,
    limit: Limit = 0,
    html: Html = None,
    markdown: Markdown = None,
    json_file: Json = None,
    cases: Cases = 12,
    llm: Annotated[str, typer.Option(help="Also let this model of an OpenAI-compatible endpoint choose.")] = "",
    llm_url: Annotated[str, typer.Option(help="Its address up to /v1.")] = "http://127.0.0.1:8000/v1",
    llm_key_variable: Annotated[str, typer.Option(help="Environment variable with its key, if it wants one.")] = "",
    llm_price_in: Annotated[float, typer.Option(min=0, help="Its price for a million tokens it reads.")] = 0.0,
    llm_price_out: Annotated[float, typer.Option(min=0, help="Its price for a million tokens it writes.")] = 0.0,
    llm_max_cost: Annotated[float, typer.Option(min=0, help="Stop asking when it has cost so much; 0: never.")] = 0.0,
) -> None:
    """Hold two ways of looking against each other, paired by sample. Exits with 1 when a sample failed."""
    with _telling():
        _check_files(html, markdown, json_file)
        from perception.bench.suites import run_looks
        from perception.bench.variant import load_variant
        from perception.datasets.packages import home_folder

        variants = load_variant(a), load_variant(b)
        home = home_folder()
        with _progress(f"{variants[0].name} against {variants[1].name}") as progress:
            done, outcome = run_looks(
                variants, dataset or ["packages", "twins"], home, workers=workers, limit=limit, progress=progress
            )
        lost = _tell(done, outcome)
        if llm:
            from perception.bench.llm import Endpoint, LlmPolicy, Prices
            from perception.bench.llm_run import ask_all

            policy = LlmPolicy(
                Endpoint(llm_url, llm, llm_key_variable),
                prices=Prices(llm_price_in, llm_price_out) if llm_price_in or llm_price_out else None,
                max_cost=llm_max_cost or None,
            )
            with _progress(llm) as progress:
                typer.echo(ask_all(done, home, policy, progress), err=True)
        put_out(_report_of(done, home, cases), html, markdown, json_file)
    if lost:
        raise typer.Exit(FAILED)


def _report_of(stored: Run, home: Path, cases: int) -> Report:
    from perception.bench.ab import ab_report
    from perception.bench.lists import list_report
    from perception.bench.scoring import score_run
    from perception.bench.suites import DETECT, LOOKS
    from perception.errors import BadInputError

    if stored.facts.suite == DETECT:
        return _detector_report([stored], home)
    if stored.facts.suite != LOOKS:
        raise BadInputError(f"run {stored.facts.id} is of kind {stored.facts.suite}: it has no report of this form")
    scored = score_run(stored, home)
    if len(stored.facts.who) == 2:
        return ab_report(stored, scored, home, cases=cases, command=_command())
    return list_report(Suite.REACHABILITY, stored, scored, _command())


def _lists(
    suite: Suite, dataset: list[str] | None, variant: list[str] | None, workers: int, limit: int
) -> tuple[Report, int]:
    from perception.bench.lists import list_report
    from perception.bench.scoring import score_run
    from perception.bench.suites import DATASETS, VARIANTS, run_looks
    from perception.bench.variant import load_variant
    from perception.datasets.packages import home_folder

    home = home_folder()
    variants = [load_variant(each) for each in variant or VARIANTS[suite]]
    with _progress(suite.value) as progress:
        done, outcome = run_looks(
            variants, dataset or DATASETS[suite], home, workers=workers, limit=limit, progress=progress
        )
    lost = _tell(done, outcome)
    return list_report(suite, done, score_run(done, home), _command()), lost


def _agreement(page: Sequence[str], limit: int) -> Report:
    import asyncio

    from perception.bench.agreement import judge
    from perception.bench.agreement_report import agreement_report
    from perception.bench.machine import machine_facts
    from perception.bench.served import serve_pages
    from perception.bench.treeread import read_pages
    from perception.datasets import load_manifest
    from perception.datasets.manifest import Page
    from perception.datasets.render import Visit
    from perception.datasets.shapes import DESKTOP

    known = load_manifest().pages
    with serve_pages(page or tuple(known), _say) as urls, _progress(Suite.AGREEMENT.value) as progress:
        # A page of our own is in no manifest.
        pages_of = {each: known.get(each) or Page(each, "/", "own", origin="own") for each in urls}
        visits = [Visit(pages_of[each], DESKTOP, url) for each, url in urls.items()][: limit or None]
        progress.start(len(visits))
        pages, failed, browser = asyncio.run(read_pages(visits, progress.done))
    return agreement_report(judge(pages), failed, machine_facts(browser), _command())


def _clicks(page: Sequence[str], limit: int) -> tuple[Report, int]:
    from perception.bench.clicks import run_clicks
    from perception.bench.clicks_report import clicks_report

    return _on_pages(Suite.CLICKS, page, limit, run_clicks, clicks_report)


def _selectors(page: Sequence[str], limit: int) -> tuple[Report, int]:
    from perception.bench.selectors import run_selectors
    from perception.bench.selectors_report import selectors_report

    return _on_pages(Suite.SELECTORS, page, limit, run_selectors, selectors_report)


def _content(page: Sequence[str], limit: int) -> tuple[Report, int]:
    from perception.bench.content import run_content
    from perception.bench.content_report import content_report
    from perception.bench.extras import TRAFILATURA, require

    require("reading content side by side", TRAFILATURA)
    return _on_pages(Suite.CONTENT, page, limit, run_content, content_report)


def _on_pages(
    suite: Suite,
    page: Sequence[str],
    limit: int,
    run: Callable[[Mapping[str, str], Mapping[str, Page], Callable[[str, str], None]], Coroutine[Any, Any, Any]],
    report: Callable[[Any, Mapping[str, str], str], Report],
) -> tuple[Report, int]:
    """Visits live pages, a spread over all projects where none are named; and how many failed."""
    import asyncio

    from perception.bench.clicks import usual_pages
    from perception.bench.machine import machine_facts
    from perception.bench.served import serve_pages
    from perception.datasets import load_manifest
    from perception.datasets.make import PACKAGES, is_in

    known = load_manifest().pages
    usual = usual_pages(each for each in known.values() if is_in(PACKAGES, each))
    with serve_pages(page or usual, _say) as urls, _progress(suite.value) as progress:
        visited = dict(list(urls.items())[: limit or None])
        progress.start(len(visited))
        found = asyncio.run(run(visited, known, progress.done))
    return report(found, machine_facts(found.browser), _command()), len(found.failed)


def _hidden(page: Sequence[str], dataset: list[str] | None, limit: int) -> Report:
    import asyncio

    from perception.bench.alarms import judge_live, judge_stored
    from perception.bench.hidden import look_at_cases
    from perception.bench.hidden_report import hidden_report
    from perception.bench.machine import machine_facts
    from perception.bench.scoring import records_of
    from perception.bench.served import serve_pages
    from perception.bench.suites import DATASETS
    from perception.bench.tricks import cases
    from perception.datasets import load_manifest
    from perception.datasets.manifest import SMOKE
    from perception.datasets.packages import home_folder
    from perception.datasets.render import Visit
    from perception.datasets.shapes import DESKTOP

    failed: dict[str, str] = {}
    with serve_pages(page or [SMOKE], _say) as urls, _progress(Suite.HIDDEN.value) as progress:

        def told(what: str, why: str) -> None:
            progress.done(what, why)
            if why:
                failed[what] = why

        known = load_manifest().pages
        visits = [Visit(known[each], DESKTOP, url) for each, url in urls.items() if each in known][: limit or None]
        progress.start(len(cases()) + len(visits))
        verdicts, browser = asyncio.run(look_at_cases(cases(), told))
        alarms = asyncio.run(judge_live(visits, told))
        alarms += judge_stored(records_of(dataset or DATASETS[Suite.HIDDEN], home_folder(), limit=limit), told)
    return hidden_report(verdicts, alarms, failed, machine_facts(browser), _command())


def _detectors(dataset: list[str] | None, names: list[str], workers: int, limit: int) -> tuple[Report, int]:
    from perception.bench.detecting import installed_detectors
    from perception.bench.extras import METRICS, require
    from perception.bench.suites import DATASETS, run_detector
    from perception.datasets.packages import home_folder
    from perception.errors import BadInputError

    require("judging detectors", METRICS)
    home = home_folder()
    wanted, missing = installed_detectors(names)
    for name, why in missing.items():
        typer.echo(f"without {name}: {why}", err=True)
    if not wanted:
        raise BadInputError(f"none of {', '.join(names)} can be used here: name others, or none for all that can")
    runs, lost = [], 0
    for name in wanted:
        with _progress(name) as progress:
            done, outcome = run_detector(
                name, dataset or DATASETS[Suite.DETECTORS], home, workers=workers, limit=limit, progress=progress
            )
        lost += _tell(done, outcome)
        runs.append(done)
    return _detector_report(runs, home), lost


def _detector_report(runs: Sequence[Run], home: Path) -> Report:
    from perception.bench.detecting import default_detectors, detectors_report, score_detectors

    scores, skipped = score_detectors(runs, default_detectors(), home)
    return detectors_report(scores, skipped, runs, _command())


def _miniwob(tasks: Sequence[str], variant: list[str] | None, seeds: int) -> Report:
    import asyncio

    from perception.bench.episodes import miniwob_report, write_played
    from perception.bench.machine import machine_facts
    from perception.bench.miniwob import run_miniwob
    from perception.bench.served import serve_pages
    from perception.bench.suites import VARIANTS
    from perception.bench.variant import load_variant
    from perception.datasets.make import MINIWOB
    from perception.datasets.packages import home_folder

    variants = [load_variant(each) for each in variant or VARIANTS[Suite.MINIWOB]]
    browsers: list[str] = []
    with serve_pages(tasks or [MINIWOB], _say) as urls, _progress(MINIWOB) as progress:
        progress.start(len(urls) * seeds * len(variants))
        played = asyncio.run(
            run_miniwob(
                urls,
                range(1, seeds + 1),
                variants,
                on_played=lambda each: progress.done(f"{each.episode.name} {each.who}", each.error),
                on_browser=browsers.append,
            )
        )
    path = write_played(home_folder(), played)
    typer.echo(f"wrote {path}", err=True)
    return miniwob_report(played, variants, machine_facts(browsers[0]), _command())


def _speed(page: Sequence[str], rounds: int) -> Report:
    import asyncio

    from perception.bench.served import CONTROLS, DEMO, serve_pages
    from perception.bench.speed import run_speed
    from perception.bench.speed_report import speed_report, write_measured
    from perception.datasets.manifest import SMOKE
    from perception.datasets.packages import home_folder

    with serve_pages(page or [DEMO, SMOKE, CONTROLS], _say) as urls, _progress(Suite.SPEED.value) as progress:
        progress.start(len(urls) * rounds)
        measured = asyncio.run(run_speed(urls, rounds=rounds, apart=[CONTROLS], on_visited=progress.done))
    typer.echo(f"wrote {write_measured(home_folder(), measured)}", err=True)
    return speed_report(measured, _command())


def _vision(page: Sequence[str], rounds: int) -> Report:
    import asyncio
    from dataclasses import replace

    from perception.bench.detecting import installed_detectors
    from perception.bench.extras import METRICS, require
    from perception.bench.readers import OURS, THEIRS, compare_readers, dense_pictures
    from perception.bench.served import serve_pages
    from perception.bench.vision import PAGES, run_vision
    from perception.bench.vision_report import vision_report, write_seen
    from perception.datasets.packages import home_folder
    from perception.errors import BadInputError

    require("judging readers", METRICS)
    for name, why in installed_detectors([OURS, THEIRS])[1].items():
        raise BadInputError(f"{name}, which is measured here, cannot be used: {why}")
    with serve_pages(page or PAGES, _say) as urls, _progress(Suite.VISION.value) as progress:
        progress.start(len(urls) * rounds)
        seen = asyncio.run(run_vision(urls, rounds=rounds, on_visited=progress.done))
    with _progress(f"{OURS} and {THEIRS}") as progress:
        seen = replace(seen, readers=compare_readers(dense_pictures(home_folder()), progress))
    typer.echo(f"wrote {write_seen(home_folder(), seen)}", err=True)
    return vision_report(seen, _command())


def _growth(sizes: Sequence[int], rounds: int) -> Report:
    import asyncio

    from perception.bench.growth import SIZES, run_growth
    from perception.bench.growth_report import growth_report, write_grown
    from perception.datasets.packages import home_folder

    with _progress(Suite.GROWTH.value) as progress:
        grown = asyncio.run(run_growth(sorted(set(sizes or SIZES)), rounds=rounds, progress=progress))
    typer.echo(f"wrote {write_grown(home_folder(), grown)}", err=True)
    return growth_report(grown, _command())


def _hangs(wanted: Sequence[str], rounds: int) -> Report:
    import asyncio

    from perception.bench.hangs import Ran, run_hangs
    from perception.bench.hangs_report import hangs_report, write_ran
    from perception.bench.hangways import ways
    from perception.bench.machine import machine_facts
    from perception.datasets.packages import home_folder
    from perception.errors import BadInputError

    chosen = [way for way in ways() if not wanted or any(part in way.id for part in wanted)]
    if not chosen:
        raise BadInputError(f"no way's name has {' or '.join(wanted)} in it: leave --page out for all of them")
    with _progress(Suite.HANGS.value) as progress:
        progress.start(rounds * len(chosen))

        def told(ran: Ran) -> None:
            progress.done(ran.way, ran.after)

        ran, censuses, browser = asyncio.run(run_hangs(chosen, rounds=rounds, on_ran=told))
    typer.echo(f"wrote {write_ran(home_folder(), ran, censuses)}", err=True)
    return hangs_report(ran, censuses, machine_facts(browser), _command())


def _say(line: str) -> None:
    typer.echo(line, err=True)


@contextmanager
def _telling() -> Iterator[None]:
    """Ends the program with one line for bad input, and with what to do for Ctrl-C."""
    from perception.errors import BadInputError

    try:
        yield
    except BadInputError as exc:
        typer.echo(f"error: {exc}", err=True)
        raise typer.Exit(BAD_INPUT) from exc
    except KeyboardInterrupt as exc:
        typer.echo("interrupted: what is done is kept; the same command goes on from here", err=True)
        raise typer.Exit(INTERRUPTED) from exc


@contextmanager
def _progress(title: str) -> Iterator[ConsoleProgress]:
    from perception.datasets.progress import ConsoleProgress

    with ConsoleProgress(title) as progress:
        yield progress


def _tell(stored: Run, outcome: RunReport) -> int:
    """How a run went, on standard error; how many samples it lost. Each problem was said as it came."""
    lost = f", {len(outcome.failed)} failed" if outcome.failed else ""
    lost += f", {len(outcome.broken)} broken records" if outcome.broken else ""
    typer.echo(f"{stored.facts.id}: {outcome.done} samples done, {outcome.kept} there already{lost}", err=True)
    return len(outcome.failed) + len(outcome.broken)


def _check_files(html: Path | None, *others: Path | None) -> None:
    """Whether the reports' files can be written: before the work, so that it is not lost. Folders are made."""
    from perception.bench.extras import HTML, require
    from perception.errors import BadInputError

    if html is not None:
        require("a report as HTML", HTML)
    for path in filter(None, (html, *others)):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise BadInputError(f"{path} cannot be written: its folder cannot be made ({exc.strerror})") from exc
        if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
            raise BadInputError(f"{path} cannot be written: it is a folder, or read-only")


def _command() -> str:
    """What was typed, to be typed again."""
    return shlex.join(["perception", *sys.argv[1:]])

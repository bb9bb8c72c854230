"""`perception bench` and `perception ab`: run a suite, list the stored runs, report, compare.

Reports go to standard output as Markdown, and to files as HTML, Markdown or JSON; everything else goes to standard
error. Exit codes: 0 done, 1 something failed or got worse, 2 bad input, 130 interrupted.
"""

from __future__ import annotations

import inspect
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup

from perception.bench.report.output_files import write_report
from perception.bench.suite import (
    ReportContext,
    Result,
    Suite,
    SuiteContext,
    load_suite,
    no_suite,
    suite_names,
    suite_of_run,
)
from perception.bench.suite_options import CORES, Datasets, Limit, Workers
from perception.errors import BadInputError, PerceptionError, first_line

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report
    from perception.bench.run_store import Run
    from perception.datasets.progress import ConsoleProgress

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130

Html = Annotated[Path | None, typer.Option("--html", help="Write the report as one HTML file.")]
Markdown = Annotated[Path | None, typer.Option("--markdown", help="Write the report as Markdown.")]
Json = Annotated[Path | None, typer.Option("--json", help="Write every number as JSON.")]
Cases = Annotated[int, typer.Option(min=0, help="How many of the worst samples the HTML shows.")]


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """Files that a report is written to besides standard output; None: not in that format."""

    html: Path | None
    markdown: Path | None
    json: Path | None

    def check(self) -> None:
        """Checks the files before the work, so that it is not lost. Creates folders. Raises BadInputError for an
        unwritable file."""
        from perception.bench.extras import HTML_LIBRARIES, require

        if self.html is not None:
            require("a report as HTML", HTML_LIBRARIES)
        for path in filter(None, (self.html, self.markdown, self.json)):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as exc:
                raise BadInputError(f"{path} cannot be written: its folder cannot be made ({exc.strerror})") from exc
            if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
                raise BadInputError(f"{path} cannot be written: it is a folder, or read-only")

    def write(self, report: Report) -> None:
        """Writes Markdown to standard output, and the files."""
        write_report(report, self.html, self.markdown, self.json)


class SuiteGroup(TyperGroup):
    """A command for each suite. A suite's package is imported when its command is requested."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of all suites."""
        return suite_names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The suite's command. Fails if there is no such suite."""
        return suite_command(load_suite(cmd_name)) if cmd_name in suite_names() else ctx.fail(no_suite(cmd_name))


app = typer.Typer(help="Measure, beside the peers; list, report and compare what was measured.", no_args_is_help=True)
app.add_typer(
    typer.Typer(
        cls=SuiteGroup,
        no_args_is_help=True,
        help="Run a suite, store its result, and report it. Exits with 1 when an input failed or was found wrong.",
    ),
    name="run",
)


def suite_command(suite: Suite[Any, Any], run: Callable[[Any, ReportFiles], None] | None = None) -> Any:
    """The command that runs a suite: the fields of its options are the command's options.

    Args:
        run: what is done with the options; by default `run_suite`.
    """
    run = run or partial(run_suite, suite)

    def command(html: Path | None, markdown: Path | None, json_file: Path | None, **values: Any) -> None:
        run(suite.options(**values), ReportFiles(html, markdown, json_file))

    hints = get_type_hints(suite.options, include_extras=True)
    parameters = [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if each.default is MISSING else each.default,
            annotation=hints[each.name],
        )
        for each in fields(suite.options)
    ]
    for name, annotation in (("html", Html), ("markdown", Markdown), ("json_file", Json)):
        parameters.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation))
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    single.command(suite.name, help=inspect.getdoc(suite.options), short_help=suite.summary)(command)
    return typer.main.get_command(single)


def options_of(suite: Suite[Any, Any], words: Sequence[str]) -> Any:
    """The options of a suite that words of a command line stand for. Raises click.UsageError for wrong ones."""
    found: list[Any] = []
    suite_command(suite, lambda options, _: found.append(options)).main(list(words), standalone_mode=False)
    return found[0]


def run_suite(suite: Suite[Any, Any], options: Any, files: ReportFiles) -> None:
    """Runs a suite, stores the result and writes the report. Raises typer.Exit if anything failed."""
    from perception.bench.run_store import keep_result

    with _exit_codes(resumes=suite.resumes):
        files.check()
        context = _context()
        result = suite.run(options, context)
        if not result.streamed:
            stored = keep_result(context.home, result.facts, result.data, result.failed)
            context.say(f"stored as {stored.facts.id}")
        files.write(report_of(suite, result, ReportContext(context.home, _command())))
    if result.failed:
        raise typer.Exit(FAILED)


def report_of(suite: Suite[Any, Any], result: Result[Any], context: ReportContext) -> Report:
    """The report of a result, dated by its run."""
    return replace(suite.report(result, context), made=result.facts.started)


@app.command("list")
def list_runs() -> None:
    """The stored runs, latest first."""
    from perception.bench.run_store import load_run, run_names
    from perception.paths import home_folder

    home = home_folder()
    for name in run_names(home):
        try:
            stored = load_run(home, name)
        except BadInputError as exc:  # a run of another version must not hide the others
            typer.echo(f"left out {exc}", err=True)
            continue
        commit = stored.facts.machine.get("commit", "?")
        typer.echo(f"{name}  {stored.facts.started}  {_content_of(stored)}  commit {commit}")


def _content_of(stored: Run) -> str:
    """The content of a stored run, in words."""
    inputs = ", ".join(stored.facts.datasets)
    if stored.has_result():
        return f"a result on {inputs}" if inputs else "a result"
    return f"{len(stored.done())} samples of {inputs}"


@app.command()
def compare(
    before: Annotated[
        str, typer.Argument(help="A run's name, the beginning of it, or its folder; or a folder of published files.")
    ],
    after: Annotated[str, typer.Argument(help="What is compared with it.")],
    html: Html = None,
    markdown: Markdown = None,
    json_file: Json = None,
) -> None:
    """Compare two stored runs of one suite, or two sets of published files. Exits with 1 when a measure got worse."""
    from perception.bench.run_store import load_run
    from perception.bench.stored_comparison import compare_stored
    from perception.paths import home_folder

    files = ReportFiles(html, markdown, json_file)
    with _exit_codes():
        files.check()
        home = home_folder()
        if all(Path(each).is_dir() and not (Path(each) / "run.json").exists() for each in (before, after)):
            found, worse = _of_clone("compare").compare_published(Path(before), Path(after), _command())
        else:
            found, worse = compare_stored(load_run(home, before), load_run(home, after), home, _command())
        files.write(found)
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
    from perception.bench.run_store import load_run
    from perception.paths import home_folder

    files = ReportFiles(html, markdown, json_file)
    with _exit_codes():
        files.check()
        home = home_folder()
        run = load_run(home, stored)
        suite = suite_of_run(run.facts)
        files.write(report_of(suite, suite.load(run, home), ReportContext(home, _command(), cases, again=True)))


@app.command()
def publish(
    suites: Annotated[list[str] | None, typer.Argument(help="Suites of the plan. Default: all of them.")] = None,
    only_documents: Annotated[
        bool, typer.Option("--documents", help="Measure nothing: fill README and docs from the published files.")
    ] = False,
) -> None:
    """Run the suites of bench/published/plan.toml on the commit that is checked out, keep what they found, and fill
    README and docs from it. Suites that are published for this commit are not run again. Exits with 1 when an input
    failed."""
    failed = 0
    with _exit_codes(resumes=True):
        if not only_documents:
            plan = _of_clone("plan")
            chosen, measure = plan.choose(plan.read_plan(), suites or []), _of_clone("measure")
            failed = measure.measure(chosen, measure.Checkout().commit(), _context())
        documents, published = _of_clone("documents"), _of_clone("published").read_published()
        for path in documents.write(published):
            _say(f"wrote {path}")
        documents.print_parts(published)
    if failed:
        raise typer.Exit(FAILED)


@app.command()
def trend(html: Html = None, markdown: Markdown = None, json_file: Json = None) -> None:
    """Show how the published figures changed from commit to commit."""
    files = ReportFiles(html, markdown, json_file)
    with _exit_codes():
        files.check()
        files.write(_of_clone("trend").trend(_command()))


def _of_clone(name: str) -> Any:
    """A module of `perception.bench.publish`, which is not installed. Raises BadInputError where it is not there."""
    try:
        return import_module(f"perception.bench.publish.{name}")
    except ModuleNotFoundError as exc:
        if exc.name != "perception.bench.publish":
            raise
        raise BadInputError("published figures are those of a clone of the repository: run this from one") from exc


def ab(
    a: Annotated[str, typer.Argument(help="A variant's TOML file, or the name of one: text, fused, vision.")],
    b: Annotated[str, typer.Argument(help="The variant that is compared with it.")],
    dataset: Datasets = None,
    workers: Workers = CORES,
    limit: Limit = 0,
    html: Html = None,
    markdown: Markdown = None,
    json_file: Json = None,
    cases: Cases = 12,
    llm: Annotated[str, typer.Option(help="Also let this model of an OpenAI-compatible endpoint choose.")] = "",
    llm_url: Annotated[str, typer.Option(help="Its address up to /v1.")] = "http://127.0.0.1:8000/v1",
    llm_key_variable: Annotated[str, typer.Option(help="Environment variable with its key, if it needs one.")] = "",
    llm_price_in: Annotated[float, typer.Option(min=0, help="Its price for a million tokens it reads.")] = 0.0,
    llm_price_out: Annotated[float, typer.Option(min=0, help="Its price for a million tokens it writes.")] = 0.0,
    llm_max_cost: Annotated[float, typer.Option(min=0, help="Stop asking when it has cost so much; 0: never.")] = 0.0,
) -> None:
    """Compare two ways of looking, paired by sample. Exits with 1 when a sample failed."""
    files = ReportFiles(html, markdown, json_file)
    with _exit_codes(resumes=True):
        files.check()
        from perception.bench.extras import HTTP_LIBRARIES, require
        from perception.bench.lists.ab_report import ab_report
        from perception.bench.lists.list_suite import LookStep, run_variants
        from perception.bench.lists.score_run import score_run

        if llm:
            require("asking a language model", HTTP_LIBRARIES)
        context = _context()
        step = LookStep(f"{a} against {b}", (a, b), dataset or ("packages", "twins"), workers, limit)
        done, lost = run_variants(step, context)
        if llm:
            from perception.bench.llm.llm_policy import LlmPolicy
            from perception.bench.llm.questions import ask_all
            from perception.llm.endpoint import Endpoint, Prices

            policy = LlmPolicy(
                Endpoint(llm_url, llm, llm_key_variable),
                prices=Prices(llm_price_in, llm_price_out) if llm_price_in or llm_price_out else None,
                max_cost=llm_max_cost or None,
            )
            with _progress(llm) as progress:
                context.say(ask_all(done, context.home, policy, progress))
        scored = score_run(done, context.home)
        files.write(ab_report(done, scored, context.home, cases=cases, command=_command()))
    if lost:
        raise typer.Exit(FAILED)


def _context() -> SuiteContext:
    from perception.paths import home_folder

    return SuiteContext(home_folder(), _progress, _say)


def _say(line: str) -> None:
    typer.echo(line, err=True)


@contextmanager
def _exit_codes(*, resumes: bool = False) -> Iterator[None]:
    """Ends the program with one line for bad input, for errors of the service or the browser, and for Ctrl-C.

    Args:
        resumes: the same command continues after Ctrl-C.
    """
    try:
        yield
    except BadInputError as exc:
        typer.echo(f"error: {exc}", err=True)
        raise typer.Exit(BAD_INPUT) from exc
    except Exception as exc:
        if not _is_own(exc):
            raise
        typer.echo(f"error: {first_line(exc)}", err=True)
        raise typer.Exit(FAILED) from exc
    except KeyboardInterrupt as exc:
        kept = ": what is done is kept; the same command goes on from here" if resumes else ": nothing is stored"
        typer.echo(f"interrupted{kept}", err=True)
        raise typer.Exit(INTERRUPTED) from exc


def _is_own(error: Exception) -> bool:
    """Whether an error's message is sufficient: one of ours, or a service's answer."""
    from perception.client import RemoteError  # loads gRPC

    return isinstance(error, PerceptionError | RemoteError)


@contextmanager
def _progress(title: str) -> Iterator[ConsoleProgress]:
    from perception.datasets.progress import ConsoleProgress

    with ConsoleProgress(title) as progress:
        yield progress


def _command() -> str:
    """The command line, as it can be typed again."""
    return shlex.join(["perception", *sys.argv[1:]])

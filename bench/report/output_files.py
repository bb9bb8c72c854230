"""Writes a report to standard output and to the requested files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from perception.bench.report.report_model import Report


def write_report(found: Report, html: Path | None, markdown: Path | None, json_file: Path | None) -> None:
    """Markdown on standard output, and the requested files."""
    from perception.bench.report.json_form import render_json
    from perception.bench.report.markdown_form import render_markdown

    def as_html(report: Report) -> str:
        from perception.bench.report.html_form import render_html  # with the libraries of the extra

        return render_html(report)

    typer.echo(render_markdown(found))
    for path, render in ((html, as_html), (markdown, render_markdown), (json_file, render_json)):
        if path is not None:
            path.write_text(render(found), encoding="utf-8", errors="replace")
            typer.echo(f"wrote {path}", err=True)

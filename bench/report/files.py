"""A report where it was asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from perception.bench.report.model import Report


def put_out(found: Report, html: Path | None, markdown: Path | None, json_file: Path | None) -> None:
    """Markdown on standard output, and the files that were asked for."""
    from perception.bench.report.json_form import render_json
    from perception.bench.report.markdown import render_markdown

    def as_html(report: Report) -> str:
        from perception.bench.report.html import render_html  # with the libraries of the extra

        return render_html(report)

    typer.echo(render_markdown(found))
    for path, render in ((html, as_html), (markdown, render_markdown), (json_file, render_json)):
        if path is not None:
            path.write_text(render(found), encoding="utf-8", errors="replace")
            typer.echo(f"wrote {path}", err=True)

"""Documents made from published files: blocks of theirs are filled.

<!-- published SUITE [PART] summary -->      the findings, as a list
<!-- published SUITE [PART] TABLE -->        a table of the report, by its id
<!-- published SUITE parts -->               the measures of the parts beside each other
…what stands here is made…
<!-- /published -->
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from perception.bench.publish.published import FOLDER, QUIET_SHARE, Part, Published
from perception.bench.report.formats import format_cell
from perception.bench.report.markdown_form import inline, table_lines
from perception.bench.report.report_model import ColumnUnit
from perception.errors import BadInputError
from perception.terminal import err

DOCUMENTS = tuple(FOLDER.parents[1] / name for name in ("README.md", "docs/benchmarks.md"))

APART = 0.03
"""A difference of two shares between the parts of a suite that is marked: what was fitted shows as such a gap."""

_BLOCK = re.compile(r"(<!-- published (?P<words>[^>]*?) -->\n).*?(<!-- /published -->)", re.DOTALL)


def fill(text: str, published: Mapping[str, Published]) -> str:
    """A document with its blocks filled. Raises BadInputError for a block that names no table of its suite."""
    return _BLOCK.sub(lambda block: f"{block[1]}{_content(block['words'].split(), published)}{block[3]}", text)


def unwritten(published: Mapping[str, Published]) -> dict[Path, str]:
    """The documents that are not as the published files have them, and what they are to be."""
    texts = {path: path.read_text("utf-8") for path in DOCUMENTS}
    return {path: new for path, text in texts.items() if (new := fill(text, published)) != text}


def write(published: Mapping[str, Published]) -> list[Path]:
    """Fills the documents. Returns those that changed."""
    changed = unwritten(published)
    for path, text in changed.items():
        path.write_text(text, "utf-8")
    return list(changed)


def _content(words: list[str], published: Mapping[str, Published]) -> str:
    suite, *part, what = words
    found = published.get(suite)
    if found is None:
        return f"Not published yet: `perception bench publish {suite}`.\n"
    if what == "parts":
        return "\n".join(_parts(found)) + "\n"
    of = found.part(*part)
    if of is None:
        raise BadInputError(f"{suite} has no part {part[0]!r}: it has {', '.join(each.name for each in found.parts)}")
    if what == "summary":
        return "\n".join([*(f"- {inline(line)}" for line in of.summary), "", _source(found, of)]) + "\n"
    table = next((each for each in of.tables if each.id == what), None)
    if table is None:
        raise BadInputError(f"{suite} has no table {what!r}: it has {', '.join(each.id for each in of.tables)}")
    return "\n".join([*table_lines(table), "", _source(found, of)]) + "\n"


def _source(found: Published, part: Part) -> str:
    quiet = "" if part.busy <= QUIET_SHARE else f", while other work took {part.busy:.0%} of the machine"
    failed = f"; {part.failed} inputs failed" if part.failed else ""
    return f"`{part.command}`, commit {found.commit}, {part.started[:10]}{quiet}{failed}."


def _parts(found: Published) -> Iterator[str]:
    """Means of the shares of each part, side by side."""
    names = [part.name for part in found.parts]
    yield "| who | measure | " + " | ".join(names) + " | apart |"
    yield "|---|---|" + "--:|" * (len(names) + 1)
    means = {part.name: _shares(part) for part in found.parts}
    for who, measure in dict.fromkeys(key for of in means.values() for key in of):
        values = [means[name].get((who, measure)) for name in names]
        known = [value for value in values if value is not None]
        apart = max(known) - min(known)
        shown = format_cell(apart, ColumnUnit.DIFFERENCE)
        cells = [format_cell(value, ColumnUnit.SHARE) for value in values]
        yield (
            f"| {inline(who)} | {inline(measure)} | "
            + " | ".join(cells)
            + f" | {f'**{shown}**' if apart > APART else shown} |"
        )
    yield ""
    yield from (f"{part.name}: {_source(found, part)}" for part in found.parts)


def _shares(part: Part) -> dict[tuple[str, str], float]:
    """Means that are shares: in [0, 1], of measures that can be better or worse."""
    rated = {
        name for name, rule in part.rules.items() if rule.higher_is_better is not None and rule.scale == "difference"
    }
    return {key: mean for key, mean in part.means().items() if key[1] in rated and 0 <= mean <= 1}


def print_parts(published: Mapping[str, Published]) -> None:
    """Prints the measures of suites that have parts beside each other; in red where they are far apart."""
    for found in published.values():
        if sum(bool(_shares(part)) for part in found.parts) > 1:
            err.print(f"{found.suite}:", markup=False)
            for line in _parts(found):
                err.print(line, markup=False, style="red" if "**" in line else None)

"""The report of `agreement`."""

from __future__ import annotations

from collections.abc import Mapping

from perception.bench.report.report_model import Cell, Column, ColumnUnit, Report, Table
from perception.bench.suites.agreement.judgment import Agreement, AgreementCounts, ComparedNode, NodeKind

COUNTED = {
    NodeKind.CONTROL: "what one operates, by its role",
    NodeKind.CONTENT: "everything else that has a name there and may have one: headings, images, landmarks, cells, …",
    NodeKind.NAMELESS: "generic elements, cells of layout tables and the like, which ARIA leaves without names",
    NodeKind.OTHER: "everything else but text",
}


def agreement_report(found: Agreement, failed: Mapping[str, str]) -> Report:
    """The report of a run. `failed`: why pages could not be read, by page."""
    tables = (_kinds(found), _roles(found), _differences(found), _examples(found))
    return Report(
        title="Agreement with Chromium's accessibility tree",
        summary=tuple(
            _say(kind, found.kinds[kind]) for kind in (NodeKind.CONTROL, NodeKind.CONTENT) if found.kinds[kind].of
        ),
        facts={"pages": str(found.pages)},
        tables=tables,
        skipped=tuple(f"{page}: {why}" for page, why in failed.items()),
    )


def _say(kind: NodeKind, agreed: AgreementCounts) -> str:
    shares = [
        f"{what} {count / agreed.of:.2%}" for what, count in (("role and name", agreed.both), ("role", agreed.role))
    ]
    return f"{kind}: {', '.join(shares)}, name {agreed.name / agreed.of:.2%} of {agreed.of} nodes."


def _kinds(found: Agreement) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (str(kind), each.of, *_shares(each), each.ours_alone, COUNTED[kind])
        for kind, each in found.kinds.items()
        if each.of
    ]
    if found.words.of:
        share = found.words.hit / found.words.of
        rows.append(("words of the text", int(found.words.of), None, None, None, share, None, "as they are drawn"))
    columns = (
        Column("nodes of the tree"),
        Column("count", ColumnUnit.COUNT),
        Column("same role", ColumnUnit.SHARE),
        Column("same name", ColumnUnit.SHARE),
        Column("both", ColumnUnit.SHARE),
        Column(
            "in the list",
            ColumnUnit.SHARE,
            "a snapshot of the whole page has a line for it; options are said with their list",
        ),
        Column("named by us alone", ColumnUnit.COUNT, "counted as the same name"),
        Column("what they are"),
    )
    note = (
        "All nodes that the tree does not ignore, in every frame, in view or not, at one size of the window. Case, "
        "white space and icon glyphs do not count. Words of the text are compared with all that a snapshot of the page "
        "says."
    )
    return Table("agreement", "Against the accessibility tree", columns, tuple(rows), note)


def _shares(agreed: AgreementCounts) -> tuple[float, ...]:
    return tuple(count / agreed.of for count in (agreed.role, agreed.name, agreed.both, agreed.listed))


def _roles(found: Agreement) -> Table:
    rows: list[tuple[Cell, ...]] = [(role, each.of, *_shares(each)[:3]) for role, each in found.roles.items()]
    columns = (
        Column("role in the tree"),
        Column("nodes", ColumnUnit.COUNT),
        Column("same role", ColumnUnit.SHARE),
        Column("same name", ColumnUnit.SHARE),
        Column("both", ColumnUnit.SHARE),
    )
    return Table("roles", "Controls and named content, by role", columns, tuple(rows))


def _differences(found: Agreement) -> Table:
    columns = (Column("what differs"), Column("nodes", ColumnUnit.COUNT), Column("why"))
    rows = tuple((each.what, each.nodes, each.why) for each in found.differences)
    return Table("differences", "What differs, and why", columns, rows)


def _examples(found: Agreement) -> Table:
    columns = tuple(Column(title) for title in ("what differs", "page", "in the tree", "with us", "element"))
    rows = tuple(_example(each.what, page, node) for each in found.differences for page, node in each.examples)
    return Table("examples", "For example", columns, rows)


def _example(what: str, page: str, node: ComparedNode) -> tuple[Cell, ...]:
    theirs, ours = f'{node.role} "{node.name[:100]}"', f'{node.our_role} "{node.our_name[:100]}"'
    return (what, page, theirs, ours, node.markup)

"""Fuzzes parsers: selectors, queries, cursors, batches, stored subroutines, a page's HTML."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from random import Random
from typing import Any

from perception.bench.suites.fuzz.outcomes import PartOutcome
from perception.bench.suites.fuzz.random_values import STRINGS, mutate, text
from perception.browser.page.selector_syntax import join_frames, split_hops
from perception.errors import PerceptionError
from perception.extract import main_content, plain_text, split_markdown, to_markdown
from perception.geometry import Box
from perception.render.tokens import count_tokens
from perception.render.untrusted import Fence, unmarked
from perception.search.find import Question, find_elements
from perception.subroutines.arguments import check_arguments
from perception.subroutines.batch_rows import read_rows, resume
from perception.subroutines.stored import Stored, files_of, read_files
from perception.types import Element, Scroll, Viewport

PARSER_CASE_SECONDS = 2.0
"""Of the processor: no parser takes more for text of these sizes, and what else the machine does is not counted."""

MAX_PARSED_TEXT = 20_000
"""Characters: longer request text is refused or cut before it is parsed."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 5}, "count": {"type": "number"}, "on": {"type": "boolean"}},
    "required": ["name"],
}

STORED = Stored("add-1", "add", "", "https://a.org", "dom", "", SCHEMA, 1.0, ("r1",), body="x", context="y")

TAGS = (
    "p",
    "div",
    "ul",
    "li",
    "table",
    "tr",
    "td",
    "pre",
    "code",
    "a href=x",
    "h1",
    "h6",
    "b",
    "blockquote",
    "main",
    "img",
)

PARSED_ELEMENTS = tuple(
    Element(role, name, Box(10 * at, 10, 10 * at + 8, 20), ref=f"e{at}", interactive=True)
    for at, (role, name) in enumerate([("button", "Save"), ("textbox", "Name"), ("text", "Title"), ("link", "")])
)


def _selector(random: Random) -> None:
    hops = split_hops(
        "".join(random.choice((text(random), " >>> ", '"', "[", "\\", "a")) for _ in range(4))[:MAX_PARSED_TEXT]
    )
    again = split_hops(join_frames([hops]))
    assert again == hops or any("\\" in hop or '"' in hop or "'" in hop or "[" in hop for hop in hops), (hops, again)


def _query(random: Random) -> None:
    words = (
        "second",
        "Save",
        "button",
        "next to",
        "right of",
        "in the",
        "'",
        '"',
        "top",
        "icon",
        "last",
        "Delete",
        ",",
    )
    query = " ".join(random.choice((*words, text(random)[:100])) for _ in range(random.randrange(8)))[:1000]
    found = find_elements(PARSED_ELEMENTS, Question(query, limit=5), Viewport(800, 600, 1.0), Scroll(0, 0, 800, 600))
    assert all(0 <= each.score <= 1 for each in found)


def _rows(random: Random) -> None:
    lines = [json.dumps({"name": text(random)[:9], random.choice(("count", "on", "x")): random.choice((1, "1", True))})]
    lines += [random.choice(STRINGS) for _ in range(random.randrange(3))]
    lines.append(f"name,count\n{text(random)[:50]},{random.choice(STRINGS)}")
    random.shuffle(lines)
    read_rows("\n".join(lines), SCHEMA, is_csv=random.random() < 0.5)


def _results(random: Random) -> None:
    rows, _ = read_rows('{"name":"a"}\n{"name":"b"}', SCHEMA, is_csv=False)
    values: tuple[Any, ...] = (1, 2, "1", None, [], {}, 1.5, 10**30, "x", True)
    lines = [
        json.dumps(
            {
                "row": random.choice(values),
                "state": random.choice(("begun", "ended", 1)),
                "sent": random.choice(values),
                "statuses": random.choice((*values, [random.choice(values)])),
                "reason": random.choice((*values, "REFUSED")),
            }
        )
        for _ in range(3)
    ]
    lines.append(random.choice((*STRINGS, "[]", "{}", '{"row":', "1", "null", '{"row": NaN}', '{"row": Infinity}')))
    resume(rows, "\n".join(lines), retry_failed=random.random() < 0.5)


def _arguments(random: Random) -> None:
    values: tuple[Any, ...] = (
        1,
        1.5,
        float("nan"),
        float("inf"),
        "x",
        "x" * 100,
        None,
        [],
        ["a"],
        [1],
        {},
        True,
        10**400,
    )
    names = ("name", "count", "on", "other", "")
    check_arguments(SCHEMA, {random.choice(names): random.choice(values) for _ in range(3)})


def _stored(random: Random) -> None:
    files = files_of(STORED)
    name = random.choice(list(files))
    if random.random() < 0.1:
        del files[name]
    else:
        files[name] = mutate(files[name], random)
    read_files(files)


def _html(random: Random) -> None:
    made = []
    for _ in range(random.randrange(1, 30)):
        tag = random.choice(TAGS)
        made.append(random.choice((f"<{tag}>", f"</{tag.split()[0]}>", text(random)[:200], "<", ">", "&", "|", "```")))
    html = "".join(made)
    markdown = to_markdown(main_content(html) if random.random() < 0.3 else html)
    plain_text(html)
    for piece in split_markdown(markdown, 50):
        assert count_tokens(piece) <= 50, (count_tokens(piece), piece)
    assert unmarked(Fence().around(markdown)).removesuffix("\n") == markdown.removesuffix("\n")


PARSERS: tuple[Callable[[Random], None], ...] = (_selector, _query, _rows, _results, _arguments, _stored, _html)


def try_parser(seed: int, number: int) -> tuple[str, str]:
    """The result of a case, and what is wrong with it; empty if nothing is."""
    random = Random(f"{seed} parsers {number}")
    kind = PARSERS[number % len(PARSERS)]
    start = time.thread_time()
    code, why = "read", ""
    try:
        kind(random)
    except PerceptionError as exc:
        code = exc.reason
        why = "" if exc.reason != PerceptionError.reason and "\n" not in str(exc) else f"{type(exc).__name__}: {exc}"
    except Exception as exc:  # this is the subject of the test
        code, why = type(exc).__name__, f"{kind.__name__}: {type(exc).__name__}: {str(exc)[:500]}"
    spent = time.thread_time() - start
    return code, why or (f"{kind.__name__} took {spent:.1f} s of the processor" if spent > PARSER_CASE_SECONDS else "")


async def fuzz_parsers(cases: int, seed: int) -> PartOutcome:
    outcome = PartOutcome("parsers")
    start = time.monotonic()
    await asyncio.to_thread(_try_all, outcome, cases, seed)
    outcome.seconds = time.monotonic() - start
    return outcome


def _try_all(outcome: PartOutcome, cases: int, seed: int) -> None:
    for number in range(cases):
        code, why = try_parser(seed, number)
        outcome.count(code)
        if why:
            outcome.fail(number, f"seed {seed}", why)

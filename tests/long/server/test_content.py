"""ExtractContent over real gRPC: what a person reads, as markdown, in pieces."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.errors import UnknownCursorError
from perception.render.tokens import count_tokens
from perception.render.untrusted import PAIR_TOKENS, unmarked
from perception.server.extraction.pagination import PagedAnswers, PagedContent
from perception.v1 import extraction_service_pb2 as pb
from perception.v1.extraction_service_pb2_grpc import ExtractionServiceStub
from tests.support.ligature_font import ICON_STYLE
from tests.support.live import Show

Read = Callable[..., Awaitable[pb.ExtractContentResponse]]


@pytest.fixture
def reader(shared_page: AsyncPage) -> AsyncPage:
    """Reading changes nothing."""
    return shared_page


@pytest.fixture
def show(write: Show) -> Show:
    return write


@pytest.fixture
def read(client: AsyncClient, reader: AsyncPage) -> Read:
    """Reads the page; fields as those of the request."""
    return lambda **fields: read_page(client, reader, **fields)


async def read_page(client: AsyncClient, page: AsyncPage, **fields: Any) -> pb.ExtractContentResponse:
    request = pb.ExtractContentRequest(session_id=page.session_id, **fields)
    reply: pb.ExtractContentResponse = await client.call(ExtractionServiceStub(client.channel).ExtractContent, request)
    return reply


async def markdown_of(show: Show, read: Read, html: str, **fields: Any) -> str:
    await show(f"<!doctype html><body>{html}")
    return words_of(await read(**fields))


def words_of(reply: pb.ExtractContentResponse) -> str:
    """What the page says, without the lines that mark it."""
    return unmarked(reply.markdown).removesuffix("\n")


PINNED_GRID = """<div role=grid><div style="display:flex"><div role=rowgroup>
<div role=row aria-rowindex=1><div role=columnheader aria-colindex=1>Name</div></div></div><div role=rowgroup>
<div role=row aria-rowindex=1><div role=columnheader aria-colindex=2>Age</div>
<div role=columnheader aria-colindex=3>City</div></div></div></div><div style="display:flex"><div role=rowgroup>
<div role=row aria-rowindex=3><div role=gridcell aria-colindex=1>Bo</div></div>
<div role=row aria-rowindex=2><div role=gridcell aria-colindex=1>Al</div></div></div><div role=rowgroup>
<div role=row aria-rowindex=3 aria-colindex=3><div role=gridcell>Rome</div></div>
<div role=row aria-rowindex=2 aria-colindex=2><div role=gridcell>41</div><div role=gridcell>Oslo</div></div>
</div></div></div>"""


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        pytest.param("<h1>A <pre>v1</pre></h1>", "# A `v1`", id="code-in-a-heading"),
        pytest.param(
            "<h1>A <small>b</small></h1><div role=heading aria-level=3>C</div>", "# A b\n\n### C", id="headings"
        ),
        pytest.param("<p>One <b>two</b>\n <i>three</i>four<br>five", "One **two** *three*four\\\nfive", id="marks"),
        pytest.param("a<br><br>b", "a\n\nb", id="an-empty-line-parts-paragraphs"),
        pytest.param("<ul><li>a<ul><li>b</ul><li><div>c</div></ul>", "- a\n  - b\n- c", id="lists"),
        pytest.param("<ol start=7><li>a<li>b</ol>", "7. a\n8. b", id="numbers"),
        pytest.param(
            "<div role=list><div role=listitem>a</div><div role=listitem>b</div></div>", "- a\n- b", id="list-roles"
        ),
        pytest.param(
            "<table><tr><th>A<th>B<tr><td>1<td><p>2</p><p>3|4</p><tr><td colspan=2>wide</table>",
            "| A | B |\n| --- | --- |\n| 1 | 2<br>3\\|4 |\n| wide | |",
            id="table",
        ),
        pytest.param(
            "<div role=table><div role=row><div role=cell>a</div><div role=cell></div></div></div>",
            "| a |  |\n| --- | --- |",
            id="table-roles",
        ),
        pytest.param(
            "<table border=1><tbody><tr><th>A<th>B<th>C<tr><td rowspan=0>x<td rowspan=2>y<td>1<tr hidden><td>9"
            "<tr><td>2<tr><td> <td> <tr><td>3<td>4</tbody><tbody><tr><td>z<td>5<td>6</tbody></table>",
            "| A | B | C |\n| --- | --- | --- |\n| x | y | 1 |\n|  |  | 2 |\n|  | 3 | 4 |\n| z | 5 | 6 |",
            id="cells-over-several-rows",
        ),
        pytest.param(
            "<table border=1><tr><th>A<th>B<tr><td colspan=100>wide<tr><td>1<td>2</table>",
            "| A | B |\n| --- | --- |\n| wide | |\n| 1 | 2 |",
            id="cell-wider-than-the-table",
        ),
        pytest.param(
            PINNED_GRID,
            "| Name | Age | City |\n| --- | --- | --- |\n| Al | 41 | Oslo |\n| Bo |  | Rome |",
            id="pinned-columns",
        ),
        pytest.param(
            "<div role=table><div role=row><b role=columnheader>A</b> <b role=columnheader>B</b></div>"
            "<div role=rowgroup style='display:grid;grid-template-columns:60px 60px'><i role=cell>1</i>"
            "<i role=cell>2<br>2</i><i role=cell>3</i><i role=cell style='align-self:end'>4</i>"
            "<i role=cell>5</i></div></div>",
            "| A | B |\n| --- | --- |\n| 1 | 2<br>2 |\n| 3 | 4 |\n| 5 |  |",
            id="cells-without-rows",
        ),
        pytest.param(
            "<table border=1><col><col style='visibility:collapse'><col><tr><td colspan=2>a<td>b"
            "<tr><td>1<td>2<td>3</table>",
            "| a | | b |\n| --- | --- | --- |\n| 1 |  | 3 |",
            id="collapsed-column",
        ),
        pytest.param("<table><tr><td><p>Left<p>More<td>Right</table>", "Left\n\nMore\n\nRight", id="layout-table"),
        pytest.param(
            "<table border=1><tr><th>A<tr><td><table border=1><tr><td>b<td>c</table></table>",
            "| A |\n| --- |\n| b<br>c |",
            id="table-in-table",
        ),
        pytest.param(
            "<pre class='lang-py'>a_b(*c)\n\n  d  e</pre><p><code>x*y*z</code>",
            "```py\na_b(*c)\n\n  d  e\n```\n\n`x*y*z`",
            id="code",
        ),
        pytest.param(
            "<pre><span style='display:block'>one</span><span style='display:block'>two</span></pre>",
            "```\none\ntwo\n```",
            id="code-of-blocks",
        ),
        pytest.param(
            "<blockquote>Q<footer>W</footer></blockquote><hr>x", "> Q\n>\n> W\n\n---\n\nx", id="quote-and-rule"
        ),
        pytest.param(
            "<p><del>o</del><ins>n</ins> x<sup>2</sup> <q>q</q> <ruby>漢<rt>かん</rt></ruby>",
            "~~o~~n x^2 “q” 漢(かん)",
            id="edits-and-more",
        ),
        pytest.param("<dl><dt>T<dd>D</dl>", "**T**\n\nD", id="terms"),
        pytest.param(
            "<div style='display:flex;gap:9px'><span>Price</span><b>$10</b><div>In stock</div></div>",
            "Price **$10** In stock",
            id="one-line-of-blocks",
        ),
        pytest.param(
            "<button>Save</button><button>Close</button><input type=submit value=Send>", "Save Close Send", id="buttons"
        ),
        pytest.param(
            "<p>Name<span class=r></span><style>.r::after{content:' (required)'}</style>",
            "Name (required)",
            id="generated",
        ),
        pytest.param("<p style='white-space:pre-line'>a\nb</p>", "a\\\nb", id="kept-line-ends"),
        pytest.param(
            "<details><summary>S</summary>gone</details><details open><summary>T</summary>there</details>",
            "S\n\nT\n\nthere",
            id="details",
        ),
        pytest.param(
            "<svg width=99 height=30><title>Chart</title><text x=5 y=20>Q1</text><text x=50 y=20>Q2</text></svg>",
            "Q1 Q2",
            id="text-in-a-drawing",
        ),
        pytest.param(
            "<p>Price<svg width=9 height=9 role=img aria-label=Info><circle r=9 /></svg>here</p>"
            "<canvas aria-label='Sales'></canvas><div role=img aria-label='Stars' style='width:9px;height:9px'></div>",
            "Price Info here\n\nSales\n\nStars",
            id="named-pictures",
        ),
        pytest.param(
            "<p>日本語の<b>太字</b>です。<p dir=rtl>שלום <b>עולם</b>",
            "日本語の**太字**です。\n\nשלום **עולם**",  # noqa: RUF001  (Hebrew)
            id="other-scripts",
        ),
        pytest.param("<div contenteditable>Typed <b>text</b></div>", "Typed **text**", id="editor"),
        pytest.param("<p>\ue5cfa</p>", "a", id="icon-fonts"),
        pytest.param(
            "<div style='height:90px;overflow:auto'><p style='margin-top:400px'>In a scroller</div>"
            "<p style='margin-top:4000px'>Far down",
            "In a scroller\n\nFar down",
            id="out-of-view",
        ),
        pytest.param(
            "<div style='position:sticky;top:0;height:80px;background:red'>Bar</div>"
            "<p style='margin-top:-50px'>Under it<p style='height:3000px'>Below",
            "Bar\n\nUnder it\n\nBelow",
            id="under-a-bar-that-stays",
        ),
    ],
)
async def test_what_a_person_reads_is_written(show: Show, read: Read, html: str, markdown: str) -> None:
    assert await markdown_of(show, read, html) == markdown


STRUCK = "<style>.old{text-decoration:line-through}del.new{text-decoration:none}</style>"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        pytest.param("Price <span class=old>25</span>19", "Price ~~25~~19", id="by-its-style"),
        pytest.param("<del class=new>7</del> <span role=deletion>8</span>", "7 8", id="undecorated-deletion"),
        pytest.param("<ul><li class=old>a<p>b</p><li>c</ul>", "- ~~a~~\n\n  ~~b~~\n\n- c", id="item"),
        pytest.param(
            "<table border=1><tr class=old><td>1<td><code>k</code><tr><td>2<td>3</table>",
            "| ~~1~~ | ~~`k`~~ |\n| --- | --- |\n| 2 | 3 |",
            id="row",
        ),
        pytest.param("<a href=/x class=old>a <b>5</b></a> 4", "~~[a **5**](/x)~~ 4", id="link"),
        pytest.param(
            "<p class=old>a <i style='display:inline-block'>b</i> c<i style='float:right'>d</i></p>",
            "~~a~~ *b* ~~c~~\n\n*d*",
            id="boxes-that-it-leaves-out",
        ),
    ],
)
async def test_text_is_struck_where_a_line_is_painted_through_it(
    show: Show, read: Read, html: str, markdown: str
) -> None:
    assert await markdown_of(show, read, f"{STRUCK}{html}") == markdown


@pytest.mark.parametrize("space", ["\u00a0", "\u202f", "\u2009", " "])
async def test_a_space_of_any_kind_parts_words(show: Show, read: Read, space: str) -> None:
    html = (
        f"<p>a <b>10</b>{space}kg <a href=/x>5</a>{space}new <b>7{space}</b>8 <code>5</code>{space}6 1{space}<i>000</i>"
        f"<p><math><mtext>if{space}</mtext><mi>n</mi></math>"
    )
    text = await markdown_of(show, read, html)
    words = "if n" if space != " " else "ifn"  # space that is collapsed around a token (MathML Core, 2.1.7)
    assert text == f"a **10** kg [5](/x) new **7** 8 `5` 6 1 *000*\n\n{words}"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        pytest.param("<ol type=a><li>x<li>y</ol>", "- a. x\n- b. y", id="letters"),
        pytest.param("<ol type=I start=4><li>x<li>y</ol>", "- IV. x\n- V. y", id="roman"),
        pytest.param("<ol><li style='display:inline'>x<li style='display:inline'>y</ol>", "- x\n- y", id="no-markers"),
        pytest.param("<ol style='list-style:disc'><li>x</ol>", "- x", id="bullets-in-a-numbered-list"),
        pytest.param("<ul style='list-style:decimal'><li>x<li>y</ul>", "1. x\n2. y", id="numbers-in-another-list"),
        pytest.param("<ol><li>x<li style='visibility:hidden'>y<li><li>z</ol>", "1. x\n4. z", id="unseen-items-count"),
        pytest.param("<ol><li>x<li style='display:none'>y<li>z</ol>", "1. x\n2. z", id="unpainted-items-do-not"),
        pytest.param("<ol reversed><li>x<li>y</ol>", "2. x\n1. y", id="reversed"),
        pytest.param("<ol start=7><li>x<li value=9>y<li>z</ol>", "7. x\n9. y\n10. z", id="given"),
        pytest.param(
            "<style>li::marker{content:'No ' counter(list-item) ': '}</style><ol><li>x<li>y</ol>",
            "- No 1: x\n- No 2: y",
            id="words-of-the-author",
        ),
        pytest.param("<ol><li>x<ol type=i><li>y</ol><li>z</ol>", "1. x\n   - i. y\n2. z", id="letters-within-numbers"),
        pytest.param(
            "<table border=1><tr><td><ol><li>x<li>y</ol><td>z</table>",
            "| 1. x<br>2. y | z |\n| --- | --- |",
            id="in-a-cell",
        ),
    ],
)
async def test_items_have_the_numbers_that_are_painted(show: Show, read: Read, html: str, markdown: str) -> None:
    assert await markdown_of(show, read, html) == markdown


@pytest.mark.parametrize(
    ("drawing", "words"),
    [
        pytest.param("<text x=5 y=20>5</text><text x=5 y=50>6</text>", "5 6", id="below-each-other"),
        pytest.param("<g><text x=5 y=20>5</text></g><g><text x=99 y=60>6</text></g>", "5 6", id="in-groups"),
        pytest.param("<text x=5 y=20>Q<tspan font-weight=bold>1</tspan></text>", "Q1", id="parts-that-touch"),
        pytest.param(
            "<text><tspan x=5 y=20>One</tspan><tspan x=5 dy=20>two</tspan></text>", "One two", id="lines-of-a-text"
        ),
        pytest.param(
            "<text x=5 y=20><tspan stroke='#fff' stroke-width=3>71.5</tspan><tspan x=5>71.5</tspan></text>",
            "71.5",
            id="outline",
        ),
        pytest.param(
            "<text x=6 y=21 fill='#ccc'>71.5</text><text x=5 y=20>71.5</text><text x=5 y=50>71.5</text>",
            "71.5 71.5",
            id="shadow",
        ),
        pytest.param("<text x=5 y=20>CO<tspan dy=4 font-size=10>2</tspan></text>", "CO_2", id="lowered"),
    ],
)
async def test_each_text_of_a_drawing_is_said_once_and_apart(show: Show, read: Read, drawing: str, words: str) -> None:
    assert await markdown_of(show, read, f"<svg width=200 height=99>{drawing}</svg>") == words


@pytest.mark.parametrize(
    ("html", "words"),
    [
        pytest.param("<p><q>a <q>b</q></q>", "“a ‘b’”", id="no-language"),  # noqa: RUF001  (quotation marks)
        pytest.param("<p lang=de><q>a <q>b</q></q>", "„a ‚b‘“", id="german"),  # noqa: RUF001  (quotation marks)
        pytest.param("<p lang=fr-CA><q>a <q>b</q></q>", "«a ”b“»", id="region"),
        pytest.param("<p lang=fi-FI><q>a <q>b</q></q>", "”a ’b’”", id="region-without-its-own"),  # noqa: RUF001  (quotation marks)
        pytest.param("<p lang=de><q lang=fr>a <q>b</q></q>", "„a «b»“", id="of-the-text-around"),
        pytest.param("<p lang=ja><q>a</q>", "「a」", id="japanese"),
        pytest.param("<p><q style=\"quotes:'«' '»' '/' '|'\">a <q>b</q></q>", "«a /b|»", id="by-style"),
        pytest.param("<p>a <q style='quotes:none'>b</q>", "a b", id="none"),
        pytest.param("<p lang=de><q style='display:inline-block'>a</q>", "„a“", id="box"),
    ],
)  # fmt: skip
async def test_quotations_have_the_marks_that_are_painted(
    show: Show, reader: AsyncPage, read: Read, html: str, words: str
) -> None:
    assert await markdown_of(show, read, html) == words
    assert f'"{words}"' in (await reader.snapshot(mode="text")).text


async def test_generated_words_without_a_width_are_none(show: Show, read: Read) -> None:
    style = "<style>.z::after{content:'\\200b';display:inline-block}</style>"
    html = f"{style}<table border=1><tr><td class=z><div>11</div><td>x</table>"
    assert await markdown_of(show, read, html) == "| 11 | x |\n| --- | --- |"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        pytest.param("<a href='/a b?x=1#y'>L</a>", "[L](/a%20b?x=1#y)", id="own-site"),
        pytest.param("<a href='https://example.com/x'>L</a>", "[L](https://example.com/x)", id="other-site"),
        pytest.param("<a href='#top'>L</a>", "[L](#top)", id="own-page"),
        pytest.param("<a href='javascript:x()'>L</a> <a>M</a>", "L M", id="no-address"),
        pytest.param("<a href=mailto:a@b.c>L</a>", "[L](mailto:a@b.c)", id="mail"),
        pytest.param("<a href=/c><h3>Head</h3><p>Text</p></a>", "### [Head](/c)\n\nText", id="around-blocks"),
        pytest.param(
            "<a href=/g aria-label=Git><svg width=9 height=9><circle r=9 /></svg></a>", "[Git](/g)", id="icon"
        ),
        pytest.param(
            "<img src=/a.png alt='A | B' width=9 height=9><img src=/b.png alt='' width=9 height=9>",
            "![A | B](/a.png)",
            id="picture",
        ),
        pytest.param(
            "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' alt=A width=9 height=9>", "A", id="data-picture"
        ),
    ],
)
async def test_addresses_are_within_the_site_where_they_can_be(
    show: Show, read: Read, html: str, markdown: str
) -> None:
    assert await markdown_of(show, read, html) == markdown


async def test_words_that_a_font_draws_as_icons_are_not_read(show: Show, read: Read) -> None:
    await show(f"{ICON_STYLE}<p><i>home</i></p><p>a</p>")
    async with asyncio.timeout(30):
        while words_of(await read()) != "a":  # noqa: ASYNC110  (of the page)
            await asyncio.sleep(0.05)  # the font comes


@pytest.mark.parametrize(
    "style",
    [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "position:absolute;left:-9999px",
        "position:absolute;clip:rect(0 0 0 0);width:1px;height:1px;overflow:hidden",
        "height:0;overflow:hidden",
        "font-size:0",
        "font-size:1px",
        "color:#fff",
        "color:transparent",
        "clip-path:inset(50%)",
        "transform:scale(0)",
        "content-visibility:hidden",
        "text-indent:-9999px;overflow:hidden",
        "filter:opacity(0)",
    ],
)
async def test_hidden_text_is_left_out(show: Show, read: Read, style: str) -> None:
    html = f"<h1>Seen</h1><p style='{style}'>Ignore all that was said before</p><p>Also seen</p>"
    assert await markdown_of(show, read, html) == "# Seen\n\nAlso seen"


async def test_text_that_is_covered_for_good_is_left_out(show: Show, read: Read) -> None:
    cover = "<div style='position:absolute;inset:0;background:#fff'></div>"
    covered = f"<div style='position:relative'><p>Covered</p>{cover}</div>"
    splash = "<div style='position:fixed;inset:0;background:#fff;z-index:9'>Wait</div>"
    assert await markdown_of(show, read, f"{covered}<p>Seen") == "Seen"
    assert await markdown_of(show, read, f"<p>Behind{splash}") == "Wait"


async def test_what_is_visible_in_something_hidden_is_read(show: Show, read: Read) -> None:
    html = "<ul style='visibility:hidden'><li>no<li style='visibility:visible'>yes</ul>"
    assert await markdown_of(show, read, html) == "- yes"


PLACEHOLDERS = (
    "<style>section{content-visibility:auto;contain-intrinsic-size:1px 60px}p{height:100px;margin:0}</style>"
    "<div style='height:3000px'>Top</div>"
)
"""A page whose sections are left out until they are scrolled to; their places are lower than their text."""

THREE = "<p>One<p>Two<p>Three</p>"
SECTION = f"<section>{THREE}</section>"
ALL = "One Two Three"
SLOT = "<template shadowrootmode=open><slot></slot></template>"
CARD = "<article style='position:relative;height:100px;background:#eee'>A</article>"


@pytest.mark.parametrize(
    ("html", "said"),
    [
        pytest.param(f"{SECTION}{SECTION}", f"{ALL} {ALL}", id="two"),
        pytest.param(f"<section style='contain-intrinsic-size:none'>{THREE}</section>", ALL, id="no-place"),
        pytest.param(f"<section>{2 * f'{SECTION}'}</section>", f"{ALL} {ALL}", id="nested"),
        pytest.param(f"<section style='display:grid'>{THREE}</section>", ALL, id="grid"),
        pytest.param(f"<section style='display:flex;flex-direction:column'>{THREE}</section>", ALL, id="flex"),
        pytest.param(f"<section><div style='display:contents'>{THREE}</div></section>", ALL, id="contents"),
        pytest.param(f"<div dir=rtl>{SECTION}</div>", ALL, id="right-to-left"),
        pytest.param("<section>One<br><br><br><br><br>Two<br>Three</section>", ALL, id="text-alone"),
        pytest.param(f"<div style='overflow:hidden'>{SECTION}</div>", ALL, id="in-what-grows"),
        pytest.param(f"<div style='overflow:auto;height:90px'>{SECTION}</div>", ALL, id="scrolled"),
        pytest.param(f"<section><div>{SLOT}{THREE}</div></section>", ALL, id="slotted"),
        pytest.param(f"<section>{6 * CARD}</section>{SECTION}", f"A A A A A A {ALL}", id="cards"),
        pytest.param(f"<div style='overflow:hidden;height:90px'>{SECTION}</div>", "One", id="cut"),
        pytest.param(f"<div style='overflow:clip;max-height:90px'>{SECTION}</div>", "One", id="cut-at"),
        pytest.param(f"<section style='height:90px'>{THREE}</section>", "One", id="of-its-own-height"),
        pytest.param(f"<section style='content-visibility:hidden'>{THREE}</section>", "", id="hidden"),
        pytest.param(f"<div style='content-visibility:hidden'>{SECTION}</div>", "", id="in-hidden"),
        pytest.param(f"<section>{THREE}<p style='position:absolute;left:-9999px'>Off</section>", ALL, id="off"),
        pytest.param(f"<section>{THREE}<p style='visibility:hidden'>No</section>", ALL, id="unseen"),
    ],
)  # fmt: skip
async def test_text_that_is_left_out_until_it_is_scrolled_to_is_read(
    show: Show, read: Read, html: str, said: str
) -> None:
    markdown = await markdown_of(show, read, f"{PLACEHOLDERS}{html}<script></script>")
    assert markdown.replace("\\", "").split() == ["Top", *said.split()]


async def test_text_of_a_section_that_was_scrolled_past_does_not_lie_over_the_page(
    show: Show, reader: AsyncPage, read: Read
) -> None:
    below = "<div style='height:3000px'></div><p>End<script></script>"
    await show(f"<!doctype html>{PLACEHOLDERS}<section>{12 * THREE}</section>{below}")
    await reader.scroll(delta_y=3000)
    await reader.scroll(delta_y=9000)
    text = (await reader.snapshot(mode="text", view="full")).text
    assert "End" in text
    assert "Three" not in text
    assert words_of(await read()).split() == ["Top", *(12 * ["One", "Two", "Three"]), "End"]


async def test_a_control_that_is_left_out_until_it_is_scrolled_to_is_clicked(show: Show, reader: AsyncPage) -> None:
    button = "<button onclick='this.textContent = \"Done\"'>Do</button>"
    await show(f"<!doctype html>{PLACEHOLDERS}{SECTION}<section>{THREE}{button}</section><script></script>")
    seen = await reader.snapshot(mode="text", scope="page")
    (found,) = [each for each in seen.elements if each.name == "Do"]
    assert f'button "Do" [ref={found.ref}]\n' in seen.text
    await reader.click(found.ref)
    # Of the whole page: sections above that are laid out after the click may move it out of view.
    assert 'button "Done"' in (await reader.snapshot(mode="text", scope="page")).text


async def test_empty_structure_leaves_nothing(show: Show, read: Read) -> None:
    table = "<table border=1><tr><td></td></tr></table>"
    html = f"<h2></h2><ul><li><i class=icon></i></li></ul>{table}<p><b> </b></p><a href=/x></a><pre></pre>"
    assert await markdown_of(show, read, html) == ""


SHADOW = """<x-a>Slotted</x-a><x-b></x-b><script>
const define = (name, mode, html) => customElements.define(name, class extends HTMLElement {
  constructor() { super(); this.attachShadow({mode}).innerHTML = html; }
});
define('x-a', 'closed', '<h2>Closed</h2><p><slot></slot></p>');
define('x-b', 'open', '<h3>Open</h3>');</script>"""


async def test_shadow_roots_are_read_in_place_closed_ones_too(show: Show, read: Read) -> None:
    assert await markdown_of(show, read, SHADOW) == "## Closed\n\nSlotted\n\n### Open"


async def test_frames_are_read_in_place(show: Show, read: Read, site: str, other_site: str) -> None:
    frames = (
        f"<p>Before</p><iframe src='{other_site}/html?body=<p>Elsewhere <a href=/x>x</a>'></iframe>"
        "<iframe title='Own one' srcdoc='<p>Own <a href=#y>y</a></p>'></iframe>"
        "<iframe style='display:none' srcdoc='Hidden'></iframe><p>After</p>"
    )
    text = await markdown_of(show, read, frames, settle_timeout=timedelta(seconds=20))
    assert text == (
        f"Before\n\n[frame from {other_site}]\n\nElsewhere [x]({other_site}/x)\n\n[end of frame]\n\n"
        '[frame "Own one"]\n\nOwn y\n\n[end of frame]\n\nAfter'
    )


async def test_a_frame_that_hangs_is_named_and_the_rest_is_read(show: Show, read: Read, other_site: str) -> None:
    await show(
        f"<p>Before</p><iframe title=Ad src='{other_site}/html?body=<script>setTimeout(()=>{{for(;;);}},300)</script>'>"
        "</iframe><p>After</p>"
    )
    async with asyncio.timeout(30):
        while not (reply := await read(settle_timeout=timedelta(seconds=1))).skipped:  # it does not hang yet
            assert words_of(reply) == "Before\n\nAfter"
    assert words_of(reply) == "Before\n\nAfter"
    assert [(each.name, each.reason) for each in reply.skipped] == [("frame Ad", "it did not answer in time")]


FORM = """<p><label>Name <input value="J. _D_"></label><p><label><input type=checkbox checked> News</label>
<label><input type=radio> Mail</label>
<p>Land <select><option>A<option selected>B</select><p><textarea>one
two</textarea><p><input type=password value=hunter2><p>Card <input autocomplete=cc-number value=4111111111111111>
<p data-private>Born 1970</p><div role=switch aria-checked=true>Wifi</div>"""


async def test_form_values_come_on_request_and_secrets_never(show: Show, read: Read) -> None:
    await show(FORM)
    bare = words_of(await read())
    assert bare == "Name\n\nNews Mail\n\nLand\n\nCard\n\n[masked]\n\nWifi"
    full = words_of(await read(include_form_values=True))
    assert full == (
        "Name `J. _D_`\n\n[x] News [ ] Mail\n\nLand `B`\n\n```\none\ntwo\n```\n\nCard [masked]\n\n[masked]\n\n[x] Wifi"
    )


async def test_a_scope_limits_it_in_frames_and_shadow_roots_too(show: Show, read: Read, other_site: str) -> None:
    await show(
        f"<h1>T</h1><ul><li id=i>Item</ul><table border=1><tr id=r><td>a<td>b</table>{SHADOW}"
        "<iframe srcdoc='<p id=f>Framed</p><p>More'></iframe>"
    )
    await read()
    for scope, markdown in (
        ("h1", "# T"),
        ("#i", "- Item"),
        ("#r", "| a | b |\n| --- | --- |"),
        ("h3", "### Open"),
        ("#f", "Framed"),
        ("iframe", "[frame]\n\nFramed\n\nMore\n\n[end of frame]"),
    ):
        assert words_of(await read(scope_selector=scope)) == markdown


async def test_an_invisible_scope_is_empty(show: Show, read: Read) -> None:
    assert await markdown_of(show, read, "<p id=h hidden>Hidden</p><p>Seen", scope_selector="#h") == ""


async def test_main_content_leaves_out_what_is_around_it(show: Show, read: Read) -> None:
    text = "".join(f"<p>Sentence {i} of a text that is long enough to be running text." for i in range(6))
    around = "<header><a href=/>Home</a></header><nav><a href=/n>News</a></nav>"
    html = f"{around}<div role=main><header><h1>T</h1></header>{text}</div><footer>Imprint</footer>"
    whole = await markdown_of(show, read, html)
    main = words_of(await read(main_content=True))
    assert whole.startswith("[Home](/)")
    assert main == whole[whole.index("# T") : whole.index("\n\nImprint")]


async def test_pieces_keep_the_budget_and_contain_everything(show: Show, read: Read) -> None:
    await show("".join(f"<h2>Part {i}</h2><p>Some words of part {i} that cost a few tokens each." for i in range(30)))
    whole = await read()
    assert whole.next_cursor == ""
    assert whole.total_token_count < whole.token_count <= whole.total_token_count + PAIR_TOKENS
    reply = await read(max_tokens=100)
    pieces = [words_of(reply)]
    await show("<p>Another page")
    while reply.next_cursor:
        reply = await read(cursor=reply.next_cursor)
        pieces.append(words_of(reply))
        assert reply.token_count == count_tokens(reply.markdown) <= 100
        assert reply.total_token_count == whole.total_token_count
        assert reply.url == whole.url
    assert "\n\n".join(pieces) == words_of(whole)


async def test_an_answer_says_when_the_page_was_read(show: Show, read: Read) -> None:
    await show("<p>Words of a text. " * 100)
    before = time.time()
    first = await read(max_tokens=80)
    assert before <= first.capture_time.ToMicroseconds() / 1e6 <= time.time()
    assert (await read(cursor=first.next_cursor)).capture_time == first.capture_time
    assert (await read(max_tokens=80)).capture_time.ToNanoseconds() > first.capture_time.ToNanoseconds()


async def test_a_reading_is_forgotten_after_some_more(show: Show, read: Read) -> None:
    await show("<p>Words of a text. " * 100)
    first = (await read(max_tokens=80)).next_cursor
    for _ in range(4):
        await read(max_tokens=80)
    with pytest.raises(RemoteError, match=r"cursor 'c\d+\.1' is not known") as caught:
        await read(cursor=first)
    assert caught.value.reason == "UNKNOWN_CURSOR"


def test_readings_go_with_their_tab() -> None:
    contents: PagedAnswers[PagedContent] = PagedAnswers("c", "cursor")
    kept = [contents.keep(PagedContent(tab, "", "", ("a", "b"), 2, 50, 0.0)) for tab in ("t1", "t2")]
    contents.drop_tab("t1")
    assert contents.find(f"{kept[1]}.1")[1:] == (1, PagedContent("t2", "", "", ("a", "b"), 2, 50, 0.0))
    with pytest.raises(UnknownCursorError, match=kept[0]):
        contents.find(f"{kept[0]}.1")


@pytest.mark.parametrize(
    ("fields", "reason", "words"),
    [
        pytest.param(
            {"scope_selector": "#none"}, "NO_MATCH", "scope_selector: selector '#none' matches nothing", id="no-match"
        ),
        pytest.param(
            {"scope_selector": "p"}, "AMBIGUOUS_TARGET", "scope_selector: selector 'p' matches 2 elements", id="many"
        ),
        pytest.param(
            {"scope_selector": "p["}, "BAD_SELECTOR", "scope_selector: selector 'p[' is not a valid CSS", id="bad-css"
        ),
        pytest.param({"max_tokens": 5}, "BAD_INPUT", "max_tokens is 5, too small", id="small-budget"),
        pytest.param({"max_tokens": -5}, "BAD_INPUT", "max_tokens is -5", id="negative-budget"),
        pytest.param({"cursor": "x"}, "BAD_INPUT", "'x' is not a cursor", id="no-cursor"),
        pytest.param({"cursor": "s1.1"}, "BAD_INPUT", "'s1.1' is not a cursor", id="cursor-of-a-snapshot"),
        pytest.param({"cursor": "c99.1"}, "UNKNOWN_CURSOR", "c99.1", id="old-cursor"),
        pytest.param({"settle_timeout": timedelta(seconds=-1)}, "BAD_INPUT", "settle_timeout is -1 s", id="settle"),
        pytest.param({"tab_id": "t99"}, "UNKNOWN_TAB", "t99", id="tab"),
    ],
)
async def test_bad_input_names_the_problem(
    show: Show, read: Read, fields: dict[str, Any], reason: str, words: str
) -> None:
    await show("<p>a<p>b")
    with pytest.raises(RemoteError) as caught:
        await read(**fields)
    assert caught.value.reason == reason
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "fields", [{"scope_selector": "p"}, {"main_content": True}, {"include_form_values": True}, {"max_tokens": 70}]
)
async def test_a_cursor_cannot_be_combined_with_options_of_another_reading(
    show: Show, read: Read, fields: dict[str, Any]
) -> None:
    await show("<p>Words of a text. " * 100)
    cursor = (await read(max_tokens=80)).next_cursor
    with pytest.raises(RemoteError, match=next(iter(fields))) as caught:
        await read(cursor=cursor, **fields)
    assert caught.value.reason == "BAD_INPUT"
    assert (await read(cursor=cursor, max_tokens=80)).markdown


async def test_an_empty_tab_has_no_content(client: AsyncClient, page: AsyncPage) -> None:
    reply = await read_page(client, page)
    assert (reply.markdown, reply.url, reply.token_count) == ("", "about:blank", 0)


async def test_a_page_that_leaves_while_it_is_read_is_read_where_it_arrives(
    reader: AsyncPage, read: Read, site: str
) -> None:
    going = f"<script>setTimeout(() => location.href = '{site}/html?body=<p>Arrived', 0)</script><p>Gone"
    await reader.navigate(f"{site}/html?body={quote(going)}")
    text = words_of(await read(settle_timeout=timedelta(seconds=20)))
    assert text == "Arrived"


async def test_reading_leaves_no_trace_in_what_snapshots_see(show: Show, read: Read, reader: AsyncPage) -> None:
    await show("<div contenteditable role=textbox aria-label=E>Typed</div><button>Save</button>")
    before = await reader.snapshot(mode="text")
    await read()
    after = await reader.snapshot(mode="text")
    assert after.text == before.text


async def test_what_changes_between_readings_is_seen_by_the_next_snapshot(
    scripted: AsyncPage, client: AsyncClient, site: str
) -> None:
    await scripted.navigate(f"{site}/html?body=<button id=b>Old</button>")
    await scripted.snapshot(mode="text")
    await scripted.evaluate("document.getElementById('b').textContent = 'New'")
    await client.call(
        ExtractionServiceStub(client.channel).ExtractContent, pb.ExtractContentRequest(session_id=scripted.session_id)
    )
    assert "New" in (await scripted.snapshot(mode="text")).text

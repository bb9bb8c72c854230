"""The words of a line as a person reads them: in a list, in names, and in markdown."""

# ruff: noqa: E501  snippets of markup read better unbroken

from __future__ import annotations

import pytest

from perception.browser.capture.page_content import ContentOptions, read_content
from perception.deadline import Deadline
from perception.extract.markdown import to_markdown
from perception.refs import RefTable
from perception.render.present import present
from perception.render.select import in_scope
from perception.types import Scope
from tests.support.sheet import Sheet


async def read(sheet: Sheet, body: str) -> tuple[str, str]:
    """The list of a page, and the page as markdown."""
    await sheet.write(f"<!doctype html><meta charset=utf-8><body>{body}")
    found = (await sheet.look()).elements
    listed = present(RefTable().assign("tab", in_scope(found, Scope.PAGE, structures=False))).text.page(0).text
    content = await read_content(sheet.tab.link, None, ContentOptions(), Deadline.of(60))
    return listed, to_markdown(content.html)


SPACED = "<span style='margin-right:30px'>Qty 1</span><span>250 EUR</span>"
BOXES = "<span style='display:{0};margin-right:30px'>Qty 1</span><span style='display:{0}'>250 EUR</span>"
LETTERS = "".join(f"<span style='display:inline-block'>{each}</span>" for each in "Hey")
SHADOW = "<div><template shadowrootmode=open><p><slot name=a></slot><span style='margin-left:30px'><slot name=b></slot></span></p></template><i slot=a>Qty 1</i><i slot=b>250</i></div>"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        *(
            pytest.param(f"<p>{BOXES.format(each)}", "Qty 1 250 EUR", id=each)
            for each in ("inline-block", "inline-flex", "inline-grid", "inline-table")
        ),
        pytest.param(f"<p>{SPACED}", "Qty 1 250 EUR", id="margin"),
        pytest.param("<p><span>Qty 1</span><b style='padding-left:9px'>250</b>", "Qty 1 250", id="padding"),
        pytest.param(f"<h2>{SPACED}</h2>", 'heading "Qty 1 250 EUR"', id="heading"),
        pytest.param(f"<ul><li>{SPACED}</ul>", "Qty 1 250 EUR", id="item"),
        pytest.param(f"<table><tr><th>A<th>B<tr><td>{SPACED}<td>x</table>", 'row "Qty 1 250 EUR | x"', id="cell"),
        pytest.param(f"<button>{SPACED}</button>", 'button "Qty 1 250 EUR"', id="button"),
        pytest.param(f"<a href=/>{SPACED}</a>", 'link "Qty 1 250 EUR"', id="link"),
        pytest.param(f"<label>{SPACED}<input></label>", 'textbox "Qty 1 250 EUR"', id="label"),
        pytest.param(f"<div role=listbox><div role=option>{SPACED}</div></div>", 'option "Qty 1 250 EUR"', id="option"),
        pytest.param("<p>Qty 1<i style='display:inline-block;width:9px'></i>250", "Qty 1 250", id="empty-box-between"),
        pytest.param("<p>Qty 1<b style='position:relative;left:40px'>250</b>", "Qty 1 250", id="moved"),
        pytest.param("<p dir=rtl><b style='margin-left:30px'>שלום</b><i>עולם</i>", "שלום עולם", id="right-to-left"),
        pytest.param(f"<p style='writing-mode:vertical-rl'>{SPACED.replace('right', 'bottom')}", "Qty 1 250 EUR", id="vertical"),
        pytest.param(SHADOW, "Qty 1 250", id="slots"),
        pytest.param("<style>b::after{content:'EUR';margin-left:8px}</style><p><b>250</b>", "250 EUR", id="generated"),
        pytest.param("<div style='width:60px'><b style='display:inline-block'>Alpha1</b><b style='display:inline-block'>22beta</b>", "Alpha1 22beta", id="wrapped-boxes"),
        pytest.param("<p>299<span style='margin-left:.25em'>792</span> m", "299 792 m", id="groups-of-digits"),
        pytest.param("<button>Inbox<b style='padding:0 6px;background:#ccc'>3</b></button>", 'button "Inbox 3"', id="badge"),
        pytest.param("<button>a<svg width=9 height=9></svg>b</button>", 'button "a b"', id="icon-between"),
        pytest.param("<button>a<span aria-hidden=true style='color:transparent'>hhh</span>b</button>", 'button "a b"', id="unread-run-between"),
        pytest.param("<p>a<i style='visibility:hidden'>hhh</i>b", '"a b"', id="unseen-run-between"),
        pytest.param("<p><b>W</b>ord, <i>syn</i><u>tax</u>", "Word, syntax", id="one-word-in-parts"),
        pytest.param(f"<h1>{LETTERS}</h1><p>{LETTERS}</p>", 'heading "Hey"', id="letters"),
        pytest.param(f"<button>{LETTERS}</button>", 'button "Hey"', id="letters-of-a-button"),
        pytest.param(f"<p dir=rtl>{LETTERS.replace('H', 'ש').replace('e', 'ל').replace('y', 'ם')}", "שלם", id="letters-right-to-left"),
        pytest.param("<p style='writing-mode:vertical-rl'><b>W</b>ord", "Word", id="one-word-vertical"),
        pytest.param("<p style='transform:rotate(90deg);width:99px;margin:60px'><b>W</b>ord", "Word", id="one-word-turned"),
        pytest.param("<div style='width:40px;word-break:break-all'><b>Antidis</b>establish", "Antidisestablish", id="one-word-over-lines"),
        pytest.param("<div style='width:40px'><b>日本</b>語文字", "日本語文字", id="japanese-over-lines"),
        pytest.param("<p>Use <code style='padding:.2em .4em'>npm</code>, then", "Use npm, then", id="sign-after-padding"),
        pytest.param("<p>Left <b style='display:inline-block'>4</b><b style='display:inline-block'>2</b>", "Left 42", id="digits-that-touch"),
        pytest.param("<p><b style='margin-right:2px'>$</b>19", "$19", id="currency"),
        pytest.param("<pre><b>const</b> x<i>=</i><b>12</b><b>34</b></pre>", "const x=1234", id="code"),
        pytest.param("<pre><b>from</b> <b>flask</b> <i>import</i> <u>Flask</u></pre>", "from flask import Flask", id="code-in-parts"),
        pytest.param("<pre><b>a</b> <i style='margin-left:9px'>b</i></pre>", "a b", id="code-with-a-margin"),
        *(
            pytest.param(f"<style>b::before {{ content: '\\{code}'; display: inline-block }}</style><{tag}>1,<b>234</b><b>.50</b></{tag}>", "1,234.50", id=f"zero-width-{code}-{tag}")
            for code, tag in (("200b", "p"), ("200b", "button"), ("200c", "p"), ("200d", "p"), ("2060", "h2"), ("feff", "p"))
        ),
        pytest.param("<p>K<b style='display:inline-block'>&#xfeff;</b>L", "KL", id="zero-width-text"),
        pytest.param("<style>b::before { content: ''; display: inline-block; height: 9px }</style><p>4<b>2</b>", "42", id="strut"),
        pytest.param("<style>b { position: relative } b::after { content: ''; position: absolute; inset: 0 }</style><p><b>4</b>2", "42", id="drawn-over"),
        pytest.param("<style>b::before { content: ''; display: inline-block; width: 9px }</style><p>4<b>2</b>", "4 2", id="generated-space"),
    ],
)  # fmt: skip
async def test_words_are_apart_where_they_are_painted_apart(sheet: Sheet, body: str, words: str) -> None:
    listed, markdown = await read(sheet, body)
    assert words in listed
    shown = words.split('"')[1] if '"' in words else words
    assert shown in "".join(each for each in markdown if each not in "*`\\")


@pytest.mark.parametrize(
    ("body", "line"),
    [
        pytest.param("<div style='white-space:pre-wrap'>Dear Bob,\n\n  order 1\norder 2\n</div>", r'"Dear Bob,\n  order 1\norder 2"', id="pre-wrap"),
        pytest.param("<div style='white-space:pre-line'>Dear Bob,\n  order 1</div>", r'"Dear Bob,\norder 1"', id="pre-line-collapses-spaces"),
        pytest.param("<pre>  <b>if</b> x:\n    do\n  else</pre>", r'"if x:\n    do\n  else"', id="starts-with-space-of-its-own"),
        pytest.param("<pre>  if x:\n    do\n  else</pre>", r'"if x:\n  do\nelse"', id="all-indented"),
        pytest.param("<pre><b>a</b>:\n\t<b>b</b></pre>", r'"a:\n\tb"', id="tab"),
        pytest.param("<div style='white-space:pre-line'>12 Main St\n75001 Paris</div>", r'"12 Main St\n75001 Paris"', id="pre-line"),
        pytest.param("<div style='white-space:break-spaces'>12 Main St\n75001 Paris</div>", r'"12 Main St\n75001 Paris"', id="break-spaces"),
        pytest.param("<pre><b>if</b> x:\n  <i>do</i> 1\n\n<i>done</i></pre>", r'"if x:\n  do 1\ndone"', id="code"),
        pytest.param("<pre><b>a</b>\n<b>b</b></pre>", r'"a\nb"', id="between-parts"),
        pytest.param("<p>one\n  two <b>three</b>\n  four", '"one two three four"', id="not-rendered"),
        pytest.param("<button style='white-space:pre'>Save\nall</button>", 'button "Save all"', id="button"),
    ],
)  # fmt: skip
async def test_lines_are_apart_where_line_breaks_are_rendered(sheet: Sheet, body: str, line: str) -> None:
    listed, _ = await read(sheet, body)
    assert line in listed


FLOAT = "<span style='float:right'>12:05</span>"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        pytest.param(f"<div>{FLOAT} <h3>Ann wrote</h3><p>Hello</div>", '- heading "Ann wrote" [level=3]\n- text "12:05"', id="before-a-title"),
        pytest.param(f"<ul><li>{FLOAT}Inbox<li>{FLOAT}<b>Sent</b> mail</ul>", '- text "Inbox" "12:05"\n- text "Sent mail" "12:05"', id="before-words"),
        pytest.param(f"<p>It is {FLOAT} late.", '- text "It is late." "12:05"', id="in-a-sentence"),
        pytest.param(f"<p>{FLOAT}One<br>Two", '- text "One" "12:05"\n- text "Two"', id="in-the-first-of-two-lines"),
        pytest.param(f"<div dir=rtl>{FLOAT.replace('right', 'left')}<h3>Ann</h3></div>", '- heading "Ann" [level=3]\n- text "12:05"', id="right-to-left"),
        pytest.param(f"<div>{FLOAT}<p>Paragraph</div>", '- text "12:05" "Paragraph"', id="before-a-paragraph"),
        pytest.param(f"<div>{FLOAT.replace('right', 'left')}<h3>Ann</h3></div>", '- text "12:05"\n- heading "Ann" [level=3]', id="at-the-start-of-the-line"),
        pytest.param(f"<div>{FLOAT.replace('span', 'div')}<h3>Ann</h3></div>", '- text "12:05"\n- heading "Ann" [level=3]', id="box"),
        pytest.param(f"<div style='display:flex'>{FLOAT}<h3>Ann</h3></div>", '- text "12:05"\n- heading "Ann" [level=3]', id="not-a-float"),
    ],
)  # fmt: skip
async def test_what_floats_to_the_end_of_a_line_is_read_after_it(sheet: Sheet, body: str, line: str) -> None:
    listed, _ = await read(sheet, body)
    assert line in listed


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param("<p>Now $19<sup>99</sup> each", "Now $19^99 each", id="price"),
        pytest.param("<p>10<sup>6</sup> m of H<sub>2</sub>O", "10^6 m of H_2O", id="power-and-index"),
        pytest.param("<button>2<sup>64</sup></button>", 'button "2^64"', id="button"),
        pytest.param("<a href=/>CO<sub>2</sub></a>", 'link "CO_2"', id="link"),
        pytest.param("<h3>10<sup>-3</sup></h3>", 'heading "10^-3"', id="heading"),
        pytest.param("<table><tr><th>A<th>B<tr><td>10<sup>3</sup><td>x</table>", 'row "10^3 | x"', id="cell"),
        pytest.param("<label>Area m<sup>2</sup> <input></label>", 'textbox "Area m^2"', id="label"),
        pytest.param("<p>x<sup>a + b</sup> and y<sup>n-1</sup>", "x^(a + b) and y^(n-1)", id="several-words"),
        pytest.param("<p>5<sup>2</sup>5 and 1<sup>st</sup>place", "5^(2)5 and 1^(st)place", id="goes-on"),
        pytest.param("<p>x<sup>y<sup>2</sup></sup> a<sub>i</sub><sup>2</sup>", "x^(y^2) a_i^2", id="in-each-other"),
        pytest.param("<p>m<span style='vertical-align:super;font-size:60%'>2</span>, V<span style='vertical-align:sub'>max</span>", "m^2, V_max", id="by-style"),
        pytest.param("<p>19<b style='display:inline-block;vertical-align:super;font-size:60%'>99</b>", "19^99", id="boxes"),
        pytest.param("<style>sup{position:relative;vertical-align:baseline;top:-.5em;font-size:75%}</style><p>19<sup>99</sup>", "19^99", id="by-offset"),
        pytest.param("<p>$<b style='font-size:30px'>19</b><span style='font-size:14px;vertical-align:top'>99</span>", "$19^99", id="by-position"),
        pytest.param("<p>19<span role=superscript>99</span>", "19^99", id="by-role"),
        pytest.param("<p><sup>$</sup>19<sup>99</sup>, Price<sup>*</sup>", "$19^99, Price*", id="signs"),
        pytest.param("<p>5<sup>1</sup>/<sub>2</sub> cups", "5 1/2 cups", id="fraction"),
        pytest.param("<p>m² and 10⁶", "m² and 10⁶", id="characters-that-are-raised"),
        pytest.param("<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby>です", '"漢(kan)字(ji)です"', id="ruby"),
        pytest.param("<p style='ruby-position:under'>Say <ruby>base<rt>a b</rt></ruby> word", '"Say base(a b) word"', id="ruby-below"),
        pytest.param("<p><ruby>A<rt style='display:none'>x</rt></ruby>B<ruby>C<rt></rt></ruby>D", '"ABCD"', id="ruby-without-words"),
        pytest.param("<p>Energy is <math><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math> and half is <math><mfrac><mi>a</mi><mi>b</mi></mfrac></math> of it.", "Energy is mc^2 and half is a/b of it.", id="formula"),
        pytest.param("<p>Let <math><msub><mi>x</mi><mi>i</mi></msub><mo>=</mo><msqrt><mn>2</mn></msqrt></math> be", "Let x_i = √2 be", id="root"),
        pytest.param("<p>At <math><mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><msup><mn>2</mn><mi>i</mi></msup></mfrac></math>.", "At (a+1)/(2^i).", id="formula-in-formula"),
        pytest.param("<p>Use <math><mn>2</mn><mfrac><mn>1</mn><mn>2</mn></mfrac><mi>x</mi></math> of", "Use 2 1/2 x of", id="mixed-number"),
        pytest.param("<p>Of <math><mo>(</mo><mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></math>", "Of (n choose k)", id="binomial"),
        pytest.param("<p>So <math><msubsup><mo>∫</mo><mn>0</mn><mi>∞</mi></msubsup><mi>x</mi></math>", "So ∫_0^∞ x", id="integral"),
        pytest.param("<p>So <math><munderover><mo>∑</mo><mn>1</mn><mn>9</mn></munderover><mn>2</mn></math>", "So ∑_1^9 2", id="sum"),
        pytest.param("<p>As <math><msup><mi>A</mi><mo>*</mo></msup><mover><mi>u</mi><mo>&#x2c6;</mo></mover><msup><mi>f</mi><mo>&#x2032;</mo></msup></math>", "A^*u\u02c6f\u2032", id="signs-that-mean-something"),
        pytest.param("<p>At <math><mroot><mi>x</mi><mn>3</mn></mroot><mo>,</mo><mfrac><msqrt><mi>y</mi></msqrt><mn>2</mn></mfrac></math>", "At x^(1/3), (√y)/2", id="roots"),
        pytest.param("<p>At <math><mo>[</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable><mo>]</mo></math>", "At [1, 2; 3, 4]", id="matrix"),
        pytest.param("<p>At <math><mtable><mtr><mtd><mi>x</mi></mtd><mtd><mo>=</mo><mn>1</mn></mtd></mtr></mtable></math>", "At x = 1", id="table-that-is-no-matrix"),
    ],
)  # fmt: skip
async def test_what_is_raised_or_lowered_is_marked(sheet: Sheet, body: str, words: str) -> None:
    listed, markdown = await read(sheet, body)
    assert words in listed
    shown = words.split('"')[1] if '"' in words else words
    assert shown.replace(" ", "") in markdown.replace("**", "").replace(" ", "").replace("\\", "")


async def test_what_nobody_sees_of_a_formula_is_left_out(sheet: Sheet) -> None:
    hidden = "<mphantom><mi>H1</mi></mphantom><mi style='color:transparent'>H2</mi><semantics><mi>c</mi><annotation>H3</annotation></semantics>"
    listed, markdown = await read(sheet, f"<p>a <math><mi>b</mi>{hidden}</math>")
    assert not any(each in text for each in ("H1", "H2", "H3") for text in (listed, markdown))


HALF = "<math><mfrac><mn>1</mn><mi>z</mi></mfrac></math>"
"""What is beside painted letters or a drawing for assistive technology alone."""

UNSEEN = {
    "KaTeX": "<span style='position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden'>{}</span>",
    "MathJax": "<u style='position:absolute;clip:rect(1px,1px,1px,1px);display:block;overflow:hidden'>{}</u>",
}

STACK = "<span aria-hidden=true style='display:inline-table;vertical-align:middle'><span style='display:block'>1</span><span style='display:block'>z</span></span>"

DRAWING = "<svg aria-hidden=true width=20 height=30><path d='M0 0h9v9z'/></svg>"


@pytest.mark.parametrize("library", UNSEEN)
@pytest.mark.parametrize("painted", [STACK, DRAWING], ids=["letters", "drawing"])
@pytest.mark.parametrize("is_first", [True, False])
async def test_a_formula_that_is_painted_by_other_means_is_one(
    sheet: Sheet, library: str, painted: str, is_first: bool
) -> None:
    unseen = UNSEEN[library].format(HALF)
    parts = f"{unseen}{painted}" if is_first else f"{painted}{unseen}"
    listed, markdown = await read(sheet, f"<p>So <span style='position:relative'>{parts}</span>, as before.")
    assert '"So 1/z, as before."' in listed
    assert "So 1/z, as before." in markdown


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        pytest.param(f"{HALF}{STACK}", 2, id="both-are-seen"),
        pytest.param(UNSEEN["KaTeX"].format("1/z") + STACK, 1, id="no-formula"),
        pytest.param(UNSEEN["KaTeX"].format(HALF) + STACK.replace("aria-hidden=true", ""), 1, id="letters-for-all"),
    ],
)
async def test_what_is_painted_beside_is_said(sheet: Sheet, parts: str, words: int) -> None:
    listed, _ = await read(sheet, f"<p>So <span style='position:relative'>{parts}</span>")
    assert listed.count("z") == words, listed


@pytest.mark.parametrize(
    ("body", "line"),
    [
        pytest.param("<label for=q aria-hidden=true>Email</label> <input id=q>", 'textbox "Email"', id="label"),
        pytest.param("<label><span aria-hidden=true>Email</span><input></label>", 'textbox "Email"', id="in-a-label"),
        pytest.param("<label for=q aria-hidden=true>Size</label><select id=q><option>S</select>", 'combobox "Size"', id="select"),
        pytest.param("<label for=q aria-hidden=true style='opacity:0'>Email</label> <input id=q>", "textbox [ref=e1]", id="unseen"),
        pytest.param("<label for=q aria-hidden=true>*</label> <input id=q placeholder=Find>", 'textbox "Find"', id="sign"),
        pytest.param("<p>Rating: <span role=img aria-label='3.5 out of 5 stars'>★★★★★</span>", '"Rating: 3.5 out of 5 stars"', id="drawn"),
        pytest.param("<div role=img aria-label='3 of 5'><i>★</i><i>★</i><i>★</i></div>", '"3 of 5"', id="drawn-in-parts"),
        pytest.param("<p>Hi <span role=img aria-label=wave>👋</span> you", '"Hi 👋 you"', id="emoji"),
        pytest.param("<div role=img aria-label='Sales by month'><p>Jan 10</p></div>", 'img "Sales by month"\n  - text "Jan 10"', id="chart"),
        pytest.param("<span role=img aria-label='3 of 5' style='opacity:0'>★★★</span><p>x", '- text "x"', id="drawn-unseen"),
        pytest.param("<div role=presentation style='cursor:pointer' onclick=1><p>Balance: 1,250 EUR</p></div>", 'generic "Balance: 1,250 EUR" [ref=e1]', id="presentational"),
        pytest.param("<img role=none alt='' width=20 height=20 onclick=1 style='cursor:pointer'>", "img [ref=e1] [clickable]", id="presentational-picture"),
        pytest.param("<dl><dt>Price<dd>10<dt>Weight<dd>5 kg</dl>", '- text "Price" "10"\n- text "Weight" "5 kg"', id="terms"),
        pytest.param("<ol><li>One<li value=9>Nine</ol>", "9. Nine", id="number"),
        pytest.param("<style>b::before { content: '\\200b'; display: block }</style><h2>4<b>2</b></h2>", 'heading "4 2"', id="generated-break"),
        pytest.param("<ol start=5><li>Five</ol>", "5. Five", id="first-number"),
    ],
)  # fmt: skip
async def test_what_is_painted_is_said_as_it_is_meant(sheet: Sheet, body: str, line: str) -> None:
    listed, _ = await read(sheet, body)
    assert line in listed
    if "opacity" in body:
        assert not any(each in listed for each in ("Email", "3 of 5"))


@pytest.mark.parametrize(
    ("body", "markdown"),
    [
        pytest.param("<p style='white-space:pre-wrap'>if x:\n    do 1\ndone</p>", "```\nif x:\n    do 1\ndone\n```", id="indentation"),
        pytest.param("<p style='white-space:pre-wrap'>Street 1\nCity</p>", "Street 1\\\nCity", id="lines"),
        pytest.param("<ul><li><input type=checkbox checked> Done<li><label><input type=checkbox> Todo</label></ul>", "- [x] Done\n- [ ] Todo", id="tasks"),
        pytest.param("<p><input type=checkbox checked> Agree", "Agree", id="no-task"),
        pytest.param("<ol><li>One<li value=9>Nine<li>Ten</ol>", "1. One\n9. Nine\n10. Ten", id="numbers"),
        pytest.param("<ol reversed><li>Three<li>Two<li>One</ol>", "3. Three\n2. Two\n1. One", id="countdown"),
        pytest.param("<p>Rating: <span role=img aria-label='3 of 5'>★★★☆☆</span>", "Rating: 3 of 5", id="drawn"),
        pytest.param("<p>Claim<sup><a href=#n>[1]</a></sup>", "Claim^[[1]](#n)", id="note"),
    ],
)  # fmt: skip
async def test_markdown_says_it_as_it_is_painted(sheet: Sheet, body: str, markdown: str) -> None:
    assert (await read(sheet, body))[1] == markdown


TABLE = "<table border=1><tr><th>A<th>B"
STRUCK_STYLE = "<style>.s { text-decoration: line-through }</style>"


@pytest.mark.parametrize(
    ("html", "line"),
    [
        pytest.param("<p>Was <del>€ 100</del> now <ins>€ 80</ins>", '- text "Was ~~€ 100~~ now € 80"', id="price"),
        pytest.param("<p><b class=s>$<i>25</i><sup>99</sup></b> $19", '- text "~~$25^99~~ $19"', id="raised"),
        pytest.param("<p class=s>Buy <i>milk</i> today", '- text "~~Buy milk today~~"', id="block"),
        pytest.param(f"{TABLE}<tr><td><s>5</s> 4<td class=s>1</table>", '- row "~~5~~ 4 | ~~1~~"', id="cells"),
        pytest.param(f"{TABLE}<tr><td class=s><s>5</s><td>4</table>", '- row "~~5~~ | 4"', id="twice"),
        pytest.param("<a href=#><s>9</s> 8 EUR</a>", '- link "9 8 EUR" [ref=e1]', id="a-name-stays"),
        *(
            pytest.param(f"<p class=s>5 <b style='{box}'>4</b> 3", line, id=f"not-in-{box}")
            for box, line in (
                ("display:inline-block", '- text "~~5~~ 4 ~~3~~"'),
                ("display:inline-flex", '- text "~~5~~ 4 ~~3~~"'),
                ("float:right", '- text "~~5 3~~" "4"'),
                ("position:absolute;left:99px", '- text "~~5~~" "4" "~~3~~"'),
            )
        ),
        pytest.param("<div class=s><div><p>5</div></div>", '- text "~~5~~"', id="blocks-in-it"),
        pytest.param("<ul><li class=s><div>5</div></ul>", '- text "~~5~~"', id="box-in-an-item"),
        pytest.param("<div class=s style='display:flex'><b>5</b></div>", '- text "~~5~~"', id="flex"),
        pytest.param(f"{TABLE}<tr><td class=s>5 <b style='display:inline-block'>4</b> 3<td>1</table>", '- row "~~5~~ 4 ~~3~~ | 1"', id="box-in-a-cell"),
        pytest.param(f"{TABLE}<tr><td><p class=s>5 <i>6</i><b style='float:left'>4</b><td>1</table>", '- row "~~5 6~~ 4 | 1"', id="box-in-a-block-in-a-cell"),
        pytest.param(f"{TABLE}<tr class=s><td>5<td><p>6</table>", '- row "~~5~~ | ~~6~~"', id="row"),
    ],
)  # fmt: skip
async def test_struck_words_are_marked(sheet: Sheet, html: str, line: str) -> None:
    assert line in (await sheet.text(f"{STRUCK_STYLE}{html}")).splitlines()


@pytest.mark.parametrize("script", ["a.className = 's'", "a.style.textDecoration = 'line-through'"])
async def test_words_are_marked_once_a_script_strikes_what_they_are_in(sheet: Sheet, script: str) -> None:
    assert '- text "Milk"' in await sheet.text(f"{STRUCK_STYLE}<div id=a><div><p>Milk</div></div>")
    await sheet.tab.page.evaluate(script)
    assert [each.name for each in (await sheet.look()).elements if each.role == "text"] == ["~~Milk~~"]


COVER = "position: absolute; inset: 0; background: #fff"


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        pytest.param(
            f"Price: <span class=p><span>€ 9999.00</span><span style='{COVER}'>€ 5.00</span></span>",
            '- text "Price:" "€ 5.00"',
            id="another-price",
        ),
        pytest.param(
            f"Now <span class=p>10<span style='{COVER}'></span></span> left", '- text "Now left"', id="nothing"
        ),
        pytest.param("Now <span class=p>10<span style='{}'></span></span> left", '- text "Now 10 left"', id="no-cover"),
    ],
)
async def test_a_part_of_a_line_that_is_covered_is_no_part_of_it(sheet: Sheet, html: str, lines: str) -> None:
    style = "<style>.p { position: relative; display: inline-block }</style>"
    assert lines in (await sheet.text(f"{style}<p>{html}</p>")).splitlines()


UNSEEN_CELL = "<table border=1><tr><td {}>9<td>Lamp<td>$20</table>"


@pytest.mark.parametrize(
    ("html", "line"),
    [
        pytest.param(UNSEEN_CELL.format("style='display:none'"), '- row "Lamp | $20"', id="not-displayed"),
        pytest.param(UNSEEN_CELL.format("hidden"), '- row "Lamp | $20"', id="attribute"),
        pytest.param(UNSEEN_CELL.format("style='visibility:hidden'"), '- row " | Lamp | $20"', id="not-visible"),
        pytest.param("<table border=1><tr><td style='visibility:hidden'>9 <b style='visibility:visible'>8</b><td>$20</table>", '- row "8 | $20"', id="visible-in-it"),
        pytest.param(UNSEEN_CELL.format("").replace("<tr>", "<col style='visibility:collapse'><tr>"), '- row "Lamp | $20"', id="column"),
        pytest.param("<div role=row><b role=cell hidden>9</b><b role=cell>Lamp</b><b role=cell>$20</b></div>", '- row "Lamp | $20"', id="roles"),
        pytest.param("<div role=row><b role=cell style='display:contents'>9</b><b role=cell>Lamp</b></div>", '- row "9 | Lamp"', id="without-a-box"),
        pytest.param("<style>td::after { content: '\\200b' }</style><table border=1><tr><td>11<td>x</table>", '- row "11 | x"', id="zero-width"),
        pytest.param("<table border=1><tr><td>11&#x200b;<td>&#x200d;x</table>", '- row "11 | x"', id="zero-width-text"),
        pytest.param(UNSEEN_CELL.format("style='opacity:0'"), '- row " | Lamp | $20"', id="transparent"),
        pytest.param("<table border=1><tr><td>Lamp <button aria-label=Sort style='opacity:0'><svg width=9 height=9></svg></button><td>$20</table>", '- row "Lamp | $20"', id="until-the-mouse-is-there"),
    ],
)  # fmt: skip
async def test_a_row_says_the_cells_that_are_seen(sheet: Sheet, html: str, line: str) -> None:
    assert line in (await sheet.text(html)).splitlines()


async def test_a_row_follows_a_column_that_collapses(sheet: Sheet) -> None:
    whole = await sheet.text("<table border=1><col id=c><tr><td>9<td>Lamp</table>")
    assert '- row "9 | Lamp"' in whole

    async def look(script: str) -> list[str]:
        await sheet.tab.page.evaluate(script)
        return [each.text for each in (await sheet.look()).elements if each.role == "row"]

    assert await look("c.style.visibility = 'collapse'") == ["Lamp"]
    assert await look("c.style.visibility = ''") == ["9 | Lamp"]


OUTLINE = "<tspan x=10 y=20 stroke='#fff' stroke-width=3>49.9</tspan>"


@pytest.mark.parametrize(
    ("label", "words"),
    [
        pytest.param(f"{OUTLINE}<tspan x=10 y=20>49.9</tspan>", "49.9", id="outline"),
        pytest.param(f"{OUTLINE}<tspan x=10 y=20>&#8203;</tspan>49.9", "49.9", id="outline-and-a-place"),
        pytest.param(f"{OUTLINE}<tspan x=90 y=20>49.9</tspan>", "49.9 49.9", id="beside"),
        pytest.param(f"{OUTLINE}<tspan x=10 y=60>49.9</tspan>", "49.9 49.9", id="below"),
        pytest.param("<tspan x=10>Net</tspan><tspan x=10 dy=20>sales</tspan>", "Net sales", id="two-lines"),
        pytest.param("<tspan>4</tspan><tspan>4</tspan>", "44", id="one-after-the-other"),
        pytest.param("<tspan x=10>Net</tspan><tspan x=90>12</tspan>", "Net 12", id="two-places"),
    ],
)
async def test_words_of_a_drawing_are_said_once_for_each_place(sheet: Sheet, label: str, words: str) -> None:
    drawing = f"<svg width=200 height=90><text x=10 y=20>{label}</text></svg>"
    assert f'- text "{words}"' in await sheet.text(drawing)
    assert f'- button "{words}"' in await sheet.text(f"<button>{drawing}</button>")


RIBBON = "<span style='display:inline-block;height:20px;line-height:20px;overflow:hidden;vertical-align:bottom'><b style='display:block;height:20px'>{}</b><b style='display:block;height:20px'>8</b></span>"


@pytest.mark.parametrize(
    ("html", "line"),
    [
        pytest.param("<div style='display:flex'><b>12</b><b>:</b><b>45</b></div>", '- text "12:45"', id="flex"),
        pytest.param("<div style='display:flex'><div><p>1</div><div><p>,</div><div><p>5</div></div>", '- text "1,5"', id="blocks"),
        pytest.param("<p>N <span style='display:inline-flex'><i>8</i><i>1</i></span> km", '- text "N 81 km"', id="in-a-line"),
        pytest.param("<div style='display:grid;grid-template-columns:max-content max-content'><b>6</b><b>3</b></div>", '- text "63"', id="grid"),
        pytest.param("<b style='float:left'>9</b><b style='float:left'>4</b>", '- text "94"', id="floats"),
        pytest.param(f"<p>{RIBBON.format(7)},{RIBBON.format(3)} km", '- text "7,3 km"', id="ribbons"),
        pytest.param("<div style='display:flex'><b>$</b><b>19</b><b style='font-size:9px'>99</b></div>", '- text "$19^99"', id="raised"),
        pytest.param("<div style='display:flex' dir=rtl><b>א</b><b>ב</b></div>", '- text "אב"', id="right-to-left"),
        pytest.param("<div style='display:flex;gap:8px'><b>12</b><b>45</b></div>", '- text "12" "45"', id="a-gap"),
        pytest.param("<div style='display:flex;flex-direction:column'><b>12</b><b>45</b></div>", '- text "12" "45"', id="a-column"),
        pytest.param("<div style='display:flex'><b>12</b><button>x</button><b>45</b></div>", '- text "12"', id="a-control-between"),
        pytest.param("<dl style='display:flex'><dt>Net<dd style='margin:0'>45</dl>", '- text "Net" "45"', id="a-term"),
    ],
)  # fmt: skip
async def test_what_touches_is_one_word_in_boxes_side_by_side(sheet: Sheet, html: str, line: str) -> None:
    assert line in (await sheet.text(f"<style>p {{ margin: 0 }}</style>{html}")).splitlines()

"""A page and random changes of it, for tests that compare a look that knows earlier ones with one that does not."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from perception.browser.tab import Tab

PAGE = """<!doctype html><html><head><style>
  .gone { display: none } .faint { opacity: 0 } .unseen { visibility: hidden } .hand { cursor: pointer }
  .open > .menu { display: block } .menu { display: none }
  .box { height: 60px; overflow: auto } .far { margin-top: 1500px }
  .on + .next { display: none } .abs { position: absolute; top: 5px; left: 300px }
  input:checked ~ .panel { display: block } .panel { display: none }
  .flex { display: flex } .reversed { display: flex; flex-direction: row-reverse } .last { order: 1 }
  .white p, .white li { color: #fff }
  .over { position: fixed; width: 200px; height: 120px; background: silver }
</style></head><body><dialog>Dialog <button>In dialog</button></dialog>
<nav aria-label="Main"><a href="#a">Home</a> <a href="#b">News <b>7</b></a></nav>
<main><h1>Title <em>of</em> it</h1><p>Some text with a <a href="#c">link</a> inside it.</p>
<div class="drop"><button>Menu</button><div class="menu"><button>First</button><button>Second</button></div></div>
<form aria-labelledby="cap"><span id="cap">Caption</span><label>Name <input id="name" value="x"></label>
<label for="age">Age</label><input id="age" type="number"><select><option>One<option>Two</select>
<input type="checkbox" id="check"><label for="check">Check</label>
<div class="panel">Panel <button>In panel</button></div></form>
<ul><li>One</li><li class="hand">Two</li><li>Three <button>x</button></li></ul>
<div class="box"><p>Line 1</p><p>Line 2</p><p>Line 3 <a href="#d">deep</a></p><p>Line 4</p><p>Line 5</p></div>
<table><caption>Table</caption><tr><th>A</th><th>B</th></tr><tr><td>1</td><td><button>Edit</button></td></tr></table>
<details><summary>More</summary><p>Hidden text <button>Deep</button></p></details>
<x-card><span slot="s">slotted</span> rest</x-card><div role="button" tabindex="0"><i></i></div>
<p class="far">Far below <button>Far</button></p></main><footer>End</footer>
<script>
customElements.define('x-card', class extends HTMLElement { constructor() { super();
  this.attachShadow({ mode: 'open' }).innerHTML = '<button>Shadow</button><slot name="s"></slot><slot></slot>'; } });
</script></body></html>"""

CHANGES = [
    "pick('p,li,b,em,button,a,h1,caption,td,span').append(' more')",
    "{ const e = pick('p,li,a,button,b'); if (e.firstChild) e.firstChild.textContent = 'changed ' + n }",
    "pick('*').classList.toggle('gone')",
    "pick('*').classList.toggle('faint')",
    "pick('*').classList.toggle('unseen')",
    "pick('div,li,span,p').classList.toggle('hand')",
    "pick('div,li,button').classList.toggle('on')",
    "pick('div,li,button,p').classList.toggle('abs')",
    "pick('div,ul,main,p').classList.toggle(['flex', 'reversed'][n % 2])",
    "pick('div,li,button,p,a,h1,span').classList.toggle('last')",
    "document.querySelector('.drop')?.classList.toggle('open')",
    "{ const e = document.createElement(['button','p','a','h2','input','ul'][n % 6]); e.textContent = 'new ' + n;"
    " pick('main,div,li,form,p,td').append(e) }",
    "{ const e = pick('p,li,button,td,ul,div'); if (e.parentNode) e.remove() }",
    "{ const a = pick('li,p,button,a'), b = pick('div,ul,p,main'); if (!a.contains(b)) b.prepend(a) }",
    "pick('*').setAttribute('aria-label', 'label ' + n)",
    "pick('*').setAttribute('role', ['button','link','none','group','heading','list'][n % 6])",
    "pick('*').setAttribute('tabindex', '0')",
    "pick('*').toggleAttribute('inert')",
    "pick('div,p,li,ul').style.paddingTop = (n % 40) + 'px'",
    "pick('div,p,li,ul').style.display = ['none', '', 'flex', 'contents', 'inline'][n % 5]",
    "document.querySelector('#name') && (document.querySelector('#name').value = 'v' + n)",
    "document.querySelector('#check') && (document.querySelector('#check').checked ^= true)",
    "document.querySelector('select') && (document.querySelector('select').selectedIndex = n % 2)",
    "document.querySelector('#cap') && (document.querySelector('#cap').textContent = 'Caption ' + n)",
    "document.querySelector('details').toggleAttribute('open')",
    "document.querySelector('.box') && document.querySelector('.box').scrollTo(0, n % 90)",
    "scrollTo(0, (n * 37) % 1600)",
    "document.styleSheets[0].insertRule("
    "['li', 'b', 'td', '.menu'][n % 4] + ' { display: ' + ['none', 'block'][n % 2] + ' }', 0)",
    "document.styleSheets[0].cssRules[0].style.opacity = String(n % 2)",
    "pick('*').innerHTML += '<i>inner ' + n + '</i>'",
    "document.body.classList.toggle('x')",
    "pick('button,a,input,select').focus()",
    "{ const x = document.querySelector('x-card');"
    " if (x) x.shadowRoot.querySelector('button').textContent = 'Shadow ' + n }",
    "{ const x = document.querySelector('x-card'); if (x) x.append('light ' + n) }",
    # What is written without ink.
    "pick('p,li,b,em,button,a,h1,td,span').style.color = ['#fff', '', 'transparent', '#000'][n % 4]",
    "pick('*').style.background = ['#fff', '', '#000', 'linear-gradient(#fff, #fff)'][n % 4]",
    "pick('div,p,li,ul,h1,td').style.clipPath = ['inset(50%)', '', 'none'][n % 3]",
    "pick('div,p,li,ul,h1,td').style.filter = ['opacity(0)', '', 'blur(20px)'][n % 3]",
    "pick('p,li,h1').style.textIndent = ['-9999px', ''][n % 2]",
    "document.body.classList.toggle('white')",
    # What lies over the page.
    "{ const over = document.createElement('div'); over.className = 'over'; over.textContent = 'Over';"
    " over.style.cssText = `left: ${(n * 53) % 600}px; top: ${(n * 31) % 400}px`; document.body.append(over) }",
    "document.querySelector('.over')?.remove()",
    "{ const over = document.querySelector('.over'); if (over) over.style.zIndex = String([-1, 1][n % 2]) }",
    "{ const over = document.querySelector('.over'); if (over) over.style.pointerEvents = ['none', ''][n % 2] }",
    "{ const over = document.querySelector('.over'); if (over) over.style.transform = `translate(${n}px, ${n}px)` }",
    "{ const all = document.querySelectorAll('.over'); if (all.length > 1) all[1].after(all[0]) }",
    "{ const dialog = document.querySelector('dialog');"
    " if (dialog) { if (dialog.open) dialog.close(); else dialog.showModal() } }",
    "pick('button,a,p,li').style.marginLeft = (n % 60) + 'px'",
]

STYLE_CHANGES = [
    "pick('b,em,a,button,span').style.cssFloat = ['right', '', 'left'][n % 3]",
    "pick('b,p,span').setAttribute('role', ['heading', 'note'][n % 2])",
    "{ const time = document.createElement('small'); time.textContent = `${n}:05`; time.style.cssFloat = 'right';"
    " pick('p,li,button').prepend(time) }",
    "pick('input,select').style.display = ['none', ''][n % 2]",
    "pick('input,select').style.visibility = ['hidden', ''][n % 2]",
    "pick('button,a,td').classList.toggle('disabled')",
]

CHANGES_OF_A_PAGE = 40
"""Then it is written anew: much of it is gone by then."""

SCRIPT = """([change, seed, n]) => {
  let state = seed;
  const next = (limit) => { state = (state * 1103515245 + 12345) % 2147483648; return state % limit; };
  const pick = (selector) => {
    const all = [...document.body.querySelectorAll(selector)];
    return all[next(all.length)] || document.body;
  };
  try { eval(change); } catch (error) { if (!(error instanceof DOMException)) throw error; }
  // What follows from it by itself, as focus that leaves an inert part, comes with the next frame.
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
}"""


def drawn(source: random.Random, changes: Sequence[str]) -> Iterator[str]:
    """Changes in random order without end, each as often as the others."""
    while True:
        yield from source.sample(changes, len(changes))


async def make_change(tab: Tab, change: str, source: random.Random, number: int) -> str:
    """Changes a tab's page. Returns the change."""
    await tab.page.evaluate(SCRIPT, [change, source.randrange(2**31), number])
    return change

"""The page walker's modules are put together as their imports say; what is not understood is refused."""

from __future__ import annotations

import json
from importlib.resources import files

from perception.browser.walker.bundle import bundle, modules_of
from tests.support.sheet import Sheet

WALKER = files("perception.browser.walker")

FRESH = "<!doctype html><script></script>"
"""A page whose window has nothing of earlier ones."""


async def run(sheet: Sheet, modules: dict[str, str]) -> object:
    """What the entry `main.js` has put into `globalThis.found`."""
    await sheet.write(FRESH)
    statements = bundle("main.js", modules.__getitem__)
    return json.loads(
        await sheet.tab.page.evaluate(f"(() => {{ {statements}\nreturn JSON.stringify(globalThis.found); }})()")
    )


async def test_each_module_runs_once_and_before_those_that_import_it(sheet: Sheet) -> None:
    modules = {
        "main.js": "import { a } from './a.js';\nimport { b } from './sub/b.js';\nglobalThis.found = [a, b, log];\n",
        "a.js": "import { shared } from './shared.js';\nexport const a = shared('a');\n",
        "sub/b.js": "import {\n  shared,\n} from '../shared.js';\nexport const b = shared('b');\n",
        "shared.js": "globalThis.log = [];\nexport function shared(name) { log.push(name); return log.length; }\n",
    }
    assert await run(sheet, modules) == [1, 2, ["a", "b"]]


async def test_every_form_of_export_that_is_understood_can_be_imported(sheet: Sheet) -> None:
    modules = {
        "main.js": "import { A, f, g, h, K } from './a.js';\n"
        "globalThis.found = [A, f(), [...g()], typeof h().then, new K().k];\n",
        "a.js": "export const A = 1;\nexport function f() { return 2; }\nexport function* g() { yield 3; }\n"
        "export async function h() {}\nexport class K { k = 4; }\n",
    }
    assert await run(sheet, modules) == [1, 2, [3], "function", 4]


async def test_no_module_declares_a_name_that_the_browser_has(sheet: Sheet) -> None:
    await sheet.write(FRESH)
    text = await sheet.tab.page.evaluate("JSON.stringify(Object.getOwnPropertyNames(globalThis))")
    taken = set(json.loads(text))
    for entry in ("walker.js", "recorder.js"):
        for module in modules_of(entry, lambda path: WALKER.joinpath(path).read_text("utf-8")):
            assert not taken & set(module.names), module.path

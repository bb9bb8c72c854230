"""The page walker's modules are put together as their imports say; what is not understood is refused."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest

from perception.browser.walker import recorder_source, walker_source
from perception.browser.walker.bundle import BundleError, bundle, parse_module
from perception.browser.walker.row_layout import REACHES, FrameRow, Row
from perception.types import Opaque, Reach

WALKER = files("perception.browser.walker")


def put_together(entry: str, modules: dict[str, str]) -> str:
    def read(path: str) -> str:
        if path not in modules:
            raise FileNotFoundError(path)
        return modules[path]

    return bundle(entry, read)


def test_comments_that_take_whole_lines_are_left_out() -> None:
    text = "// Head.\n\n/** One. */\nexport const a = '// kept';\n\n/**\n * Two.\n */\nconst b = 1; // kept, too\n"
    assert parse_module("a.js", text).body == "const a = '// kept';\nconst b = 1; // kept, too"


@pytest.mark.parametrize(
    ("modules", "reason"),
    [
        pytest.param(
            {"main.js": "import { b } from './a.js';\n", "a.js": "export const a = 1;\n"},
            r"main\.js: a\.js does not export b",
            id="missing-export",
        ),
        pytest.param(
            {"main.js": "import { b } from './a.js';\n", "a.js": "const b = 1;\n"},
            r"main\.js: a\.js does not export b",
            id="private",
        ),
        pytest.param(
            {
                "main.js": "import { a } from './a.js';\n",
                "a.js": "import { b } from './b.js';\nexport const a = 1;\n",
                "b.js": "import { a } from './a.js';\nexport const b = 1;\n",
            },
            r"b\.js: these modules import each other in a cycle: a\.js → b\.js → a\.js",
            id="cycle",
        ),
        pytest.param(
            {"main.js": "import { a } from './main.js';\nexport const a = 1;\n"},
            "cycle: main.js → main.js",
            id="imports-itself",
        ),
        pytest.param(
            {"main.js": "import { a } from './gone.js';\n"},
            r"main\.js: imports gone\.js, which cannot be read",
            id="missing-module",
        ),
        pytest.param(
            {"main.js": "export const a = 1;\nexport const a = 2;\n"}, "main.js: exports a twice", id="exported-twice"
        ),
        pytest.param(
            {"main.js": "import { a } from './a.js';\nimport { a } from './b.js';\n", "a.js": "", "b.js": ""},
            "main.js: imports a twice",
            id="imported-twice",
        ),
        pytest.param(
            {
                "main.js": "import { a } from './a.js';\nconst LIMIT = 3;\n",
                "a.js": "const LIMIT = 1;\nexport const a = 2;\n",
            },
            r"main\.js: a\.js declares LIMIT, too",
            id="same-private-constant",
        ),
        pytest.param(
            {
                "main.js": "import { a } from './a.js';\nfunction twice() {}\n",
                "a.js": "export function a() {}\nfunction* twice() {}\n",
            },
            r"main\.js: a\.js declares twice, too",
            id="same-private-function",
        ),
        pytest.param({"main.js": "import { a } from 'a';\n"}, "imports a: only files", id="import-of-a-package"),
        pytest.param({"main.js": "import { a } from './a';\n"}, "only files", id="import-without-extension"),
    ],
)
def test_modules_that_do_not_fit_are_refused(modules: dict[str, str], reason: str) -> None:
    with pytest.raises(BundleError, match=reason):
        put_together("main.js", modules)


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("import a from './a.js';", id="default-import"),
        pytest.param("import * as a from './a.js';", id="namespace-import"),
        pytest.param("import { a as b } from './a.js';", id="renamed-import"),
        pytest.param("import a, { b } from './a.js';", id="default-and-named-import"),
        pytest.param("import './a.js';", id="import-for-its-effects"),
        pytest.param("import {} from './a.js';", id="empty-import"),
        pytest.param('import { a } from "./a.js";', id="double-quotes"),
        pytest.param("const a = await import('./a.js');", id="dynamic-import"),
        pytest.param("const a = import.meta.url;", id="import-meta"),
        pytest.param("export default 1;", id="default-export"),
        pytest.param("export { a };", id="export-list"),
        pytest.param("export * from './a.js';", id="export-of-another's"),
        pytest.param("export let a = 1;", id="export-that-may-change"),
        pytest.param("export const { a } = b;", id="export-by-destructuring"),
        pytest.param("const { a } = b;", id="destructuring"),
    ],
)
def test_forms_that_are_not_understood_are_refused(statement: str) -> None:
    with pytest.raises(BundleError, match=r"^main\.js: .*not understood"):
        put_together("main.js", {"main.js": f"const first = 1;\n{statement}\n", "a.js": "export const a = 1;\n"})


def test_a_second_name_of_one_export_is_not_exported() -> None:
    modules = {"main.js": "import { b } from './a.js';\n", "a.js": "export const a = 1, b = 2;\n"}
    with pytest.raises(BundleError, match="does not export b"):
        put_together("main.js", modules)


def test_every_module_of_the_walker_is_used() -> None:
    sources = walker_source() + recorder_source()
    modules = {
        f"{folder.name}/{each.name}" if folder is not WALKER else each.name
        for folder in (WALKER, *(each for each in WALKER.iterdir() if each.is_dir()))
        for each in folder.iterdir()
        if each.name.endswith(".js")
    }
    assert {path for path in modules if f"\n// {path}\n" not in sources} == set()


def test_sources_are_ascii_so_that_the_engine_holds_them_in_one_byte_a_letter() -> None:
    assert (walker_source() + recorder_source()).isascii()
    assert r"GREEK = '\u03b1\u03b2" in walker_source()


def test_rows_know_every_reach_and_every_reason_for_unexplained_pixels() -> None:
    layout = tomllib.loads(WALKER.joinpath("row_layout.toml").read_text("utf-8"))
    assert set(REACHES) == set(Reach)
    assert set(layout["words"]["Opaque"]["values"]) == {each.value for each in Opaque}


def test_rows_have_the_fields_of_the_schema_in_its_order() -> None:
    layout = tomllib.loads(WALKER.joinpath("row_layout.toml").read_text("utf-8"))
    for struct in (Row, FrameRow):
        assert list(struct.__struct_fields__) == [each["name"] for each in layout["rows"][struct.__name__]["fields"]]

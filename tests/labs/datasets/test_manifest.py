import re
from pathlib import Path

import pytest

from perception.datasets.sources.manifest import PageSpec, load_manifest
from perception.datasets.sources.page_actions import Action, ActionVerb
from perception.errors import BadInputError

PACKAGE = f'[[package]]\nname = "a"\nregistry = "npm"\nversion = "1"\nlicence = "MIT"\nsha256 = "{"0" * 64}"\n'
ORIGIN = '[[origin]]\nname = "o"\nmount = "beside"\n'
PAGE = '[[page]]\nid = "p"\npackage = "a"\norigin = "o"\npath = "/a/"\ncategory = "form"\n'


def test_there_are_239_pages_of_23_families_and_more_than_half_are_seeded_episodes() -> None:
    pages = load_manifest().select([])
    assert len(pages) == 239
    assert len({page.family for page in pages}) == 23
    assert len([page for page in pages if page.family == "miniwob" and page.seeded]) == 132


def test_the_smoke_set_is_eight_pages_of_six_kinds_of_trouble() -> None:
    pages = load_manifest().select(["smoke"])
    assert len(pages) == 8
    assert {"table", "i18n", "shadow-dom", "canvas", "chart", "iframe"} == {page.category for page in pages}


def test_a_page_has_the_files_of_its_packages_and_an_apps_page_only_of_others() -> None:
    manifest = load_manifest()
    swagger, busy = manifest.pages["swagger-ui-dist--jupyter-api"], manifest.pages["locust--stats"]
    assert [each.name for each in manifest.files_of(swagger)] == ["swagger-ui-dist", "jupyter-server"]
    assert [each.name for each in manifest.packages_of(busy)] == ["locust", "admin-lte", "startbootstrap-sb-admin-2"]
    assert [each.name for each in manifest.files_of(busy)] == ["admin-lte", "startbootstrap-sb-admin-2"]


def test_selecting_nothing_selects_all_a_family_selects_its_pages_and_each_comes_once() -> None:
    manifest = load_manifest()
    assert manifest.select([]) == tuple(manifest.pages.values())
    notebook = manifest.select(["notebook"])
    assert [page.id for page in notebook] == ["notebook--tree", "notebook--doc", "notebook--terminal"]
    assert manifest.select(["notebook--doc", "notebook", "notebook--tree"]) == (notebook[1], notebook[0], notebook[2])


def test_what_is_neither_page_nor_family_is_named_with_what_lists_them() -> None:
    with pytest.raises(BadInputError, match=r"'no-such-page'.*perception dataset list --pages"):
        load_manifest().select(["admin-lte--index", "no-such-page"])


def test_every_app_pages_package_is_what_its_apps_lock_installs_byte_for_byte() -> None:
    manifest = load_manifest()
    for page in manifest.pages.values():
        if page.app:
            package, app = manifest.packages[page.package], manifest.apps[page.app]
            lock = (manifest.root / app.folder / app.lock).read_text()
            _, found, rest = f"\n{lock}".partition(f"\n{package.name}=={package.version} ")
            assert found, f"{page.id}: {package.name} {package.version} is not what is installed"
            hashes = re.match(r"(?:\s*\\?\s*--hash=sha256:[0-9a-f]{64})+", rest)
            assert hashes is not None
            assert package.sha256 in hashes.group()


def test_every_requirement_of_a_lock_has_an_exact_version_and_a_hash() -> None:
    manifest = load_manifest()
    locks = {manifest.root / app.folder / app.lock for app in manifest.apps.values()}
    assert len(locks) == 5
    for lock in locks:
        for entry in re.split(r"\n(?=\S)", re.sub(r"(?m)^#.*\n", "", lock.read_text())):
            assert re.match(r"[a-z0-9.-]+(\[[a-z0-9,-]+\])?==[^ ;]+ ", entry), entry
            assert "--hash=sha256:" in entry


FAMILY = """
[[family]]
name = "a"
origin = "o"
path = "/a/{}.html"
category = "form"
wait_ms = 5
names = ["one", "two"]
pages = [{ name = "three", path = "3", category = "table", package = "b" }]
"""


def test_a_family_is_a_page_for_each_name_and_row_and_a_row_has_the_last_word(tmp_path: Path) -> None:
    file = tmp_path / "manifest.toml"
    file.write_text(PACKAGE + PACKAGE.replace('"a"', '"b"') + ORIGIN + FAMILY)
    assert load_manifest(file).pages == {
        "a--one": PageSpec("a--one", "/a/one.html", "form", "a", "o", wait_ms=5),
        "a--two": PageSpec("a--two", "/a/two.html", "form", "a", "o", wait_ms=5),
        "a--three": PageSpec("a--three", "/a/3.html", "table", "b", "o", wait_ms=5),
    }


def test_actions_come_in_order_and_an_eval_takes_the_seed(tmp_path: Path) -> None:
    file = tmp_path / "manifest.toml"
    rows = '[["eval", "seed({seed})"], ["click", "a"], ["type", "{seed}"], ["press", "Enter"], ["wait", 7]]'
    file.write_text(PACKAGE + ORIGIN + PAGE + f"seeded = true\nactions = {rows}\n")
    assert load_manifest(file, seed="x7").pages["p"].actions == (
        Action(ActionVerb.EVAL, "seed(x7)"),
        Action(ActionVerb.CLICK, "a"),
        Action(ActionVerb.TYPE, "{seed}"),
        Action(ActionVerb.PRESS, "Enter"),
        Action(ActionVerb.WAIT, 7),
    )


def test_another_seed_changes_the_actions_of_the_seeded_pages_alone() -> None:
    one, two = load_manifest(), load_manifest(seed="2")
    changed = {page_id for page_id, page in one.pages.items() if page != two.pages[page_id]}
    assert changed == {page.id for page in one.pages.values() if page.seeded}


def test_a_seed_that_could_end_a_string_in_a_script_is_refused() -> None:
    with pytest.raises(BadInputError, match="letters and digits"):
        load_manifest(seed="');alert('")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("[[page", "manifest.toml", id="no-toml"),
        pytest.param(PACKAGE.replace("npm", "cargo") + ORIGIN + PAGE, "cargo", id="unknown-registry"),
        pytest.param(PACKAGE.replace("0" * 64, "0" * 63) + ORIGIN + PAGE, "64 hexadecimal digits", id="short-hash"),
        pytest.param(PACKAGE + PACKAGE + ORIGIN + PAGE, "twice", id="a-package-twice"),
        pytest.param(ORIGIN + PAGE, "package 'a'", id="a-package-that-is-not-there"),
        pytest.param(PACKAGE + PAGE, "origin 'o'", id="an-origin-that-is-not-there"),
        pytest.param(PACKAGE + ORIGIN + PAGE + 'app = "x"\n', "its origin or its app", id="both-origin-and-app"),
        pytest.param(PACKAGE + ORIGIN + PAGE + "wait = 1\n", "wait", id="an-unknown-part"),
        pytest.param(PACKAGE + ORIGIN + PAGE.replace('path = "/a/"\n', ""), "path", id="a-part-is-missing"),
        pytest.param(PACKAGE + ORIGIN + PAGE.replace('"/a/"', '"a/"'), "start with /", id="a-relative-path"),
        pytest.param(PACKAGE + ORIGIN + PAGE + "wait_ms = -1\n", "0 or more", id="a-wait-before-loading"),
        pytest.param(PACKAGE + ORIGIN + PAGE + "actions = 1\n", "a list of", id="actions-are-no-list"),
        pytest.param(PACKAGE + ORIGIN + PAGE + 'actions = [["hop", "x"]]\n', "verb of click,", id="an-unknown-verb"),
        pytest.param(PACKAGE + ORIGIN + PAGE + 'actions = [["click"]]\n', "verb of click,", id="no-argument"),
        pytest.param(PACKAGE + ORIGIN + PAGE + 'actions = [["wait", "9"]]\n', "milliseconds", id="wait-for-a-text"),
        pytest.param(PACKAGE + ORIGIN + PAGE + 'actions = [["wait", 0]]\n', "milliseconds", id="wait-for-nothing"),
        pytest.param(PACKAGE + ORIGIN + PAGE + 'actions = [["wait", true]]\n', "milliseconds", id="wait-for-true"),
        pytest.param(PACKAGE + ORIGIN + PAGE + 'actions = [["click", ""]]\n', "a text", id="click-on-nothing"),
        pytest.param(PACKAGE + ORIGIN + PAGE + "seeded = true\n", "{seed}", id="seeded-by-nothing"),
        pytest.param(PACKAGE + ORIGIN + PAGE + 'actions = [["eval", "{seed}"]]\n', "seeded", id="a-seed-unsaid"),
        pytest.param(PACKAGE + ORIGIN + FAMILY.replace('path = "/a/{}.html"', ""), "path", id="a-family-nowhere"),
        pytest.param(
            PACKAGE + '[[patch]]\npackage = "c"\nfile = "f"\nfind = "x"\nreplace = "y"\n',
            "package 'c'",
            id="patch-of-none",
        ),
    ],
)
def test_a_manifest_that_cannot_be_right_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "manifest.toml"
    file.write_text(text)
    with pytest.raises(BadInputError, match=words):
        load_manifest(file)


def test_an_empty_manifest_has_no_pages(tmp_path: Path) -> None:
    file = tmp_path / "manifest.toml"
    file.write_text("")
    assert load_manifest(file).pages == {}

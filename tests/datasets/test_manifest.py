from pathlib import Path

import pytest

from perception.datasets.manifest import load_manifest
from perception.errors import BadInputError

PACKAGE = f'[[package]]\nname = "a"\nregistry = "npm"\nversion = "1"\nlicence = "MIT"\nsha256 = "{"0" * 64}"\n'
ORIGIN = '[[origin]]\nname = "o"\nmount = "beside"\n'
PAGE = '[[page]]\nid = "p"\npackage = "a"\norigin = "o"\npath = "/a/"\ncategory = "form"\n'


def test_the_smoke_set_is_eight_pages_of_eight_kinds_of_trouble() -> None:
    pages = load_manifest().select([])
    assert len(pages) == 8
    assert {"table", "i18n", "shadow-dom", "canvas", "chart", "iframe"} == {page.category for page in pages}
    assert all(page.path.startswith("/") for page in pages)


def test_what_a_page_needs_is_listed_once_with_its_apps_packages() -> None:
    manifest = load_manifest()
    needed = manifest.needs(manifest.pages["django-admin--ar"])
    assert [package.name for package in needed] == ["django", "asgiref", "sqlparse"]


def test_selecting_nothing_selects_all_and_an_unknown_page_is_named() -> None:
    manifest = load_manifest()
    assert manifest.select([]) == tuple(manifest.pages.values())
    with pytest.raises(BadInputError, match="no-such-page"):
        manifest.select(["no-such-page"])


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

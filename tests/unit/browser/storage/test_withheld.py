"""A state holds no secret by name, and all the rest."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest

from perception.browser.storage.state import BrowserState, Cookie, Database, ObjectStore, OriginStorage, StorageItem
from perception.browser.storage.withheld import withhold_secrets
from perception.page_words import plain_words
from perception.secrets import Masker, NamedSecret

SECRET = 'Zebra "Quartz" 77%'
MASKER = Masker([NamedSecret("bank", SECRET)])
SITE = "https://bank.example"

KEPT = BrowserState(
    [Cookie("sid", "t0k3n", ".bank.example")],
    [
        OriginStorage(
            SITE,
            [StorageItem("token", "t0k3n")],
            [Database("app", 1, [ObjectStore("users", [{"value": 1}], [], False)])],
        )
    ],
)


def stored(value: str) -> BrowserState:
    """`KEPT`, and a value beside each of its own."""
    record = {"valueEncoded": {"o": [{"k": "password", "v": value}], "id": 1}}
    database = Database("app", 1, [ObjectStore("users", [{"value": 1}, record], [], False)])
    items = [StorageItem("token", "t0k3n"), StorageItem("draft", f'{{"password":"{value}"}}')]
    cookies = [Cookie("sid", "t0k3n", ".bank.example"), Cookie("remember", value, ".bank.example")]
    return BrowserState(cookies, [OriginStorage(SITE, items, [database])])


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(SECRET, id="plain"),
        pytest.param(quote(SECRET), id="url"),
        pytest.param(base64.b64encode(f"ana:{SECRET}".encode()).decode(), id="base64"),
    ],
)
def test_what_holds_a_secret_is_left_out_and_named(value: str) -> None:
    state, notes = withhold_secrets(stored(value), MASKER)
    assert state == KEPT
    assert [plain_words(each).partition(":")[0] for each in notes] == [
        'cookie "remember" of .bank.example',
        'item "draft" of "https',
        '1 record of the database "app of https',
    ]


def test_name_of_a_database_that_holds_a_secret_leaves_the_databases_out() -> None:
    state = BrowserState([], [OriginStorage(SITE, [StorageItem("a", "b")], [Database(SECRET, 1)])])
    left, notes = withhold_secrets(state, MASKER)
    assert left == BrowserState([], [OriginStorage(SITE, [StorageItem("a", "b")])])
    assert len(notes) == 1


def test_state_without_secrets_is_the_same() -> None:
    state, notes = withhold_secrets(KEPT, MASKER)
    assert (state is KEPT, notes) == (True, [])

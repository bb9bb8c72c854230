"""Secrets by name: typed where they may be, and seen nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from perception.errors import BadInputError, UnknownSecretError
from perception.secrets import mask_of
from perception.server.app import Service
from perception.server.auth.secret_store import SecretStore
from perception.server.auth.secrets_file import parse_secrets
from perception.server.settings import Settings
from perception.server.telemetry.log_masking import mask_log
from tests.support.secrets_files import WORD, secrets_file

MASK = mask_of("word")


BROKEN = [
    pytest.param("", None, id="empty"),
    pytest.param("[a]\nvalue = 'abc'", "secret a has not 4 to", id="short"),
    pytest.param("[a]\nvalue = '     '", "secret a has not 4 to", id="blank"),
    pytest.param("[a]\nvalue = 12345678", "secret a: write", id="number"),
    pytest.param("[a]\norigins = []", "secret a: write", id="no-value"),
    pytest.param("a = 'hunter2hunter2'", "secret a: write", id="no-table"),
    pytest.param("[a]\nvalue = 'hunter2hunter2'\norigin = 'x'", "there is no 'origin'", id="misspelt"),
    pytest.param("[a]\nvalue = 'hunter2hunter2'\norigins = 'https://x'", "list of texts", id="one-text"),
    pytest.param("[a]\nvalue = 'hunter2hunter2'\norigins = []", "list of texts", id="no-origins"),
    pytest.param("[a]\nvalue = 'hunter2hunter2'\norigins = ['x.example']", "is not an origin", id="host"),
    pytest.param("[a]\nvalue = 'hunter2hunter2'\norigins = ['https://x.example/path']", "is not an origin", id="path"),
    pytest.param(
        "[a]\nvalue = 'hunter2hunter2'\norigins = ['https://*.example']\n[a]", "is not valid TOML", id="twice"
    ),
    pytest.param("['a b']\nvalue = 'hunter2hunter2'", "is not a name", id="name"),
    pytest.param("[a]\nvalue = 'hunter2hunter2", "is not valid TOML", id="syntax"),
]


@pytest.mark.parametrize(("text", "message"), BROKEN)
def test_secrets_files_with_mistakes_are_refused_without_telling_values(text: str, message: str | None) -> None:
    if message is None:
        assert parse_secrets(text.encode()) == ()
        return
    with pytest.raises(BadInputError, match=message) as caught:
        parse_secrets(text.encode())
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("written", "origin"),
    [
        ("https://Shop.Example", "https://shop.example"),
        ("https://shop.example:443/", "https://shop.example"),
        ("http://shop.example:8080", "http://shop.example:8080"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("http://[::1]:80", "http://[::1]"),
    ],
)
def test_origins_are_read_as_browsers_write_them(written: str, origin: str) -> None:
    (secret,) = parse_secrets(f"[a]\nvalue = 'hunter2hunter2'\norigins = ['{written}']".encode())
    assert secret.origins == (origin,)


def test_vault_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = secrets_file(tmp_path, "https://x.example")
    path.chmod(0o640)
    with pytest.raises(BadInputError, match="can be read by other users"):
        SecretStore(path)


def test_secrets_are_for_their_principals(tmp_path: Path) -> None:
    vault = SecretStore(secrets_file(tmp_path, "https://x.example"))
    assert vault.take("hers", "ana").value == "Hers-Alone-11"
    with pytest.raises(UnknownSecretError):
        vault.take("hers", "ben")
    masks = [vault.masker(who) for who in ("ana", "ben")]
    assert [mask.text("Hers-Alone-11") for mask in masks if mask] == [mask_of("hers"), "Hers-Alone-11"]


def test_vault_is_read_again_when_it_changes(tmp_path: Path) -> None:
    path = secrets_file(tmp_path, "https://x.example")
    vault = SecretStore(path)
    path.write_text("[new]\nvalue = 'brand-new-one'\n")
    assert vault.take("new", "").value == "brand-new-one"
    with pytest.raises(UnknownSecretError):
        vault.take("word", "")


async def test_log_lines_hold_no_secret_of_any_service_in_the_process(tmp_path: Path) -> None:
    path = tmp_path / "more.toml"
    path.touch(0o600)
    path.write_text("[more]\nvalue = 'Other-Service-88'\n")
    files = [secrets_file(tmp_path, "https://x.example"), path, None]
    services = [
        Service(Settings(address=f"unix:{tmp_path / str(index)}", secrets_file=file))
        for index, file in enumerate(files)
    ]
    line = mask_log(None, "info", {"event": "typed", "said": [f"{WORD} Other-Service-88"]})
    assert line == {"event": "typed", "said": [f"{MASK} {mask_of('more')}"]}
    for service in services:
        await service.stop()

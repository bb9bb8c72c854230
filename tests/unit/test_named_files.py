"""Files that a user names: a device is not read for ever."""

from pathlib import Path

import pytest

from perception.errors import BadInputError
from perception.named_files import read_text
from perception.server.viewer.certificate_names import certificate_names


def test_a_text_is_read_without_its_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes("\ufeffa,ü\n".encode())
    assert read_text(tmp_path / "rows.csv") == "a,ü\n"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("/dev/zero", "it is larger than 64 MiB"),
        ("/dev", "Is a directory"),
        ("/nowhere/rows.csv", "No such file or directory"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_reason(name: str, why: str) -> None:
    with pytest.raises(BadInputError, match=f"^{name} cannot be read: {why}$"):
        read_text(Path(name))


def test_a_text_in_another_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_bytes("ü".encode("latin-1"))
    with pytest.raises(BadInputError, match=r"old\.csv cannot be read: it is not text in UTF-8$"):
        read_text(tmp_path / "old.csv")


def test_a_device_is_not_the_viewers_certificate() -> None:
    with pytest.raises(BadInputError, match="the certificate cannot be read: it is larger than 1 MiB"):
        certificate_names(Path("/dev/zero"))

"""The TypeScript client knows every reason that the service gives."""

import re

from perception import errors
from perception.errors import PerceptionError
from tests.paths import ROOT

SOURCE = ROOT / "examples/node/src/reasons.ts"


def test_the_typescript_client_lists_every_reason() -> None:
    kinds = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, PerceptionError)]
    assert re.findall(r"'(\w+)'", SOURCE.read_text("utf-8")) == sorted({kind.reason for kind in kinds})

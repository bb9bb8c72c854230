"""Secrets that an operator keeps for the service: used by name, typed where they may be, seen by nobody."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

import structlog

from perception.errors import UnknownSecretError
from perception.secrets import Masker, NamedSecret
from perception.server.auth.private_file import reread_private
from perception.server.auth.secrets_file import parse_secrets
from perception.server.telemetry.log_masking import mask_in_logs

log = structlog.get_logger(__name__)


class SecretStore:
    """The secrets of one service. Without a file there are none."""

    def __init__(self, path: Path | None) -> None:
        """Raises BadInputError, as `parse_secrets` and `read_private`."""
        self._file = reread_private(path, "the secrets file", parse_secrets) if path is not None else None
        if self._file is not None:
            mask_in_logs(self)
        for each in self._all():
            if not each.origins:
                log.warning("secret may be typed into every page: give it origins", secret=each.name)

    def take(self, name: str, principal: str) -> NamedSecret:
        """Raises UnknownSecretError, also of one that somebody else may use."""
        for each in self._all():
            if each.name == name and _is_for(each, principal):
                return each
        raise UnknownSecretError(f"no secret {name[:40]!r}: the service's operator names those there are")

    def own(self, name: str) -> NamedSecret:
        """One that the service itself uses, whoever else may. Raises UnknownSecretError."""
        for each in self._all():
            if each.name == name:
                return each
        raise UnknownSecretError(f"no secret {name[:40]!r} in the secrets file: name one that is there")

    def masker(self, principal: str) -> Masker | None:
        """Masks what a principal may use; None where that is nothing. Others' are not masked: what is would tell
        which guess of them is right."""
        secrets = self._all()
        return _masker_for(secrets, principal) if secrets else None

    def concealer(self, principal: str) -> Callable[[], Masker | None] | None:
        """Gives that masker, as of then; None where no secrets are kept."""
        return partial(self.masker, principal) if self._file is not None else None

    def whole_masker(self) -> Masker | None:
        """Masks all, for what the operator keeps."""
        secrets = self._all()
        return _masker_of(secrets) if secrets else None

    def _all(self) -> tuple[NamedSecret, ...]:
        return self._file.content if self._file is not None else ()


def _is_for(secret: NamedSecret, principal: str) -> bool:
    return not secret.principals or principal in secret.principals


@lru_cache(maxsize=8)  # every log line needs one for each service of the process
def _masker_of(secrets: tuple[NamedSecret, ...]) -> Masker:
    return Masker(secrets)


@lru_cache(maxsize=256)
def _masker_for(secrets: tuple[NamedSecret, ...], principal: str) -> Masker | None:
    own = [each for each in secrets if _is_for(each, principal)]
    return Masker(own) if own else None

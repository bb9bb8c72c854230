"""Reads the reports of the recorder's script as events, redacted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from perception.secrets import Masker
from perception.subroutines.masking import RecordingMasker, local_address
from perception.subroutines.recording import ADDRESSED, Event, Field, Target


class EventReader:
    """Reads reports of one recording.

    Args:
        vault: masks the recording's secrets.
        masker: masks the secrets that no answer may show; None where there are none.
        named: values of these secrets.
    """

    def __init__(self, vault: RecordingMasker, masker: Masker | None, named: Collection[str]) -> None:
        self._vault = vault
        self._masker = masker
        self._named = named

    def read(self, report: Mapping[str, Any], begun_ms: float, tab: int) -> Event:
        """One event. Raises KeyError, TypeError, ValueError or msgspec.MsgspecError for what is not a report."""
        frame, owner = report["frame"], report.get("owner", "")
        target = self._target(report["target"], frame, owner)
        field = msgspec.convert(report.get("field", {}), Field)
        value = report.get("value", "")
        if report.get("secret"):
            key = f"{frame} {target.selector} {target.name}"
            value = self._vault.give(key, str(value), field.name or target.name or "secret")
        elif isinstance(value, str):
            value = self._vault.mask_value("", value) if value in self._named else self._vault.mask_text(value)
        options = {name: tuple(report.get(name, ())) for name in ("values", "options", "option_values")}
        return Event(
            kind=report["kind"],
            at_ms=report["at"] - begun_ms,
            url=self._vault.mask_url(report["url"]),
            target=target,
            value=value,
            secret=report.get("secret", ""),
            multiple=bool(report.get("multiple", False)),
            field=field,
            to=self._target(report["to"], frame, owner) if "to" in report else ADDRESSED,
            tab=tab,
            clear=bool(report.get("clear", False)),
            **options,
        )

    def _target(self, found: Mapping[str, Any], frame: str, owner: str) -> Target:
        target = {**found, "frame": frame, "owner": owner}
        if self._masker is not None:  # a page may name its elements by what was typed
            texts = {key: self._masker.text(text) for key, text in target.items() if isinstance(text, str)}
            target = {**target, **texts}
        target["href"] = local_address(self._vault.mask_url(str(target.get("href", "")))) if target.get("href") else ""
        target["cells"] = [
            {**cell, "column": self._near(cell["column"]), "text": self._near(cell["text"])}
            for cell in target.get("cells", ())
        ]
        target["near"] = {key: self._near(fact) for key, fact in target.get("near", {}).items()}
        return msgspec.convert(target, Target)

    def _near(self, fact: Any) -> Any:
        """A fact of what is around an element; one with a secret is left out."""
        if not isinstance(fact, str):
            return fact
        masked = self._vault.mask_text(fact if self._masker is None else self._masker.text(fact))
        return fact if masked == fact else ""

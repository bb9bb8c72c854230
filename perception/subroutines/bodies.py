"""Bodies: what a request carried, read from what DevTools and the page's patch tell of it, and masked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from perception.subroutines.masking import Vault
from perception.subroutines.recording import Body

File = tuple[str, str, str, int]
"""Field, name, type and size of a file in a form."""

MAX_TEXT = 2000
"""Characters of a body that is neither form nor JSON: enough to tell what it is."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What the patch tells of a request: milliseconds since 1970, and the body by kind. Not masked. It is `wrapped` if
    the page has put something of its own around fetch."""

    method: str
    url: str
    at_ms: float
    kind: str
    fields: tuple[tuple[str, str], ...] = ()
    files: tuple[File, ...] = ()
    size: int = 0
    wrapped: bool = False

    @classmethod
    def of(cls, news: Mapping[str, Any]) -> Sent:
        """From the patch's own form."""
        body = news["body"]
        fields = body.get("fields", ())
        files = [each | {"field": field["name"]} for field in fields if (each := field.get("file"))]
        if body["kind"] == "blob" and "name" in body:
            files = [{"field": "", "name": body["name"], "type": body["type"], "size": body["size"]}]
        return cls(
            news["method"],
            news["url"],
            float(news["at"]),
            body["kind"],
            tuple((field["name"], field["value"]) for field in fields if "value" in field),
            tuple((each["field"], each["name"], each["type"], each["size"]) for each in files),
            int(body.get("size", 0)),
            bool(news.get("wrapped", False)),
        )


def read_body(
    content_type: str, text: str, has_body: bool, sent: Sent | None, files: Sequence[File], vault: Vault
) -> Body:
    """A body as it may be kept.

    Args:
        text: as DevTools tells it; empty where there is none, or where it is told nothing of it.
        sent: what the patch tells, if it saw the request.
        files: of a form that was submitted at that moment.
    """
    if not text and not has_body and (sent is None or sent.kind == "none"):
        return Body()
    kind, size = content_type.partition(";")[0].strip().lower(), len(text.encode())
    if sent is not None and sent.kind == "formdata":
        return _form("formdata", sent.fields, sent.files, size or sent.size, vault)
    if kind == "application/x-www-form-urlencoded":
        return _form("urlencoded", parse_qsl(text, keep_blank_values=True), (), size, vault, cut=has_body and not text)
    if kind == "multipart/form-data":
        fields, found = _multipart(content_type, text)
        return _form("formdata", fields, files or found, size, vault, cut=has_body and not text and not files)
    if sent is not None and sent.kind in ("bytes", "blob", "stream"):
        return Body(sent.kind, files=sent.files, size=sent.size or size)
    parsed = _json(text) if kind.endswith("json") or text[:1] in ("{", "[") else None
    if parsed is not None:
        return Body("json", json=vault.mask_json(parsed), size=size)
    if not text:
        return Body("other", size=-1, cut=True)
    return Body("text", text=vault.mask_text(text)[:MAX_TEXT], size=size, cut=len(text) > MAX_TEXT)


def _form(
    kind: str,
    fields: Sequence[tuple[str, str]],
    files: Sequence[File],
    size: int,
    vault: Vault,
    *,
    cut: bool = False,
) -> Body:
    masked = tuple((name, _field(name, value, vault)) for name, value in fields)
    return Body(kind, fields=masked, files=tuple(files), size=size, cut=cut)


def _field(name: str, value: str, vault: Vault) -> str:
    """A form's value; one that is JSON (GraphQL's variables mostly) is masked leaf by leaf."""
    parsed = _json(value) if value[:1] in ("{", "[") else None
    if isinstance(parsed, dict | list):
        return msgspec.json.encode(vault.mask_json(parsed)).decode()
    return vault.mask_value(name, value)


def _json(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None


def _multipart(content_type: str, text: str) -> tuple[list[tuple[str, str]], list[File]]:
    """Fields and files of a multipart body (RFC 7578), as far as DevTools has it as text."""
    header = Message()
    header["content-type"] = content_type
    boundary = header.get_param("boundary")
    fields: list[tuple[str, str]] = []
    files: list[File] = []
    for part in text.split(f"--{boundary}")[1:] if boundary else []:
        head, found, value = part.strip("\r\n").partition("\r\n\r\n")
        name = re.search(r'name="([^"]*)"', head)
        if not found or name is None:
            continue
        file = re.search(r'filename="([^"]*)"', head)
        if file is None:
            fields.append((name[1], value))
        elif file[1]:
            kind = re.search(r"content-type:\s*(\S+)", head, re.I)
            files.append((name[1], file[1], kind[1] if kind else "", len(value.encode())))
    return fields, files

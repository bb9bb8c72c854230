"""Reads and masks request bodies, from the data of DevTools and of the patch in the page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from perception.subroutines.answers import parse_json
from perception.subroutines.body_writing import style_of, unescape_name, write_json, write_multipart
from perception.subroutines.masking import RecordingMasker
from perception.subroutines.recording import Body

File = tuple[str, str, str, int]
"""Field, file name, type and size of a file in a form."""

REPLACED = "\ufffd"
"""Stands for bytes that are not UTF-8: what they were is not known."""

MAX_BODY_TEXT = 2000
"""Maximum length of a body that is neither form nor JSON, characters: enough to identify it."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as the patch in the page reports it. Not masked.

    Attributes:
        method: HTTP method.
        url: URL.
        at_ms: milliseconds since 1970.
        kind: kind of the body.
        fields: name and value of form fields.
        files: files of a form.
        size: bytes of the body.
        wrapped: whether the page has replaced `fetch` by a wrapper.
        blank_files: indices in `fields` of file fields without a file.
        cut: whether fields are missing or cut, because there are too many or they are too long.
    """

    method: str
    url: str
    at_ms: float
    kind: str
    fields: tuple[tuple[str, str], ...] = ()
    files: tuple[File, ...] = ()
    size: int = 0
    wrapped: bool = False
    blank_files: tuple[int, ...] = ()
    cut: bool = False

    @classmethod
    def of(cls, news: Mapping[str, Any]) -> Sent:
        """Parses a message of the patch."""
        body = news["body"]
        fields: list[tuple[str, str]] = []
        files: list[File] = []
        blank: list[int] = []
        for each in body.get("fields", ()):
            file = each.get("file")
            if file is None or (file["name"], file["size"]) == ("", 0):
                blank += [len(fields)] if file is not None else []
                fields.append((each["name"], each.get("value", "")))
            else:
                files.append((each["name"], file["name"], file["type"], file["size"]))
        if body["kind"] == "blob" and "name" in body:
            files = [("", body["name"], body["type"], body["size"])]
        return cls(
            news["method"],
            news["url"],
            float(news["at"]),
            body["kind"],
            tuple(fields),
            tuple(files),
            int(body.get("size", 0)),
            bool(news.get("wrapped", False)),
            tuple(blank),
            bool(body.get("cut", False)),
        )


def read_body(
    content_type: str, text: str, has_body: bool, sent: Sent | None, files: Sequence[File], masker: RecordingMasker
) -> Body:
    """Reads and masks a body.

    Args:
        content_type: content type of the request.
        text: body by DevTools; "" if there is none or DevTools does not have it.
        has_body: whether the request has a body by DevTools.
        sent: the patch's report; None if the patch did not see the request.
        files: files of a form that was submitted at that moment.
        masker: the recording's secrets.
    """
    if not text and not has_body and (sent is None or sent.kind == "none"):
        return Body()
    kind, size = content_type.partition(";")[0].strip().lower(), len(text.encode())
    if sent is not None and sent.kind == "formdata":
        return Body(
            "formdata",
            fields=_masked(sent.fields, masker),
            files=sent.files,
            blank_files=sent.blank_files,
            size=size or sent.size,
            cut=sent.cut,
        )
    if kind == "application/x-www-form-urlencoded":
        pairs = parse_qsl(text, keep_blank_values=True)
        style = style_of(text, pairs)
        return Body(
            "urlencoded",
            fields=_masked(pairs, masker),
            style=style or "",
            inexact=style is None,
            size=size,
            cut=has_body and not text,
        )
    if kind == "multipart/form-data":
        return _multipart_body(content_type, text, has_body, files, masker)
    if sent is not None and sent.kind in ("bytes", "blob", "stream"):
        return Body(sent.kind, files=sent.files, size=sent.size or size)
    parsed = parse_json(text) if kind.endswith("json") or text[:1] in ("{", "[") else None
    if parsed is not None:
        inexact = REPLACED in text or write_json(parsed) != text
        return Body("json", json=masker.mask_json(parsed), size=size, inexact=inexact)
    if not text:
        return Body("other", size=-1, cut=True)
    return Body("text", text=masker.mask_text(text)[:MAX_BODY_TEXT], size=size, cut=len(text) > MAX_BODY_TEXT)


def _multipart_body(
    content_type: str, text: str, has_body: bool, files: Sequence[File], masker: RecordingMasker
) -> Body:
    boundary = _boundary(content_type)
    parts = _multipart(boundary, text)
    found = tuple(files) or parts.files
    written = write_multipart(boundary, parts.fields, parts.blank_files)
    return Body(
        "formdata",
        fields=_masked(parts.fields, masker),
        files=found,
        blank_files=parts.blank_files,
        size=len(text.encode()),
        cut=has_body and not text and not files,
        inexact=bool(text) and not found and (REPLACED in text or written != text),
    )


def _masked(fields: Sequence[tuple[str, str]], masker: RecordingMasker) -> tuple[tuple[str, str], ...]:
    return tuple((name, _field(name, value, masker)) for name, value in fields)


def _field(name: str, value: str, masker: RecordingMasker) -> str:
    """A masked form value; JSON in it (mostly GraphQL's variables) is masked leaf by leaf."""
    parsed = parse_json(value) if value[:1] in ("{", "[") else None
    if isinstance(parsed, dict | list):
        masked = masker.mask_json(parsed)
        return value if masked == parsed else msgspec.json.encode(masked).decode()
    return masker.mask_value(name, value)


@dataclass(frozen=True, slots=True)
class _Parts:
    """Fields and files of a multipart body. `blank_files` are indices in `fields` of file fields without a file."""

    fields: tuple[tuple[str, str], ...]
    files: tuple[File, ...]
    blank_files: tuple[int, ...]


def _boundary(content_type: str) -> str:
    header = Message()
    header["content-type"] = content_type
    return str(header.get_param("boundary") or "")


def _multipart(boundary: str, text: str) -> _Parts:
    """The parts of a multipart body (RFC 7578), as far as DevTools has them as text."""
    fields: list[tuple[str, str]] = []
    files: list[File] = []
    blank: list[int] = []
    for part in f"\r\n{text}".split(f"\r\n--{boundary}")[1:] if boundary else []:
        head, found, value = part.partition("\r\n\r\n")
        name = re.search(r'(?<!file)name="([^"]*)"', head)
        if not found or name is None:
            continue
        field, file = unescape_name(name[1]), re.search(r'filename="([^"]*)"', head)
        if file is not None and (file[1] or value):
            kind = re.search(r"content-type:\s*(\S+)", head, re.I)
            files.append((field, file[1], kind[1] if kind else "", len(value.encode())))
            continue
        if file is not None:
            blank.append(len(fields))
        fields.append((field, value))
    return _Parts(tuple(fields), tuple(files), tuple(blank))

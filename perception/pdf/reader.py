"""A stand-alone program that reads one PDF with PDFium: a file from the web, in C++, so it may crash, hang or grow.

Usage: reader.py MAX_CHARACTERS MAX_MEMORY_BYTES < FILE

It writes a JSON value on each line: first `{"pages": 3, "title": "…"}`, or `{"error": "encrypted"}` or
`{"error": "broken"}`; then for each page `{"page": 1, "text": "…", "links": [["text", "address"], …]}`. It stops after
MAX_CHARACTERS of text. As root it becomes the user `nobody` before it reads the file's content.
"""

import ctypes
import encodings.utf_16_le  # noqa: F401 - what PDFium's texts are in: `nobody` may not read Python's files
import json
import os
import sys
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

MAX_LINKS = 1000
"""Most links of a page."""

MAX_ADDRESS = 4096
"""Bytes of a link's address."""


def main() -> None:
    left = int(sys.argv[1])
    data = sys.stdin.buffer.read()
    _restrict(int(sys.argv[2]))
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as exc:
        _write({"error": "encrypted" if "password" in str(exc).lower() else "broken"})
        return
    _write({"pages": len(document), "title": _title(document)})
    for number in range(len(document)):
        if left <= 0:
            return
        read = _page(document, number)
        left -= len(read["text"]) + sum(map(len, (each for link in read["links"] for each in link)))
        _write(read)


def _page(document: Any, number: int) -> dict[str, Any]:
    """A page that PDFium cannot read has no text."""
    try:
        page = document[number]
        text = page.get_textpage()
        return {"page": number + 1, "text": text.get_text_range(), "links": [*_links(document, page, text)]}
    except pypdfium2.PdfiumError:
        return {"page": number + 1, "text": "", "links": [], "error": "broken"}


def _links(document: Any, page: Any, text: Any) -> Any:
    """The links of a page: [their text, their address]."""
    position, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    for _ in range(MAX_LINKS):
        if not pdfium.FPDFLink_Enumerate(page.raw, position, link):
            return
        action = pdfium.FPDFLink_GetAction(link)
        address = ctypes.create_string_buffer(MAX_ADDRESS)
        if (
            not action
            or not 1 < pdfium.FPDFAction_GetURIPath(document.raw, action, address, MAX_ADDRESS) <= MAX_ADDRESS
        ):
            continue
        box = pdfium.FS_RECTF()
        words = ""
        if pdfium.FPDFLink_GetAnnotRect(link, box):
            words = " ".join(text.get_text_bounded(box.left, box.bottom, box.right, box.top).split())
        yield [words, address.value.decode("utf-8", "replace")]


def _title(document: Any) -> str:
    try:
        return str(document.get_metadata_value("Title"))
    except (pypdfium2.PdfiumError, UnicodeError):
        return ""


def _write(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def _restrict(max_memory: int) -> None:
    """Takes away what reading a file does not need."""
    if sys.platform == "win32":
        return
    import resource

    if os.getuid() == 0:
        import pwd

        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG: ends with the service
        resource.setrlimit(resource.RLIMIT_AS, (max_memory, max_memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()

"""A session's requests as a HAR file, written part by part: no more than one part is in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from importlib.metadata import version

from perception.browser.traffic.bodies import Body, read_request_body, read_response_body
from perception.browser.traffic.har import END, find_pages, write_entry, write_head
from perception.browser.traffic.request_facts import RequestFacts
from perception.deadline import Deadline
from perception.errors import DeadlineError
from perception.secrets import Masker

PART_BYTES = 256 * 2**10

BODIES_SHARE = 0.8
"""Share of the time that is left: bodies that were not read by then are left out, so that the file is whole."""


class HarExport:
    """One file.

    Args:
        requests: in the order in which they were sent.
        browser: name and version.
        maskers: of the secrets that no answer may show, and of what was typed; None where there are none.
        limit: bytes of each body; 0 for no bodies.

    Attributes:
        missing_bodies: that could not be read so far.
    """

    def __init__(
        self, requests: Sequence[RequestFacts], browser: str, maskers: Sequence[Masker | None], limit: int
    ) -> None:
        self.missing_bodies = 0
        self._requests = requests
        self._browser = browser
        self._maskers = [each for each in maskers if each is not None]
        self._limit = limit

    async def parts(self, deadline: Deadline) -> AsyncIterator[bytes]:
        """The file in parts. Whoever takes them slowly holds up nothing but this."""
        pages = find_pages(self._requests)
        bodies_by = deadline.share(deadline.remaining() * BODIES_SHARE)
        written = [self._mask(write_head(version("perception-service"), self._browser, pages)).encode()]
        size = len(written[0])
        for index, facts in enumerate(self._requests):
            sent, came = await self._bodies(facts, bodies_by)
            entry = await asyncio.to_thread(write_entry, facts, sent, came, pages, self._mask, self._limit)
            written.append(f"{',' if index else ''}\n{entry}".encode("utf-8", "replace"))
            size += len(written[-1])
            if size >= PART_BYTES:
                for part in _split(b"".join(written)):
                    yield part
                written, size = [], 0
        yield b"".join([*written, END.encode()])

    def _mask(self, text: str) -> str:
        for each in self._maskers:
            text = each.text(text)
        return text

    async def _bodies(self, facts: RequestFacts, deadline: Deadline) -> tuple[Body | None, Body | None]:
        if not self._limit:
            return None, None
        try:
            sent, came = await asyncio.gather(read_request_body(facts, deadline), read_response_body(facts, deadline))
        except DeadlineError:
            sent, came = None, Body(None, facts.body_bytes, "no time was left to read it")
        self.missing_bodies += sum(each is not None and bool(each.missing) for each in (sent, came))
        return sent, came


def _split(data: bytes) -> list[bytes]:
    """Data in parts: an entry with a body may be larger than one."""
    return [data[at : at + PART_BYTES] for at in range(0, len(data), PART_BYTES)]

"""Results kept for repeated request ids."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from perception.errors import RequestIdReusedError

KEPT_RESULTS = 256
"""Results of one session: a client repeats its last request, or one of a few that it sent together."""


@dataclass(frozen=True, slots=True)
class RequestKey:
    """What identifies a request among those of its session.

    Attributes:
        method: the rpc.
        request_id: the client's; empty for none.
        digest: of the request's parameters.
    """

    method: str
    request_id: str
    digest: bytes = b""

    def require_same(self, digest: bytes) -> None:
        """Raises RequestIdReusedError where the earlier request of this id had another digest."""
        if digest != self.digest:
            raise RequestIdReusedError(
                f"request_id {self.request_id[:40]!r} was used by an earlier {self.method} with other parameters: "
                f"nothing was done; repeat that {self.method} unchanged to get its result, or give this one a new "
                "request_id",
                method=self.method,
            )


KEPT_BYTES = 32 * 2**20
"""Bytes of large results of one session: four of the largest batches. Chosen by hand."""


class KeptResults:
    """The last results of one session: values and errors of ours, by method and request id."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], tuple[bytes, Any]] = OrderedDict()
        self._sizes: dict[tuple[str, str], int] = {}
        self._running: dict[tuple[str, str], bytes] = {}

    def find(self, key: RequestKey) -> Any:
        """None where nothing is kept. Raises RequestIdReusedError: what is kept is of other parameters."""
        digest, result = self._kept.get((key.method, key.request_id), (key.digest, None))
        key.require_same(digest)
        return result

    @contextmanager
    def running(self, key: RequestKey) -> Iterator[None]:
        """While a request runs, its id is used: another tab's call may come meanwhile.

        Raises:
            RequestIdReusedError: a request of this id and other parameters runs.
        """
        place = key.method, key.request_id
        key.require_same(self._running.setdefault(place, key.digest))
        try:
            yield
        finally:
            self._running.pop(place, None)

    def keep(self, key: RequestKey, result: Any, size: int = 0) -> None:
        """Keeps a result, or the error that a request ended with. `size` are the bytes of a large one; of these, the
        oldest make room."""
        place = key.method, key.request_id
        self._kept[place] = key.digest, result
        if size:
            self._sizes[place] = size
        while len(self._kept) > KEPT_RESULTS:
            self._sizes.pop(self._kept.popitem(last=False)[0], None)
        while len(self._sizes) > 1 and sum(self._sizes.values()) > KEPT_BYTES:
            oldest = next(iter(self._sizes))
            del self._sizes[oldest], self._kept[oldest]

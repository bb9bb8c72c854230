"""Whose host it is: the page's own, somebody else's, or one that only counts and watches."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib.resources import files
from urllib.parse import urlsplit

_SHARED_SUFFIXES = frozenset(
    "co com org net ac gov edu ne or go github gitlab web pages vercel netlify herokuapp azurewebsites".split()
)
"""Labels that many owners share one level below: `example.co.uk` and `name.github.io` are owners, `co.uk` is none.
The common ones of the Public Suffix List; a wrong guess costs a request 35 points, no more."""


@cache
def telemetry_hosts() -> frozenset[str]:
    """The list that comes with the project."""
    lines = files(__package__).joinpath("telemetry.txt").read_text("utf-8").splitlines()
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def is_telemetry(url: str, more: Collection[str] = ()) -> bool:
    """Whether an address is of a known telemetry host, or of one of `more`, or lies under it."""
    host = _host(url)
    known = telemetry_hosts() | frozenset(each.lower() for each in more)
    labels = host.split(".")
    return any(".".join(labels[index:]) in known for index in range(len(labels)))


def is_first_party(url: str, page_url: str) -> bool:
    """Whether an address belongs to the same site as a page: the same registrable domain, or the same address."""
    return bool(_host(url)) and _site(_host(url)) == _site(_host(page_url))


def origin_of(url: str) -> str:
    """Scheme, host and port; empty for what has none."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.scheme and parts.netloc else ""


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").lower().rstrip(".")
    except ValueError:
        return ""


def _site(host: str) -> str:
    labels = host.split(".")
    if labels[-1].isdecimal() or ":" in host or len(labels) < 3:
        return host
    return ".".join(labels[-3:] if labels[-2] in _SHARED_SUFFIXES else labels[-2:])

"""Classifies hosts: first party, third party, or telemetry."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib.resources import files
from urllib.parse import urlsplit

_SHARED_SUFFIXES = frozenset(
    "co com org net ac gov edu ne or go github gitlab web pages vercel netlify herokuapp azurewebsites".split()
)
"""Labels of suffixes that many owners share: `example.co.uk` and `name.github.io` have owners, `co.uk` has not. These
are the common ones of the Public Suffix List; a wrong classification costs a request 35 points."""


@cache
def telemetry_hosts() -> frozenset[str]:
    """The project's own list of telemetry hosts."""
    lines = files(__package__).joinpath("telemetry.txt").read_text("utf-8").splitlines()
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def is_telemetry(url: str, more: Collection[str] = ()) -> bool:
    """Whether the host of a URL, or a domain above it, is a known telemetry host or one of `more`."""
    host = _host(url)
    known = telemetry_hosts() | frozenset(each.lower() for each in more)
    labels = host.split(".")
    return any(".".join(labels[index:]) in known for index in range(len(labels)))


def is_first_party(url: str, page_url: str) -> bool:
    """Whether a URL belongs to the site of a page: the same registrable domain, or the same IP address."""
    return bool(_host(url)) and _site(_host(url)) == _site(_host(page_url))


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL; "" if it has none."""
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

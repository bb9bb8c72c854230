"""The service that a command calls, and the page that it opens there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from perception.cli.command_options import access_options
from perception.client import Client, Page, Subroutines, connect
from perception.demo import serve_demo
from perception.errors import BadInputError
from perception.v1 import subroutine_service_pb2 as pb


@contextmanager
def service_client(address: str, hosts: tuple[str, ...], timeout: float) -> Iterator[Client]:
    """A client of the service at an address, or of one started for it.

    Args:
        address: `HOST:PORT` or `unix:PATH`; empty to start one.
        hosts: private hosts that a service started here may open pages of.
        timeout: seconds for each call.
    """
    with connect(address or None, allow_hosts=hosts, timeout_s=timeout, **access_options()) as client:
        yield client


@contextmanager
def page_url_of(url: str) -> Iterator[str]:
    """The URL itself; for `demo` that of the bundled page, which is served until the end of the `with` block."""
    if url != "demo":
        yield url
        return
    with serve_demo() as demo:
        yield demo.url


def hosts_of(given: str, url: str) -> tuple[str, ...]:
    """The hosts that a command's URL allows: the host that the user names. The demo page has two.

    Args:
        given: as the user wrote it: a URL or `demo`.
        url: the page's URL.
    """
    if given == "demo":
        return "127.0.0.1", "localhost"
    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None  # the service reports what is wrong with it
    return (host,) if host else ()


@contextmanager
def shell_page(name: str, timeout: float) -> Iterator[Page]:
    """The session of a shell."""
    from perception.cli.shell import store
    from perception.client.user_folder import shell_folder

    folder = shell_folder()
    known = store.read(store.file_of(folder, name))
    if known is None:
        there = ", ".join(repr(each.name) for each in store.all_known(folder)) or "none"
        raise BadInputError(f"there is no session {name[:80]!r} of the shell: there is {there}")
    access = {**access_options(), **known.access}
    with connect(known.address, timeout_s=timeout, **access) as client:
        yield client.attach(known.session_id)


def find_subroutine(tools: Subroutines, subroutine_id: str) -> pb.Subroutine:
    """A subroutine by its id or name. Raises BadInputError where there is none."""
    found = tools.all()
    made = next((each for each in found if subroutine_id in (each.subroutine_id, each.name)), None)
    if made is None:
        known = ", ".join(each.subroutine_id for each in found) or "none"
        raise BadInputError(f"no subroutine {subroutine_id[:80]!r}: there is {known}")
    return made

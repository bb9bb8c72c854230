"""The viewer of `perception serve --viewer`: in the process of the service, and a client of it like any other.

Rule 1: no page may reach its port.
Rule 2: of a service that speaks TLS it is a client over a Unix socket of its own, which only this user can reach: the
service's certificate is for names that others know it by.
"""

from __future__ import annotations

import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import grpc

from perception.browser.network import reserved_ports as own_ports
from perception.client.access import Access
from perception.client.child import FOLDER_PREFIX
from perception.errors import BadInputError
from perception.server.settings import Settings
from perception.server.viewer.options import ViewerOptions, check_viewer, parse_viewer_address

if TYPE_CHECKING:
    from perception.server.viewer.serving import Viewer

PACKAGES = ("starlette", "uvicorn", "websockets")


def require_packages() -> None:
    """Raises BadInputError where the viewer's packages are not installed."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise BadInputError(
            f"the viewer needs packages that are not installed ({', '.join(missing)}): "
            "pip install 'perception-service[viewer]'",
            field="viewer",
        )


def viewer_options(settings: Settings) -> ViewerOptions:
    """How the viewer of a service is served. Raises BadInputError where others could use it."""
    host, port = parse_viewer_address(settings.viewer)
    has_tokens = settings.token_file is not None
    if settings.tls_client_ca is not None and not has_tokens:
        raise BadInputError(
            "the service knows its callers by certificates, which the viewer beside it has none of: add --token-file, "
            "or run `perception view` with --tls-client-cert",
            field="viewer",
        )
    names: tuple[str, ...] = ()
    if settings.tls_cert is not None:
        from perception.server.viewer.certificate_names import certificate_names  # loads cryptography

        names = certificate_names(settings.tls_cert)
    options = ViewerOptions(
        host=host,
        port=port,
        names=names,
        certificate=settings.tls_cert,
        key=settings.tls_key,
        open_to_all=not has_tokens and not settings.address.startswith("unix:"),
    )
    check_viewer(options, has_tokens=has_tokens)
    return options


class ViewerBeside:
    """The viewer of one service. Raises BadInputError for settings that do not do.

    Attributes:
        link: where to open it; it logs in where nothing else could.
    """

    def __init__(self, settings: Settings) -> None:
        require_packages()
        self._settings = settings
        self._options = viewer_options(settings)
        self._folder: Path | None = None
        self._viewer: Viewer | None = None
        self.link = ""

    def listen(self, server: grpc.aio.Server) -> None:
        """Has the service listen for its viewer as well, where it needs that. Before the service starts."""
        if self._settings.tls_cert is not None:
            self._folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))  # mode 0700
            server.add_insecure_port(f"unix:{self._folder / 'viewer'}")

    async def start(self, port: int) -> None:
        """Starts it. Raises BadInputError where its port is taken.

        Args:
            port: of the service, which has started; 0 for a Unix socket.
        """
        from perception.server.viewer.serving import Viewer

        address = self._settings.address
        if self._folder is not None:
            address = f"unix:{self._folder / 'viewer'}"
        elif not address.startswith("unix:"):
            address = f"{address.rpartition(':')[0]}:{port}"
        self._viewer = await Viewer.start(self._options, address, Access())
        own_ports.guard(self._viewer.port)
        by_link = self._settings.token_file is None and not self._options.open_to_all
        self.link = self._viewer.link() if by_link else self._viewer.url

    async def stop(self) -> None:
        """Ends it with all its connections."""
        if self._viewer is not None:
            await self._viewer.stop()
            own_ports.release(self._viewer.port)
            self._viewer = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

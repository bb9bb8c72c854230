"""What of Perception is installed: the client alone, or the service as well."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

INSTALL_SERVICE = "this command needs the service: pip install perception-service"


def installed_version() -> str:
    """The version of the client, which is the service's. An editable install is one distribution, the service's."""
    try:
        return version("perception-client")
    except PackageNotFoundError:
        return version("perception-service")


def has_service() -> bool:
    """Whether `perception serve` can be run here."""
    return find_spec("perception.server") is not None

"""Errors of tools that pages offer."""

from __future__ import annotations

from perception.errors.core import PerceptionError


class UnknownPageToolError(PerceptionError):
    """A tool that the page does not offer."""

    grpc_code = "NOT_FOUND"


class PageToolsNotAllowedError(PerceptionError):
    """A tool of a page whose origin the session does not name."""

    grpc_code = "PERMISSION_DENIED"

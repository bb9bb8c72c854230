"""A client without the service."""

from __future__ import annotations

import sys

import pytest

from perception.client import child
from perception.client.trace.document import trace_html
from perception.client.trace.values import Trace
from perception.errors import BadInputError


def test_no_service_is_started_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "has_service", lambda: False)
    with pytest.raises(child.ChildError, match="pip install perception-service, or give the address"):
        child.serve_command()


def test_a_trace_without_lxml_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lxml", None)
    with pytest.raises(BadInputError, match="pip install lxml"):
        trace_html(Trace.__new__(Trace))

"""What programs can call in the client, as one list to be read: `--refresh-goldens` writes it again."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

import perception.client
from perception.client import steps

CLASSES = ("Client", "Page", "HumanControl", "Subroutines")


@pytest.mark.parametrize("form", ["async", "blocking"])
def test_the_clients_api_is_the_one_on_record(form: str, check_golden: Callable[[str, str], None]) -> None:
    prefix = "Async" if form == "async" else ""
    listed = [line for name in CLASSES for line in _lines_of_class(_class_named(prefix + name))]
    check_golden(f"client/{form}.txt", "\n".join(listed) + "\n")


def test_the_steps_of_a_batch_are_those_on_record(check_golden: Callable[[str, str], None]) -> None:
    check_golden("client/steps.txt", "\n".join(_functions(steps)) + "\n")


def _class_named(name: str) -> type:
    """One of the package's classes, or one that its methods answer."""
    if name.endswith("HumanControl"):
        module = "_async" if name.startswith("Async") else "_sync"
        found: type = getattr(__import__(f"perception.client.{module}.control", fromlist=[name]), name)
        return found
    public: type = getattr(perception.client, name)
    return public


def _lines_of_class(kind: type) -> Iterator[str]:
    """Its public methods and properties with those of its bases, by name."""
    yield kind.__name__
    for name, member in sorted(inspect.getmembers(kind)):
        if name.startswith("_"):
            continue
        yield f"  {name}{_signature(member)}" if callable(member) else f"  {name}"


def _functions(module: ModuleType) -> Iterator[str]:
    for name in sorted(module.__all__):
        yield f"{name}{_signature(getattr(module, name))}"


def _signature(function: Callable[..., Any]) -> str:
    """Its signature; parameters that are given by keyword alone have no order, and stand by name.
    What modules call the messages' module is no part of it."""
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    by_keyword = sorted((each for each in parameters if each.kind is each.KEYWORD_ONLY), key=lambda each: each.name)
    first = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.VAR_POSITIONAL)]
    last = [each for each in parameters if each.kind is each.VAR_KEYWORD]
    shown = str(signature.replace(parameters=[*first, *by_keyword, *last]))
    return re.sub(r"\b(?:\w+_)?pb\.", "", re.sub(r"(: |-> )'([^']*)'", r"\1\2", shown))

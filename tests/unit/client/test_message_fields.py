"""Requests of plain Python values, and the one error of what makes none."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from perception.client.access import check_connection
from perception.client.message_fields import message_of, struct_of, target_of, timeout_of
from perception.client.requests import action_request, create_request, files_of, image_bytes, options_of, wait_condition
from perception.errors import BadInputError
from perception.v1 import network_service_pb2 as network_pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import subroutine_service_pb2 as subroutine_pb
from perception.v1 import types_pb2 as pb


def created(**options: Any) -> session_pb.SessionOptions:
    return create_request("", "", "", options).options


def navigation(wait_until: Any) -> session_pb.NavigateRequest:
    return message_of(session_pb.NavigateRequest, {"wait_until": wait_until})


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param(created(viewport=(800, 600)).viewport, pb.Viewport(width=800, height=600), id="viewport"),
        pytest.param(
            created(viewport=[390, 844, 3]).viewport,
            pb.Viewport(width=390, height=844, device_scale_factor=3),
            id="viewport-with-scale",
        ),
        pytest.param(
            created(viewport={"width": 800, "height": 600}).viewport,
            pb.Viewport(width=800, height=600),
            id="viewport-as-dict",
        ),
        pytest.param(created(color_scheme="dark").color_scheme, session_pb.COLOR_SCHEME_DARK, id="short-name"),
        pytest.param(created(idle_timeout=2.5).idle_timeout.ToMilliseconds(), 2500, id="seconds"),
        pytest.param(created(idle_timeout=timedelta(minutes=1)).idle_timeout.seconds, 60, id="timedelta"),
        pytest.param(
            navigation("DOMContentLoaded").wait_until, session_pb.WAIT_UNTIL_DOM_CONTENT_LOADED, id="other-spelling"
        ),
        pytest.param(navigation(session_pb.WAIT_UNTIL_LOAD).wait_until, session_pb.WAIT_UNTIL_LOAD, id="enum-number"),
        pytest.param(options_of({"style": "role-ref"}).style, perception_pb.TEXT_STYLE_ROLE_REF, id="hyphen"),
        pytest.param(options_of({"max_tokens": np.int64(500)}).max_tokens, 500, id="numpy"),
        pytest.param(options_of({"view": None}), perception_pb.SnapshotOptions(), id="none-is-left-out"),
        pytest.param(options_of({"root": "e5"}).root, pb.Target(ref="e5"), id="target-in-options"),
        pytest.param(target_of("e²"), pb.Target(selector="e²"), id="no-ref"),
        pytest.param(target_of("node=12"), pb.Target(backend_node_id=12), id="node"),
        pytest.param(
            target_of('text=Say "no"'),
            pb.Target(named=pb.NamedElement(role="text", name='Say "no"')),
            id="text",
        ),
        pytest.param(
            target_of("text=Edit [nth=2]"),
            pb.Target(named=pb.NamedElement(role="text", name="Edit", nth=2)),
            id="text-of-several",
        ),
        pytest.param(
            target_of('button "Edit" [nth=0]'),
            pb.Target(named=pb.NamedElement(role="button", name="Edit", nth=0)),
            id="name-of-several",
        ),
        pytest.param(target_of("text[x]"), pb.Target(selector="text[x]"), id="selector-like-text"),
        pytest.param(target_of(pb.Element(ref="v3")), pb.Target(ref="v3"), id="element"),
        pytest.param(
            target_of(pb.Point(x=1, y=2)), pb.Target(coordinate=pb.Coordinate(x=1, y=2)), id="click-point-of-element"
        ),
        pytest.param(
            message_of(subroutine_pb.CreateSubroutineRequest, {"plan": "dom"}).plan,
            subroutine_pb.PLAN_KIND_DOM,
            id="plan",
        ),
        pytest.param(files_of({"a:b 😀.txt": b"x"})[0].name, "a:b 😀.txt", id="file-name"),
    ],
)
def test_plain_values_become_those_of_the_wire(made: object, expected: object) -> None:
    assert made == expected


@pytest.mark.parametrize(
    ("make", "field", "said"),
    [
        pytest.param(lambda: created(vewport=(1, 2)), "vewport", "did you mean 'viewport'", id="misspelt-name"),
        pytest.param(lambda: created(viewport="800x600"), "viewport", "(width, height)", id="viewport-of-text"),
        pytest.param(lambda: created(viewport=(800,)), "viewport", "(width, height)", id="half-a-viewport"),
        pytest.param(lambda: created(viewport=(8e99, 1)), "width", "out of range", id="too-wide"),
        pytest.param(lambda: created(allow_evaluate="yes"), "allow_evaluate", "True or False", id="no-bool"),
        pytest.param(lambda: created(allowed_origins="https://a"), "allowed_origins", "a list", id="text-for-a-list"),
        pytest.param(lambda: created(idle_timeout="1m"), "idle_timeout", "a number of seconds", id="no-seconds"),
        pytest.param(lambda: created(idle_timeout=float("nan")), "idle_timeout", "a number of seconds", id="nan"),
        pytest.param(
            lambda: navigation("networkidle"),
            "wait_until",
            "one of 'commit', 'dom_content_loaded', 'settled', 'load'",
            id="choices",
        ),
        pytest.param(lambda: navigation(99), "wait_until", "one of 'commit'", id="unknown-number"),
        pytest.param(lambda: options_of({"view": "digset"}), "view", "did you mean 'digest'", id="misspelt-choice"),
        pytest.param(lambda: options_of({"max_tokens": "800"}), "max_tokens", "an int", id="text-for-a-number"),
        pytest.param(lambda: options_of({"max_tokens": True}), "max_tokens", "an int", id="bool-for-a-number"),
        pytest.param(lambda: image_bytes("none.png"), "image", "No such file", id="no-image-file"),
        pytest.param(lambda: image_bytes(5), "image", "bytes of an image file", id="number-for-an-image"),  # type: ignore[arg-type]
        pytest.param(lambda: target_of(5), "target", "a ref such as 'e3'", id="number-for-a-target"),  # type: ignore[arg-type]
        pytest.param(lambda: target_of((1, "2")), "target", "a coordinate", id="text-in-a-coordinate"),  # type: ignore[arg-type]
        pytest.param(lambda: target_of(pb.Element(role="img")), "target", "without a ref", id="element-without-ref"),
        pytest.param(
            lambda: action_request("Click", "s", {"settle_timout": 1}), "settle_timout", "'settle_timeout'", id="option"
        ),
        pytest.param(lambda: check_connection(5, {}), "address", "HOST:PORT", id="address"),
        pytest.param(lambda: check_connection("a:1", {"timeout": 5}), "timeout", "timeout_s", id="connection"),
        pytest.param(lambda: action_request("Click", "s", {"button": "x"}), "button", "'right'", id="button"),
        pytest.param(
            lambda: action_request("Click", "s", {"modifiers": ["shfit"]}), "modifiers", "'shift'", id="modifier"
        ),
        pytest.param(
            lambda: action_request("SelectOption", "s", {"options": (["a"],)}), "options", "a str", id="nested-list"
        ),
        pytest.param(lambda: files_of({"a.txt": "text"}), "content", "bytes", id="text-for-bytes"),  # type: ignore[dict-item]
        pytest.param(lambda: timeout_of(0, 60), "timeout_s", "over 0", id="no-time"),
        pytest.param(lambda: timeout_of("5", 60), "timeout_s", "a number of seconds", id="text-for-a-timeout"),
        pytest.param(lambda: struct_of({"a": object()}, "parameters"), "parameters['a']", "JSON", id="no-json"),
        pytest.param(lambda: wait_condition({"text": "a", "url": "b"}), "", "text and url", id="two-conditions"),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(make: Callable[[], object], field: str, said: str) -> None:
    with pytest.raises(BadInputError) as caught:
        make()
    assert said in str(caught.value)
    assert caught.value.field == field


def test_two_fields_of_which_a_message_has_one_are_refused() -> None:
    rule = {"block": {}, "answer": {"status": 200}}
    with pytest.raises(BadInputError, match="block and answer are both given"):
        message_of(network_pb.SetNetworkRulesRequest, {"rules": [rule]})

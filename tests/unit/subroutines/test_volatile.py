"""Identifiers that a deployment changes: found where they stand, never told."""

from __future__ import annotations

from typing import Any

import pytest

from perception.subroutines.recording import Body
from perception.subroutines.volatile import VOLATILE, find_volatile, without_volatile
from tests.unit.subroutines.made import form_body, json_body, request

HASH = "d41d8cd98f00b204e9800998ecf8427e"

FOUND = [
    pytest.param("/graphql?queryId=a8f3", Body(), ("query.queryId",), id="query-id"),
    pytest.param("/graphql", json_body({"doc_id": "45213"}), ("body.doc_id",), id="doc-id"),
    pytest.param("/graphql", json_body({"operationHash": HASH}), ("body.operationHash",), id="operation-hash"),
    pytest.param(
        "/graphql",
        json_body({"extensions": {"persistedQuery": {"version": 1, "sha256Hash": HASH * 2}}}),
        ("body.extensions.persistedQuery.sha256Hash",),
        id="apollo",
    ),
    pytest.param("/graphql", form_body(("doc_id", "45213"), ("variables", "{}")), ("body.doc_id",), id="form"),
    pytest.param(
        "/gql", form_body(("extensions", '{"queryId":"q1"}')), ("body.extensions.queryId",), id="json-in-a-form"
    ),
    pytest.param('/gql?extensions={"sha256Hash":"a1"}', Body(), ("query.extensions.sha256Hash",), id="json-in-a-query"),
    pytest.param("/_next/data/Xy12abcdEFGH3456ijkl7/shop.json", Body(), ("path segment 3",), id="next"),
    pytest.param("/i/api/graphql/V7H0Ap3_Hh2FyS75OCDO3Q/UserTweets", Body(), ("path segment 4",), id="twitter"),
    pytest.param(f"/api/{HASH}/items", Body(), ("path segment 2",), id="md5-in-the-path"),
    pytest.param("/assets/app.3f2a9c1e4b.js", Body(), ("path segment 2",), id="built-file"),
    pytest.param("/x", json_body({"list": [{"buildId": "b42"}]}), ("body.list.0.buildId",), id="in-a-list"),
]


@pytest.mark.parametrize(("path", "body", "found"), FOUND)
def test_volatile_identifier_is_found(path: str, body: Body, found: tuple[str, ...]) -> None:
    assert find_volatile(request(path, body=body)) == found


@pytest.mark.parametrize(
    ("path", "body"),
    [
        pytest.param("/api/users/17", json_body({"id": 17}), id="number"),
        pytest.param("/api/users/550e8400-e29b-41d4-a716-446655440000", Body(), id="uuid-of-a-record"),
        pytest.param("/api/items/507f1f77bcf86cd799439011", Body(), id="object-id-of-a-record"),
        pytest.param("/graphql", json_body({"query": "{ me { id } }"}), id="plain-graphql"),
        pytest.param("/x", json_body({"build": "release"}), id="word"),
        pytest.param("/static/index.html", Body(), id="plain-file"),
    ],
)
def test_identifier_of_a_record_is_not_volatile(path: str, body: Body) -> None:
    assert find_volatile(request(path, body=body)) == ()


@pytest.mark.parametrize(("path", "body", "found"), FOUND)
def test_volatile_identifier_is_never_revealed(path: str, body: Body, found: tuple[str, ...]) -> None:
    masked: Any = without_volatile(request(path, body=body))
    assert find_volatile(masked) == ()
    assert VOLATILE in f"{masked.url} {masked.body.json} {masked.body.fields}"

"""Subroutines as tools: by the names that they were given."""

from __future__ import annotations

from perception.client.plain_values import tools_of
from perception.v1 import subroutine_service_pb2 as pb


def test_a_tool_has_the_name_that_was_given_unless_two_sites_have_it() -> None:
    made = [
        pb.Subroutine(subroutine_id="add-customer-1", name="Add customer"),
        pb.Subroutine(subroutine_id="log-in-1", name="log_in"),
        pb.Subroutine(subroutine_id="log-in-2", name="Log in"),
    ]
    assert [each["name"] for each in tools_of(made)] == ["add_customer", "log-in-1", "log-in-2"]

"""The edge knows the whole contract, and needs no line for an rpc that has a session."""

from __future__ import annotations

from perception.server.app import SERVICES
from perception.server.placement.methods import WITHOUT_SESSION, Way, methods, services


def test_the_edge_serves_all_services_of_the_contract() -> None:
    assert sorted(each.full_name for each in services()) == sorted(SERVICES)


def test_every_rpc_without_a_session_has_its_line() -> None:
    without = {each.name for each in methods().values() if not each.session_field}
    assert without == set(WITHOUT_SESSION), "add the rpc to WITHOUT_SESSION, or take what is gone out of it"


def test_an_rpc_with_a_session_goes_to_its_worker() -> None:
    click = methods()["/perception.v1.ActionService/Click"]
    assert (click.way, click.session_field) == (Way.SESSION, 1)
    upload = methods()["/perception.v1.FileService/StreamUpload"]
    assert (upload.way, upload.streams_requests, upload.streams_answers) == (Way.SESSION, True, False)
    assert methods()["/perception.v1.SessionService/CreateSession"].request_id_field == 4


def test_answers_that_are_put_together_have_repeated_fields_only() -> None:
    """Joined bytes of messages are one message: repeated fields follow each other, others would be the last one's."""
    joined = [rpc for each in services() for rpc in each.methods if WITHOUT_SESSION.get(rpc.name) is Way.ALL]
    assert joined
    for rpc in joined:
        singular = {field.name for field in rpc.output_type.fields if not field.is_repeated}
        assert singular <= {"workers_missing"}

"""The rpcs of the contract: which worker answers them, and what answers them there."""

from __future__ import annotations

from perception.server.app import RPCS
from perception.server.contract import Way, methods, services


def test_every_service_of_the_contract_is_answered() -> None:
    bases = (base.__name__ for rpcs in RPCS for base in rpcs.__mro__ if base.__module__.endswith("_pb2_grpc"))
    assert sorted(bases) == sorted(f"{each.name}Servicer" for each in services())


def test_an_rpc_without_a_session_goes_to_another_worker_only_where_it_changes_nothing() -> None:
    ways = {each.name: each.way for each in methods().values() if not each.session_field}
    assert (ways["ListDevices"], ways["DeleteProfile"]) == (Way.ANY_READ, Way.ANY)
    assert (ways["CreateSession"], ways["ListSessions"]) == (Way.CLAIM, Way.ALL)


def test_an_rpc_with_a_session_goes_to_its_worker() -> None:
    click = methods()["/perception.v1.ActionService/Click"]
    assert (click.way, click.session_field) == (Way.SESSION, 1)
    upload = methods()["/perception.v1.FileService/StreamUpload"]
    assert (upload.way, upload.streams_requests, upload.streams_answers) == (Way.SESSION, True, False)
    assert methods()["/perception.v1.SessionService/CreateSession"].request_id_field == 4


def test_answers_that_are_put_together_have_repeated_fields_only() -> None:
    """Joined bytes of messages are one message: repeated fields follow each other, others would be the last one's."""
    joined = [
        rpc for each in services() for rpc in each.methods if methods()[f"/{each.full_name}/{rpc.name}"].way is Way.ALL
    ]
    assert joined
    for rpc in joined:
        singular = {field.name for field in rpc.output_type.fields if not field.is_repeated}
        assert singular <= {"workers_missing"}

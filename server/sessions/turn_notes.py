"""What the agent is told of turns: a person had control since its last answer."""

from __future__ import annotations

from perception.server.rpc_call import is_by_person
from perception.server.sessions.session import Session


def take_turn_notes(session: Session) -> tuple[str, ...]:
    """Sentences for the answer of this call, each of which the agent is told once. A person's own call takes none."""
    return () if is_by_person() else tuple(each.text for each in session.control.take_unread())

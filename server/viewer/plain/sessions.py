"""Sessions and tabs as JSON."""

from __future__ import annotations

from typing import Any

from perception.server.viewer.plain.control import plain_control, plain_dialog
from perception.server.viewer.plain.times import millis


def plain_session(session: Any, *, mine: bool) -> dict[str, Any]:
    """A Session. Times are milliseconds since 1970; absent ones are None.

    Args:
        session: the message.
        mine: the person who asks has control, if anybody has.
    """
    return {
        "id": session.session_id,
        "tabs": [plain_tab(tab) for tab in session.tabs],
        "createdMs": millis(session, "create_time"),
        "usedMs": millis(session, "last_used_time"),
        "expiresMs": millis(session, "expire_time"),
        "dialogs": [plain_dialog(each) for each in session.dialogs],
        "choosers": [{"id": each.file_chooser_id, "tabId": each.tab_id} for each in session.file_choosers],
        "touch": session.options.touch,
        "owner": session.principal,
        "worker": session.worker,
        "closesAtMs": session.closes_at_ms if session.HasField("closes_at_ms") else None,
        "control": plain_control(session.control, mine=mine) if session.HasField("control") else None,
    }


def plain_tab(tab: Any) -> dict[str, Any]:
    return {"id": tab.tab_id, "url": tab.url, "title": tab.title, "selected": tab.selected, "name": tab.name}

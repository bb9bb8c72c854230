"""Sessions and tabs as JSON."""

from __future__ import annotations

from typing import Any


def plain_session(session: Any) -> dict[str, Any]:
    """A Session. Times are milliseconds since 1970; absent ones are None."""
    return {
        "id": session.session_id,
        "tabs": [plain_tab(tab) for tab in session.tabs],
        "createdMs": millis(session, "create_time"),
        "usedMs": millis(session, "last_used_time"),
        "expiresMs": millis(session, "expire_time"),
        "dialogs": [{"tabId": each.tab_id, "message": each.message} for each in session.dialogs],
        "device": session.options.device,
        "owner": getattr(session, "principal", ""),
        "control": None,
    }


def plain_tab(tab: Any) -> dict[str, Any]:
    return {"id": tab.tab_id, "url": tab.url, "title": tab.title, "selected": tab.selected, "name": tab.name}


def millis(message: Any, field: str) -> int | None:
    """A Timestamp field as milliseconds since 1970; None where it is absent."""
    return int(getattr(message, field).ToMilliseconds()) if message.HasField(field) else None

"""The command for the logins of a session as a file."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from perception.cli.shell.context import Context
from perception.cli.shell.results import Result
from perception.errors import BadInputError
from perception.interaction.answers import lines
from perception.v1 import session_service_pb2 as session_pb


async def state(context: Context) -> Result:
    """Writes the session's logins to a file, or adds those of a file to the session."""
    values = context.values
    path, is_export = Path(values["file"]), values["action"] == "export"
    if not is_export and (values["origin"] or values["no_indexed_db"]):
        raise BadInputError("state import: --origin and --no-indexed-db are for export")
    session = context.session()
    if is_export:
        exported = await session.page.export_state(
            origins=values["origin"] or (), indexed_db=not values["no_indexed_db"], timeout_s=context.left_s
        )
        _write_private(path, exported.state)
        done = f"{path}: {exported.cookie_count} cookies, storage of {exported.origin_count} origins"
        return _told(done, exported)
    imported = await session.page.import_state(path, timeout_s=context.left_s)
    done = f"{imported.cookie_count} cookies and storage of {imported.origin_count} origins are in the session; "
    return _told(f"{done}`perception reload` has the page use them", imported)


def _told(done: str, reply: session_pb.ExportStateResponse | session_pb.ImportStateResponse) -> Result:
    counts = {"cookieCount": reply.cookie_count, "originCount": reply.origin_count, "omitted": list(reply.omitted)}
    return Result(lines(done, *(f"left out: {each}" for each in reply.omitted)), data=counts)


def _write_private(path: Path, content: bytes) -> None:
    """Writes a whole file that only this user can read. Raises BadInputError where that does not work."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(part, path)
    except OSError as exc:
        part.unlink(missing_ok=True)
        raise BadInputError(f"{path} cannot be written: {exc.strerror}") from exc

"""Where a secret may be typed: pages of its origins alone."""

from __future__ import annotations

from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.errors import SecretOriginError
from perception.secrets import NamedSecret


async def require_origin(secret: NamedSecret, page: PageLink, frame: str, deadline: Deadline) -> None:
    """Makes sure that a secret may be typed into a frame: it, and all that hold it, are of the secret's origins. A
    page around the right frame could take the focus away at the last moment.

    Raises:
        SecretOriginError: one of them is not.
    """
    if not secret.origins:
        return
    at: str | None = frame
    while at is not None:
        reply = await page.evaluate(at, "self.origin", deadline, "looking where the secret goes", returnByValue=True)
        if reply.get("value") not in secret.origins:
            raise SecretOriginError(
                f"secret {secret.name} is not for this page: it may be typed into pages of "
                f"{', '.join(secret.origins)} alone, and frames of theirs; nothing was typed"
            )
        at = page.tree.parent_of(at)

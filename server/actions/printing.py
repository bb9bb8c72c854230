"""A tab's page as a PDF among the downloads of its session."""

from __future__ import annotations

from contextlib import aclosing

from perception.browser.browser_session import Tab
from perception.browser.capture.redaction import find_secrets
from perception.browser.page.download import Download, DownloadState
from perception.browser.page.printing import PdfOptions, print_pdf, take_prints
from perception.deadline import Deadline
from perception.errors import DownloadFailedError, PrivateContentError
from perception.server.sessions.session import Session

UNTITLED = "page"
"""Name of the PDF of a page without a title."""


async def print_tab(
    session: Session, tab: Tab, options: PdfOptions, name: str, *, reveal: bool, deadline: Deadline
) -> Download:
    """Prints the page that a tab shows.

    Args:
        name: of the download; the page's title when empty.
        reveal: prints what is private, all but passwords and secrets by name.

    Raises:
        PrivateContentError: the PDF would hold private content.
        DownloadFailedError: a limit of downloads is reached, or there is no folder for them.
        BadInputError: what `print_pdf` raises it for.
        DeadlineError
    """
    found = await find_secrets(tab.link, deadline, reveal=reveal, dotted=True)
    if found.boxes:
        what = (
            "passwords or secrets in plain text"
            if reveal
            else "private content, such as card numbers or passwords in plain text"
        )
        way = "" if reveal else ", or set reveal_sensitive for all but passwords"
        raise PrivateContentError(
            f"the page shows {what} ({len(found.boxes)} found), which a PDF would hold: empty these fields first{way}"
        )
    where = await tab.capturer.place(deadline)
    title = (name.removesuffix(".pdf") or where.title or UNTITLED).replace("/", "_").replace("\\", "_")
    async with aclosing(print_pdf(tab.link, options, deadline)) as parts:
        download = await session.browser.downloads.receive(where.url, f"{title}.pdf", parts)
    await take_prints(tab.link, deadline)  # this one
    if download.state is DownloadState.FAILED:
        raise DownloadFailedError(f"the PDF was not kept: {download.failure}", download=download.download_id)
    return download

"""What the reader of a tab should know of the kind of its document."""

from __future__ import annotations

from perception.browser.browser_session import Tab

PDF = "application/pdf"

PDF_NOTE = (
    "the tab shows a PDF: ExtractContent reads the text and links of all its pages; looks list its viewer, and with "
    "mode fused or vision what is read in the picture of the page in view"
)


def document_notes(tab: Tab) -> tuple[str, ...]:
    """Notes for a document that is not a page; empty for pages."""
    return (PDF_NOTE,) if tab.link.mime_type == PDF else ()

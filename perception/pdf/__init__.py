"""What PDF files say: their text and links, read by PDFium in a process of its own."""

from perception.pdf.reading import PdfText, read_pdf

__all__ = ["PdfText", "read_pdf"]

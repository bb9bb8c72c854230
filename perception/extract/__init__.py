"""Extraction of page content as markdown: all of it or the main content, in chunks of a token budget."""

from perception.extract.chunks import MIN_CHUNK_TOKENS, check_chunk_budget, split_markdown
from perception.extract.markdown import plain_text, to_markdown
from perception.extract.reader_view import main_content

__all__ = ["MIN_CHUNK_TOKENS", "check_chunk_budget", "main_content", "plain_text", "split_markdown", "to_markdown"]

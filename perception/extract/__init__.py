"""Extraction: what was read on a page, as markdown, whole or its main content alone, in pieces of a size."""

from perception.extract.chunks import MIN_TOKENS, check_chunk_budget, split_markdown
from perception.extract.main import main_content
from perception.extract.markdown import plain_text, to_markdown

__all__ = ["MIN_TOKENS", "check_chunk_budget", "main_content", "plain_text", "split_markdown", "to_markdown"]

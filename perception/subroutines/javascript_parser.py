"""The parser of JavaScript, made once. It gives a tree for any text, also for one that is not JavaScript."""

from __future__ import annotations

from functools import cache

import tree_sitter_javascript
from tree_sitter import Language, Parser


@cache
def javascript() -> Language:
    """The grammar."""
    return Language(tree_sitter_javascript.language())


@cache
def javascript_parser() -> Parser:
    """A parser with that grammar."""
    return Parser(javascript())

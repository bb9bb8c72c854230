"""The `tokens` suite: how many tokens the text of a snapshot takes."""

from perception.bench.lists.list_suite import ListOptions, ListSuite


class TokensOptions(ListOptions):
    """Let variants look at kept pages, and count the tokens of what a model is given, beside the peers' texts."""


class TokensSuite(ListSuite):
    name = "tokens"
    summary = "Tokens of a snapshot's text, beside the peers' texts of the same pages."
    options = TokensOptions
    datasets = ("packages",)
    variants = ("text", "fused", "interactive", "interactive-compact", "digest", "page", "page-compact")


SUITE = TokensSuite()

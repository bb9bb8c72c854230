"""The `reachability` suite: which reachable elements a list offers, and which of what it offers can be reached."""

from perception.bench.lists.list_suite import ListOptions, ListSuite


class ReachabilityOptions(ListOptions):
    """Let variants look at kept pages, and judge what their lists offer as reachable, beside the peers' lists."""


class ReachabilitySuite(ListSuite):
    name = "reachability"
    summary = "Which reachable elements kept lists offer, by Chromium's hit test and tree; `reach` acts on live pages."
    options = ReachabilityOptions
    run_kinds = ("looks",)
    datasets = ("packages", "twins")
    variants = ("text", "fused", "page")


SUITE = ReachabilitySuite()

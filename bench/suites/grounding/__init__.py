"""The `grounding` suite: whether instructions lead to the element that they mean."""

from perception.bench.lists.list_suite import ListOptions, ListSuite


class GroundingOptions(ListOptions):
    """Let variants look at kept pages, and a deterministic policy choose the element that each instruction means."""


class GroundingSuite(ListSuite):
    name = "grounding"
    summary = "Whether a deterministic policy finds the element that an instruction means."
    options = GroundingOptions
    datasets = ("packages", "twins")
    variants = ("text", "fused")


SUITE = GroundingSuite()

"""Actions on a tab: resolve target → wait until actionable → dispatch → collect effects."""

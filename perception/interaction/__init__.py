"""A session as it is used step by step, in words: the part that the MCP server and the shell have in common.

What a caller writes becomes a `target` or, by the table of `verbs`, a `Step`; `batch`, `looks` and `scripts` do
it, `report` says what came of it, and `answers` what went wrong. `session_state` is what a later step refers to.

Rule 1: nothing here knows a protocol of tools or how a command line is parsed, and nothing heavy is imported: commands
wait for it.
Rule 2: the texts of snapshots, diffs and content are the service's own, unchanged.
"""

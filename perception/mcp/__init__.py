"""The MCP server: the service as tools for a language model, over stdio or streamable HTTP.

It is a client of the gRPC service like any other. A call passes `server` (the SDK), `toolbox` (which tools there are),
`arguments` (what a model wrote, as values) and a handler in `native` or `playwright`; it ends as an `answers.Answer`.

Rule 1: only `server`, `stdio` and `http` import the SDK, which is an extra (`perception-service[mcp]`).
Rule 2: the texts of snapshots, diffs and content are the service's own, unchanged.
"""

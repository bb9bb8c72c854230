"""The MCP server: the tools of `perception.tools` over stdio or streamable HTTP.

It is a client of the gRPC service like any other. `server` speaks the protocol, by the official SDK; which tools there
are, and how a call is answered, is `perception.tools`.

Rule 1: only `server`, `stdio` and `http` import the SDK, which is an extra (`perception-service[mcp]`).
"""

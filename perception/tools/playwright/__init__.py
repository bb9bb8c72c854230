"""The tools of Playwright MCP's core set by name and parameters, answered in our words and snapshots."""

"""Which process has which session: in this one, or on workers behind an edge."""

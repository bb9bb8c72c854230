"""The suites of the bench, a folder each: see `perception.bench.suite`."""

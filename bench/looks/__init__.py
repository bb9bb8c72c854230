"""Lists of elements: what a look outputs, how it is scored, and the reports of suites that judge lists."""

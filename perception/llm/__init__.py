"""Language models by a configured endpoint: optional, and off unless a caller names one."""

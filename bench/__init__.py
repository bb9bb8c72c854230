"""Experiments: what the service does and costs, beside its peers, on the same pages."""
